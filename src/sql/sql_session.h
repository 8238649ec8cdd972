/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions apart from those of scripts: nothing is counted, rows are not kept. They are on the
 * driver of --db-driver and the first of several servers.
 *
 * A session belongs to the thread that opens it; only sql_session_cancel() is for others.
 */
#ifndef SQL_SESSION_H
#define SQL_SESSION_H

#include "result/injection.h"
#include "sql/sql.h"

/* Binds the calling thread, too. NULL: `failure` says why. sql_connection_free() closes it. */
sql_connection *sql_session_open(struct sql *sql, char *failure, size_t bytes);
/* What is wrong with a text that the driver cannot take whatever its server is: what is allowed, a
 * static string. NULL: nothing. */
const char *sql_session_objection(const struct sql *sql, const char *text);
/* Executes text and sums up in *outcome what all its statements did. −1: one has failed, and
 * `failure` says why. */
int sql_session_execute(sql_connection *con, const char *text, struct injection_outcome *outcome,
                        char *failure, size_t bytes);
/* Makes sql_session_execute(), in another thread, return soon; harmless when it does not run. */
void sql_session_cancel(sql_connection *con);

#endif
