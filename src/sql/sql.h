/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Database connections, statements and results for workloads. This module implements the functions
 * that Lua scripts call (declared in sql_api.h), executes statements with a driver (driver.h), and
 * counts them.
 *
 * Statements are counted as reads, writes or others: INSERT, UPDATE, DELETE, REPLACE and MERGE are
 * writes, whether or not they changed or returned a row; any other statement that returned a result
 * set is a read; everything else is "other". Failed statements are not counted as any of these.
 */
#ifndef SQL_H
#define SQL_H

#include "drivers/driver.h"
#include "options/options.h"
#include "options/rank.h"
#include "sql/sql_api.h"
#include "stats/stats.h"

/* State shared by all threads: the options and the opened drivers. */
struct sql;

/* Adds the option group "General database options" and a group "NAME options" for each driver.
 * Returns 0, or −1 on failure. */
int sql_add_options(struct options *set);

/* Returns driver number i of those compiled in, or NULL after the last one. */
const struct driver_ops *sql_driver_at(unsigned i);

/* Returns the names of the drivers that were disabled when the program was configured, each with a
 * space before it, or NULL if all drivers are compiled in. */
const char *sql_drivers_left_out(void);

/*
 * For an unknown driver name: returns the name of the driver that the user probably meant, found by
 * similar spelling or by another name of the database ("postgresql"). Returns NULL if no driver
 * is similar.
 */
const char *sql_driver_meant(const char *name);

/* `options` must outlive the returned object. `seed` is the random seed of the run and
 * `all_threads` the number of workers of the whole run, which may use several processes; `threads`
 * is the number of workers in this process. */
struct sql *sql_create(const struct options *options, uint64_t seed, unsigned threads,
                       unsigned all_threads);
/* Sets which part of the connections of --pool-size this process has. Without this call it has
 * all. */
void sql_divide_pool(struct sql *sql, const struct rank *rank);
/* Returns the driver named by --db-driver. If no such driver is compiled in, logs this and returns
 * NULL. */
const struct driver_ops *sql_chosen_driver(const struct sql *sql);
/*
 * Turns on advice for failed connects: the first failure is logged with one line that says what the
 * user can do, and sql_log_connections() stays silent if no connection could be opened. By default
 * failures are logged as sysbench logs them.
 */
void sql_give_advice(struct sql *sql);
/* Makes connections record their statements as steps of slow requests (stats/slow/exemplars.h). To
 * be called before a driver is opened. */
void sql_time_statements(struct sql *sql);
/* True if advice is turned on and the calling thread has failed to open a connection. */
bool sql_thread_was_refused(void);

/*
 * Call before a run. `advice` is one line that is logged once, after the error, when a table turns
 * out to be missing. The string must outlive `sql`. NULL, the default, logs nothing.
 */
void sql_set_prepare_advice(struct sql *sql, const char *advice);
/* Call after the error for a missing table was logged: logs the advice set above, the first time.
 * Returns false if no advice was set. Any thread may call it. */
bool sql_note_missing_table(struct sql *sql);
/* True if the advice about a missing table was logged. */
bool sql_lacks_table(const struct sql *sql);
/* Call after the last connection was freed. */
void sql_destroy(struct sql *sql);

/* Binds the calling thread to `sql`. Statements on its connections are counted in `stats`, or not
 * at all if `stats` is NULL. A thread calls this before any function of sql_api.h. */
void sql_thread_enter(struct sql *sql, struct stats_thread *stats, unsigned thread);

/*
 * Lets the calling thread reconnect after a connection is lost. `until_ns` returns the time
 * (CLOCK_MONOTONIC, nanoseconds) until which the thread may try; it is called before each attempt
 * and during pauses, and a time in the past ends the attempts. Without this call, and again after
 * sql_thread_enter(), lost connections stay lost.
 */
typedef int64_t sql_patience(void *arg);
void sql_thread_be_patient(sql_patience *until_ns, void *arg);

/*
 * Call sql_report_waits() once, before the first connection. It concerns threads that call
 * sql_thread_report_waits(): their connections time out if they are not opened within `connect_ns`
 * (rounded up to seconds), and every `every_ns` a line names the statement that has been waiting
 * longest for the server. Workers of a run do not use this: --thread-init-timeout limits their
 * connects, and their waits are measured.
 */
void sql_report_waits(struct sql *sql, int64_t connect_ns, int64_t every_ns);
void sql_thread_report_waits(void);

/* Call if threads could not be started: logs how many of their connections were opened and the last
 * error of the others, if there was one. */
void sql_log_connections(const struct sql *sql);

/* True if --check-tables is on. */
bool sql_check_tables(const struct sql *sql);

/* Returns the text, perhaps truncated, of a write of this kind that changed no row, or NULL if no
 * such write was executed. */
const char *sql_no_op(const struct sql *sql, enum write_kind kind);

/*
 * Moves a connection to the calling thread. From now on its statements are counted in `stats` of
 * this thread, or not at all if `stats` is NULL. No other thread may use the connection afterwards.
 */
void sql_take_over(sql_connection *con, struct stats_thread *stats);
/* Executes a statement that is not part of the load: it is not counted and its results are
 * discarded. Returns 0, or −1 with the reason in sql_error_message(). */
int sql_query_aside(sql_connection *con, const char *text);
/* Resets the session to the state after a connect, with no database selected; not counted. Returns
 * 0, or −1 with the reason in sql_error_message(). */
int sql_renew(sql_connection *con);
/* The connections that the calling worker has taken from the pool go back (pool/pool.h). */
void sql_pool_give_all(void);
/* Returns true if workers share connections (--pool-size). */
bool sql_has_pool(const struct sql *sql);
/* True if the connection is closed or its last error broke it. */
bool sql_connection_lost(const sql_connection *con);

/* True once any thread has opened a driver, so that the report needs statement counts. */
bool sql_used(const struct sql *sql);

#endif
