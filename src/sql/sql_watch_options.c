/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_watch_options.h"

#include "base/util.h"
#include "drivers/server.h"
#include "options/quantity.h"

static const char *check_seconds(const char *value)
{
    double seconds = 0;
    quantity_parse_time(value, &seconds);
    return seconds == 0 || seconds >= 0.1 ? NULL : "0 for none, or seconds from 0.1 to 1000000000";
}

static const char *check_replicas(const char *value)
{
    static const struct option_spec row = {.type = OPTION_LIST};
    const char *allowed = "up to 4 of HOST, HOST:PORT or a socket, separated by commas";
    struct option_value list = {0};
    struct server_place place;
    char text[128];
    bool good = option_parse(&row, value, &list, text, sizeof(text)) == 0;
    unsigned count = server_list_length(list.list);
    for (unsigned i = 0; i < count && good; i++)
        good = server_place(list.list[i], &place);
    option_value_fini(&list);
    return good && count >= 1 && count <= 4 ? NULL : allowed;
}

static const struct option_spec option_rows[] = {
    {.name = "server-stats",
     .type = OPTION_SECONDS,
     .fallback = "0",
     .alone = "1",
     .help = "seconds between samples of the server's own counters, on a separate connection; "
             "0: do not sample",
     .check = check_seconds,
     .field = OPTION_NO_FIELD},
    {.name = "replica",
     .type = OPTION_LIST,
     .help = "replicas to sample too: a list of HOST[:PORT] or socket paths",
     .check = check_replicas,
     .field = OPTION_NO_FIELD},
    {.name = "server-config",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "add the server settings that affect results to the JSON report and the HTML page",
     .field = OPTION_NO_FIELD},
};

int sql_watch_add_options(struct options *set)
{
    return options_add(set, "General database options", option_rows, ARRAY_SIZE(option_rows));
}
