/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections of commands and of what comes before a run: how long the first answer of a server may
 * take, and lines that tell what statement is waited for. */
#ifndef SQL_WAIT_H
#define SQL_WAIT_H

#include <stdint.h>

#include "sql/sql_api.h"

struct sql_waits;
struct sql_wait; /* of one connection */

/* A connection may take `connect_ns`, in whole seconds, to be opened. Every `every_ns` a line names
 * the statement that has been waited for longest, if that is as long. */
struct sql_waits *sql_waits_create(int64_t connect_ns, int64_t every_ns);
/* When the last of its connections has left. */
void sql_waits_destroy(struct sql_waits *waits);

/* A new connection is one of these until it leaves. */
void sql_wait_join(struct sql_waits *waits, sql_connection *con);
/* Harmless for one that has not joined. */
void sql_wait_leave(sql_connection *con);

#endif
