/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections that are closed and opened again during the run, as connection pools of applications
 * do: after a number of events (--reconnect) or after a lifetime (--connection-lifetime). A worker
 * does this between two events or, with --connect-in-response=on, at the beginning of the event
 * that needs the connection. The functions that the run loop of scripts calls are in sql_api.h.
 */
#ifndef SQL_RECYCLE_H
#define SQL_RECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/connections/lifetime.h"
#include "options/options.h"
#include "sql/sql_api.h"

enum recycle_when {
    RECYCLE_AUTO, /* as the script does; between events if the script does nothing */
    RECYCLE_BETWEEN_EVENTS,
    RECYCLE_IN_RESPONSE
};

struct sql_recycle {
    uint64_t events; /* events after which a connection is opened again; 0 if they do not count */
    struct lifetime lifetime;
    enum recycle_when when;
};

/* The option rows, which belong to the general database options. */
extern const struct option_spec sql_recycle_rows[];
extern const unsigned sql_recycle_row_count;

/* Makes the connections that the calling thread opens from now on subject to the options. Returns
 * true if there is anything to do: then the run loop must call the functions of sql_api.h. */
bool sql_recycle_thread(const struct options *options);
/* Call if the calling thread's script itself reconnects after --reconnect events. Then the number
 * of events has no effect here, unless --connect-in-response says where to reconnect. */
void sql_recycle_leave_to_script(void);
/* Returns true if the connection, which is open, has served its events or its time. */
bool sql_recycle_is_due(const sql_connection *con);

#endif
