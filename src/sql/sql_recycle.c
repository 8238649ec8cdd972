/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_recycle.h"

#include <string.h>

#include "base/clock.h"
#include "sql/sql_internal.h"

const struct option_spec sql_recycle_rows[] = {
    {.name = "reconnect",
     .type = OPTION_INT,
     .fallback = "0",
     .help = "close and open the connection of a worker again after every N events; 0: never",
     .min = 0,
     .max = 1e9,
     .field = OPTION_NO_FIELD},
    {.name = "connection-lifetime",
     .type = OPTION_STRING,
     .fallback = "0",
     .help = "close and open a connection again when it has been open for this time, such as "
             "30s±20%: from 24 to 36 s, drawn for each connection; 0: never",
     .check = lifetime_check,
     .field = OPTION_NO_FIELD},
    {.name = "connect-in-response",
     .type = OPTION_STRING,
     .fallback = "auto",
     .help = "where --reconnect and --connection-lifetime open a connection again",
     .choices =
         OPTION_CHOICES([RECYCLE_AUTO] =
                            {"auto", "at the end of an event if the script does this itself, as "
                                     "oltp_* with --reconnect, otherwise between two events"},
                        [RECYCLE_BETWEEN_EVENTS] = {"off", "between two events"},
                        [RECYCLE_IN_RESPONSE] = {"on",
                                                 "as part of the next event, which needs it"}),
     .field = OPTION_NO_FIELD},
};
const unsigned sql_recycle_row_count = ARRAY_SIZE(sql_recycle_rows);

/* The connections of the calling thread that are subject to the options. */
static _Thread_local struct {
    bool on, pooled;
    struct sql_recycle recycle;
    CK_LIST_HEAD(, sql_connection) list;
} self;

static enum recycle_when when_of(const char *name)
{
    return strcmp(name, "on") == 0    ? RECYCLE_IN_RESPONSE
           : strcmp(name, "off") == 0 ? RECYCLE_BETWEEN_EVENTS
                                      : RECYCLE_AUTO;
}

bool sql_recycle_thread(const struct options *options)
{
    self.recycle =
        (struct sql_recycle){.events = (uint64_t)options_get(options, "reconnect")->integer,
                             .when = when_of(options_string(options, "connect-in-response"))};
    lifetime_parse(&self.recycle.lifetime, options_string(options, "connection-lifetime"));
    self.on = self.recycle.events > 0 || self.recycle.lifetime.ns > 0;
    CK_LIST_INIT(&self.list);
    /* With a pool, the request that takes a connection opens it again. */
    self.pooled = options_get(options, "pool-size")->integer > 0;
    return self.on && !self.pooled;
}

void sql_recycle_leave_to_script(void)
{
    if (self.recycle.when == RECYCLE_AUTO && !self.pooled)
        self.recycle.events = 0;
}

/* Draws when the connection, which was opened now, is to be opened again. */
static void begin_lifetime(sql_connection *con)
{
    const struct lifetime *l = &self.recycle.lifetime;
    con->recycle.events = 0;
    con->recycle.due_ns = INT64_MAX;
    if (l->ns == 0)
        return;
    const double factor = 1 + l->spread * (2 * rand_stream_double(&con->backoff) - 1);
    con->recycle.due_ns = clock_after_ns(clock_now_ns(), (int64_t)((double)l->ns * factor));
}

void sql_recycle_join(sql_connection *con)
{
    if (!self.on)
        return;
    con->recycle.on = true;
    CK_LIST_INSERT_HEAD(&self.list, con, recycle.link);
    begin_lifetime(con);
}

void sql_recycle_leave(sql_connection *con)
{
    if (con->recycle.on)
        CK_LIST_REMOVE(con, recycle.link);
    con->recycle.on = false;
}

void sql_recycle_opened(sql_connection *con)
{
    if (con->recycle.on)
        begin_lifetime(con);
}

/* Connections that the script has closed stay closed. */
static bool is_due(const sql_connection *con, int64_t now_ns)
{
    const struct sql_recycle *r = &self.recycle;
    return con->open &&
           ((r->events > 0 && con->recycle.events >= r->events) || now_ns >= con->recycle.due_ns);
}

bool sql_recycle_is_due(const sql_connection *con)
{
    return self.on && is_due(con, self.recycle.lifetime.ns > 0 ? clock_now_ns() : 0);
}

bool sql_recycle_in_response(void)
{
    return self.recycle.when == RECYCLE_IN_RESPONSE;
}

void sql_recycle_count(void)
{
    for (sql_connection *con = CK_LIST_FIRST(&self.list); con != NULL;
         con = CK_LIST_NEXT(con, recycle.link))
        con->recycle.events++;
}

bool sql_recycle_due(void)
{
    const int64_t now_ns = self.recycle.lifetime.ns > 0 ? clock_now_ns() : 0;
    bool any = false;
    for (sql_connection *con = CK_LIST_FIRST(&self.list); con != NULL;
         con = CK_LIST_NEXT(con, recycle.link))
        any = (con->recycle.due = is_due(con, now_ns)) || any;
    return any;
}

sql_connection *sql_recycle_next(void)
{
    for (sql_connection *con = CK_LIST_FIRST(&self.list); con != NULL;
         con = CK_LIST_NEXT(con, recycle.link))
        if (con->recycle.due) {
            con->recycle.due = false;
            return con;
        }
    return NULL;
}
