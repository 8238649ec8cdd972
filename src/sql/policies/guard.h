/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the statements of workers to the deadline of their request (--timeout). If a statement
 * runs past its deadline, the guard cancels it on the server, or breaks its connection
 * (--timeout-action=abandon). The statement then fails with an error that restarts or ends the
 * event. No statement is sent after the deadline.
 *
 * One thread (the watchdog) looks for such statements and never waits for the server. Another one
 * (the canceller) sends the cancellations. If a server does not answer, the canceller waits for it,
 * and the watchdog breaks the connections of all statements one second after their deadlines.
 *
 * A connection that is guarded has driver operations of its own, which begin and end the limit of
 * each statement. Connections without a guard do not change. A statement is cancelled only while
 * it runs, and the worker waits for the end of a cancellation before it continues, unless its
 * connection was broken. So a cancellation never reaches a later statement.
 */
#ifndef GUARD_H
#define GUARD_H

#include "drivers/driver.h"
#include "options/policies/client_policy.h"
#include "sql/sql_internal.h"

struct guard;

/* Sets drv->guard and starts its threads, if the options have a policy of the
 * clients. Returns −1 after a logged message if the driver cannot do this, or if a thread cannot
 * be started; the shared state of the driver is then freed. */
int guard_open(sql_driver *drv, const struct options *options);
/* Ends the threads. No guarded connection may be left. NULL is ignored. */
void guard_destroy(struct guard *guard);

/* Guards a connection of a worker, which is not open yet. */
void guard_join(struct guard *guard, sql_connection *con);
/* Call before the connection is freed. Does nothing if it is not guarded. */
void guard_leave(sql_connection *con);

#endif
