/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Database sessions for --inject. Their statements are not counted and their rows are not kept.
 * They use the driver of --db-driver and the first of several servers.
 *
 * A session belongs to the thread that opened it; other threads may only call
 * sql_session_cancel().
 */
#ifndef SQL_SESSION_H
#define SQL_SESSION_H

#include "result/injection.h"
#include "sql/sql.h"

/* Opens a session and binds the calling thread as sql_thread_enter() does. Close it with
 * sql_connection_free(). Returns NULL on failure, with the reason in `failure`. */
sql_connection *sql_session_open(struct sql *sql, char *failure, size_t bytes);
/* Checks a text without a server. If the driver can never execute it, returns a static string that
 * describes what is allowed; otherwise NULL. */
const char *sql_session_objection(const struct sql *sql, const char *text);
/* Executes one or several statements and sums up their effects in *outcome. Returns 0, or −1 if a
 * statement failed, with the reason in `failure`. */
int sql_session_execute(sql_connection *con, const char *text, struct injection_outcome *outcome,
                        char *failure, size_t bytes);
/* Makes sql_session_execute() in another thread return soon. Does nothing if it is not running. */
void sql_session_cancel(sql_connection *con);

#endif
