/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections of commands, and connections used before a run: limits the time to open them, and
 * logs which statement is waiting for the server. */
#ifndef SQL_WAIT_H
#define SQL_WAIT_H

#include <stdint.h>

#include "sql/sql_api.h"

struct sql_waits;
struct sql_wait; /* of one connection */

/* A connect times out after `connect_ns`, rounded up to seconds. Every `every_ns` a line names the
 * statement that has been waiting longest, if it has been waiting for at least `every_ns`. */
struct sql_waits *sql_waits_create(int64_t connect_ns, int64_t every_ns);
/* Call after all connections have left. */
void sql_waits_destroy(struct sql_waits *waits);

/* Adds a connection that is not open yet. It must leave before it is freed. */
void sql_wait_join(struct sql_waits *waits, sql_connection *con);
/* Does nothing for a connection that has not joined. */
void sql_wait_leave(sql_connection *con);

#endif
