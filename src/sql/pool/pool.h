/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool of connections that all workers share (--pool-size), like that of an application.
 *
 * The connection objects of workers' scripts then have no connection of their own. An object takes
 * a connection from the pool for its first statement, and waits if none is free, first come, first
 * served. It gives the connection back at the end of the event or, with --pool-scope=transaction,
 * after a statement that leaves no transaction open. The wait for a connection is a part of the
 * response time of its own, next to the wait for a worker and the service.
 *
 * While an object has a connection, the members of struct sql_connection that describe the
 * connection to the server are those of the connection taken, so that all other functions of this
 * folder work as they do without a pool. Prepared statements stay with the connection: they are
 * found again by their text.
 */
#ifndef POOL_H
#define POOL_H

#include "options/rank.h"
#include "sql/sql_internal.h"

struct pool;

extern const struct option_spec sql_pool_rows[];
extern const unsigned sql_pool_row_count;

/* Sets drv->pool if the options ask for a pool. `rank` says which part of its connections this
 * process has for its `workers`. Returns −1 after a logged message if other options contradict it.
 */
int pool_open(sql_driver *drv, const struct options *options, const struct rank *rank,
              unsigned workers);
/* Closes the connections. No object may have one. NULL is ignored. */
void pool_destroy(struct pool *pool);

/* Makes `con`, which is new and belongs to a worker, an object that takes its connections from the
 * pool. `open_again` opens a connection again that was lost or whose lifetime has ended; it returns
 * −1 with con->conn.error set on failure. Returns true if the pool is not complete: then the caller
 * opens a connection with `con` and passes it on with pool_add(). */
bool pool_join(struct pool *pool, sql_connection *con, int (*open_again)(sql_connection *con));
/* Moves the connection that `con` has opened to the pool. */
void pool_add(sql_connection *con);
/* Call if the connection could not be opened: no thread waits for a connection any longer. */
void pool_fail(struct pool *pool);
/* Call in the thread of the object before it is freed. */
void pool_leave(const sql_connection *con);

/* Takes a connection for an object without one. Returns −1 with con->conn.error set if no
 * connection was free in time or if it cannot be used. */
int pool_take(sql_connection *con);
/* Gives the connection of the object back. No results and no transaction may be open. */
void pool_return(sql_connection *con);
/* Returns an object of the calling thread that has a connection, or NULL. */
sql_connection *pool_borrower(void);
/* True with --pool-scope=transaction: a connection is given back when no transaction is open. */
bool pool_ends_with_transaction(const struct pool *pool);

/* Call before the prepared statement is executed: sets its handle to the one that the connection
 * has for this text. stmt->prepared is false if the connection has not prepared the text yet.
 * Returns false if there are too many texts: then the statement must be executed as text. */
bool pool_find_statement(sql_statement *stmt);
/* Call after the statement was prepared: its handle belongs to the connection from now on. */
void pool_keep_statement(const sql_statement *stmt);
/* Call before the connection is closed: closes its prepared statements. */
void pool_close_statements(sql_connection *con);

#endif
