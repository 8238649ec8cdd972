/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/replicas/read_hosts.h"

#include "base/log.h"
#include "drivers/server.h"

#define READ_HOSTS_MAX 16
#define REPLICAS_MAX 4

/* True if the value is a list of 1 to `most` places. */
static bool is_list_of_places(const char *value, unsigned most)
{
    static const struct option_spec row = {.type = OPTION_LIST};
    struct option_value list = {0};
    struct server_place place;
    char text[128];
    bool good = option_parse(&row, value, &list, text, sizeof(text)) == 0;
    unsigned count = server_list_length(list.list);
    for (unsigned i = 0; i < count && good; i++)
        good = server_place(list.list[i], &place);
    option_value_fini(&list);
    return good && count >= 1 && count <= most;
}

static const char *check_replicas(const char *value)
{
    return is_list_of_places(value, REPLICAS_MAX)
               ? NULL
               : "up to 4 of HOST, HOST:PORT or a socket, separated by commas";
}

static const char *check_read_hosts(const char *value)
{
    return is_list_of_places(value, READ_HOSTS_MAX)
               ? NULL
               : "up to 16 of HOST, HOST:PORT or a socket, separated by commas";
}

const struct option_spec sql_replica_rows[] = {
    {.name = "replica",
     .type = OPTION_LIST,
     .help = "replicas to sample too: a list of HOST[:PORT] or socket paths",
     .check = check_replicas,
     .field = OPTION_NO_FIELD},
    {.name = "read-hosts",
     .type = OPTION_LIST,
     .help = "replicas that get the read-only transactions: a list of HOST[:PORT] or socket paths",
     .check = check_read_hosts,
     .field = OPTION_NO_FIELD},
    {.name = "read-your-writes",
     .type = OPTION_DOUBLE,
     .fallback = "0",
     .help = "with --staleness: share of the events after which the worker checks whether a "
             "replica returns a row that it has just written, from 0 to 1",
     .min = 0,
     .max = 1,
     .field = OPTION_NO_FIELD},
};
const unsigned sql_replica_row_count = ARRAY_SIZE(sql_replica_rows);

int read_hosts_open(sql_driver *drv, const struct options *options)
{
    if (options_get(options, "read-your-writes")->number > 0 &&
        options_get(options, "staleness")->integer == 0) {
        log_text(LOG_FATAL, "--read-your-writes needs --staleness");
        return -1;
    }
    drv->read_hosts = options_get(options, "read-hosts")->list;
    drv->read_host_count = server_list_length(drv->read_hosts);
    if (drv->read_host_count == 0 || drv->ops->watch != NULL)
        return 0;
    log_text(LOG_FATAL, "--read-hosts: the %s driver has no servers (allowed: mysql, pgsql, mongodb)",
             drv->ops->name);
    return -1;
}

uint32_t sql_servers(const sql_driver *drv)
{
    return drv->ops->servers != NULL ? drv->ops->servers(drv->shared) : 1;
}

void sql_server_name(const sql_driver *drv, uint32_t server, char *name, size_t bytes)
{
    drv->ops->server_name(drv->shared, server, name, bytes);
}

unsigned read_hosts_choice(const sql_connection *con)
{
    return con->reads ? con->driver->read_host_count : sql_servers(con->driver);
}

unsigned read_hosts_server(const sql_connection *con)
{
    const unsigned first = con->reads ? sql_servers(con->driver) : 0;
    return first + con->conn.number % read_hosts_choice(con);
}

unsigned read_hosts_all(const sql_driver *drv)
{
    return sql_servers(drv) + drv->read_host_count;
}

void read_hosts_name(const sql_driver *drv, unsigned server, char *name, size_t bytes)
{
    const unsigned servers = sql_servers(drv);
    if (server >= servers)
        snprintf(name, bytes, "%s", drv->read_hosts[server - servers]);
    else if (drv->ops->server_name != NULL)
        sql_server_name(drv, server, name, bytes);
    else
        snprintf(name, bytes, "%s", drv->ops->name);
}

void read_hosts_aim(sql_connection *con)
{
    if (con->reads)
        con->conn.elsewhere =
            con->driver->read_hosts[con->conn.number % con->driver->read_host_count];
}

void read_hosts_warn_unused(const sql_driver *drv)
{
    if (drv->read_host_count > 0 && !atomic_load(&drv->has_readers))
        log_text(LOG_WARNING, "--read-hosts has no effect: the test has no read-only transactions, "
                              "or its script does not say which these are");
}
