/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The general database options. */
#include <string.h>

#include "base/clock.h"
#include "options/quantity.h"
#include "sql/sql_internal.h"
#include "sql/sql_machines.h"

#ifdef HAVE_MYSQL
#define DEFAULT_DRIVER "mysql"
#else
#define DEFAULT_DRIVER "sqlite"
#endif

static const char *check_failover_timeout(const char *value)
{
    double seconds = 0;
    quantity_parse_time(value, &seconds);
    return seconds == (int)seconds ? NULL : "whole seconds from 1 to 3600";
}

static const char *check_setting(const char *value)
{
    const char *equals = strchr(value, '=');
    return equals != NULL && equals > value ? NULL : "NAME=VALUE";
}

static const char *check_interval(const char *value)
{
    double seconds = 0;
    quantity_parse_time(value, &seconds);
    return seconds == 0 || seconds >= 0.1 ? NULL : "0 for none, or seconds from 0.1 to 1000000000";
}

const struct option_spec sql_general_rows[] = {
    {.name = "db-driver",
     .type = OPTION_STRING,
     .fallback = DEFAULT_DRIVER,
     .help = "specifies database driver to use",
     .field = OPTION_NO_FIELD},
    {.name = "db-ps-mode",
     .type = OPTION_STRING,
     .fallback = "auto",
     .help = "prepared statements usage mode",
     .choices = OPTION_CHOICES({"auto", NULL}, {"disable", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "db-debug",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "print database-specific debug information",
     .field = OPTION_NO_FIELD},
    {.name = "check-tables",
     .type = OPTION_BOOL,
     .fallback = "on",
     .help = "before a run, check that tables, ids and indexes match the options",
     .field = OPTION_NO_FIELD},
    {.name = "report-sql",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "report statements by class: counts, errors, rows, times; also of each interval "
             "in JSON, CSV and on the page",
     .field = OPTION_NO_FIELD},
    {.name = "explain",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "report the plan of a statement of each class at the beginning and at the end of the "
             "run, and which plans changed",
     .field = OPTION_NO_FIELD},
    {.name = "failover",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "with several hosts: if a worker's host is gone, the worker connects to the next one",
     .field = OPTION_NO_FIELD},
    {.name = "failover-timeout",
     .type = OPTION_SECONDS,
     .fallback = "10",
     .help = "with --failover: seconds without an answer after which a host is gone",
     .min = 1,
     .max = 3600,
     .check = check_failover_timeout,
     .field = OPTION_NO_FIELD},
    {.name = "password-lifetime",
     .type = OPTION_SECONDS,
     .fallback = "600",
     .help = "seconds during which the password that --*-password-command has printed is used for "
             "new connections; 0: execute the command for each connection",
     .max = 1e9,
     .field = OPTION_NO_FIELD},
    {.name = "server-stats",
     .type = OPTION_SECONDS,
     .fallback = "0",
     .alone = "1",
     .help = "seconds between samples of the server's own counters, on a separate connection; "
             "0: do not sample",
     .check = check_interval,
     .field = OPTION_NO_FIELD},
    {.name = "machine-metrics",
     .type = OPTION_LIST,
     .help = "addresses of node_exporters on the machines of the servers, such as "
             "http://db1:9100/metrics, to sample them too",
     .check = sql_machines_check,
     .field = OPTION_NO_FIELD},
    /* Given by tools that have changed settings of the server: the configuration in reports has
     * "server.NAME". */
    {.name = "server-setting",
     .type = OPTION_STRING,
     .check = check_setting,
     .field = OPTION_NO_FIELD,
     .repeats = true},
    {.name = "server-config",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "add the server settings that affect results to the JSON report and the HTML page; "
             "default: on if the run goes into an archive",
     .field = OPTION_NO_FIELD},
};
const unsigned sql_general_row_count = ARRAY_SIZE(sql_general_rows);
