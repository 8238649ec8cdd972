/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections, statements, results: what scripts see of a database (declared in sql_api.h) on top
 * of what a driver does (driver.h), with the counting of statements in between.
 *
 * r/w/o: INSERT, UPDATE, DELETE, REPLACE and MERGE are writes, whether they changed a row or gave
 * one back; another statement that gave a result set is a read; everything else is "other".
 * Statements that failed are not counted.
 */
#ifndef SQL_H
#define SQL_H

#include "drivers/driver.h"
#include "options/options.h"
#include "sql/sql_api.h"
#include "stats/stats.h"

/* What all threads share: the options and the drivers that were opened. */
struct sql;

/* Adds "General database options" and the rows of each driver under "NAME options". */
int sql_add_options(struct options *set);

/* The drivers, for --help and --version: row i, NULL after the last. */
const struct driver_ops *sql_driver_at(unsigned i);

/* " NAME ..." of those that were left out when the program was configured; NULL: none. */
const char *sql_drivers_left_out(void);

/*
 * The driver that somebody may have meant by a name that is none, by its spelling or by what else
 * the database is called; NULL: no idea.
 */
const char *sql_driver_meant(const char *name);

/* `options` must outlive it. `seed` and `all_threads` are those of the run, which may be spread
 * over several processes; this one has `threads` of them. */
struct sql *sql_create(const struct options *options, uint64_t seed, unsigned threads,
                       unsigned all_threads);
/* That of --db-driver; NULL after a logged message: none of that name is compiled in. */
const struct driver_ops *sql_chosen_driver(const struct sql *sql);
/* A first connection that fails is told once, with what to do about it, and not counted where no
 * other was opened. Without this, as sysbench does it. */
void sql_give_advice(struct sql *sql);
/* Whether the calling thread has failed to open a connection, which was told as above. */
bool sql_thread_was_refused(void);

/*
 * Before a run: when a table is missing, `advice`, one line that must outlive `sql`, is told once
 * behind the error. NULL, as without this: nothing is.
 */
void sql_set_prepare_advice(struct sql *sql, const char *advice);
/* A table is missing, which was told: tells the advice, if there is one. Returns whether there is.
 * Any thread. */
bool sql_note_missing_table(struct sql *sql);
/* Whether that was noted, and the user advised. */
bool sql_lacks_table(const struct sql *sql);
/* After the last connection is freed. */
void sql_destroy(struct sql *sql);

/* Binds the calling thread: its connections count on `stats` (NULL: nowhere). Call before the
 * thread uses sql_api.h. */
void sql_thread_enter(struct sql *sql, struct stats_thread *stats, unsigned thread);

/*
 * Until when (CLOCK_MONOTONIC) the calling thread may try to get lost connections back; asked again
 * and again. A time that is past ends it. Without it, as after sql_thread_enter(), a connection
 * that is lost stays lost.
 */
typedef int64_t sql_patience(void *arg);
void sql_thread_be_patient(sql_patience *until_ns, void *arg);

/*
 * Once, before the first connection. Of the threads that call sql_thread_tell_waits() each new
 * connection may take `connect_ns`, in whole seconds, to be opened, and every `every_ns` a line
 * tells what statement is waited for. That is for all but the workers of a run, which
 * --thread-init-timeout ends, and whose waits are measured.
 */
void sql_tell_waits(struct sql *sql, int64_t connect_ns, int64_t every_ns);
void sql_thread_tell_waits(void);

/* When threads could not be started: logs how many of their connections were opened and what the
 * others said, if any. */
void sql_log_connections(const struct sql *sql);

/* Whether --check-tables is on. */
bool sql_check_tables(const struct sql *sql);

/* The text, perhaps cut, of a write of that kind that changed nothing; NULL: there was none. */
const char *sql_no_op(const struct sql *sql, enum write_kind kind);

/*
 * A connection that goes from thread to thread: what it does from now on counts on `stats`, the
 * calling thread's (NULL: nowhere). No other thread uses it any more.
 */
void sql_take_over(sql_connection *con, struct stats_thread *stats);
/* Executes a statement that is no part of the load: it is not counted, and what it gives is given
 * up. −1: sql_error_message() says why. */
int sql_query_aside(sql_connection *con, const char *text);
/* The session begins anew, in no database; nothing of it is counted. −1: as above. */
int sql_renew(sql_connection *con);
/* Whether the last error has lost the connection. */
bool sql_connection_lost(const sql_connection *con);

/* True once any thread has opened a driver: statements are worth reporting then. */
bool sql_used(const struct sql *sql);

#endif
