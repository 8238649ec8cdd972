/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with which Lua scripts use databases. LuaJIT parses the text of this header with
 * ffi.cdef; engine/worker_api.h describes the restrictions that follow. sql.h describes the module
 * and which statements are counted.
 */
#ifndef SQL_API_H
#define SQL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Functions that can fail return -1 or NULL on failure. The error is then available from
 * sql_error_*(), or was logged where the comment says so. Statement texts end with a NUL that is
 * not included in their length.
 */
typedef struct sql_driver sql_driver;
typedef struct sql_connection sql_connection;
typedef struct sql_statement sql_statement;
typedef struct sql_param sql_param;

/* Opens the named driver, or that of --db-driver if `name` is NULL. Logs failures. */
sql_driver *sql_driver_open(const char *name);
const char *sql_driver_name(const sql_driver *drv);
/* The number of servers that the options list. If there are several, sql_server_name() writes the
 * name of one of them (numbers start at 0). */
uint32_t sql_servers(const sql_driver *drv);
void sql_server_name(const sql_driver *drv, uint32_t server, char *name, size_t bytes);

/* If the driver can make sessions read only while they are opened, makes it do this for all connections
 * that sql_connect() opens from now on, and returns true. */
bool sql_driver_be_read_only(sql_driver *drv);

/* Opens a connection that takes part in the load. Logs failures. */
sql_connection *sql_connect(sql_driver *drv);
/* True if --read-hosts lists hosts for reads. */
bool sql_has_read_hosts(const sql_driver *drv);
/* Like sql_connect(), but the connection goes to one of the hosts of --read-hosts, if there are any. */
sql_connection *sql_connect_reader(sql_driver *drv);
/* Opens a connection to the given server that is not part of the load: it is not counted. Returns
 * NULL if the server cannot be reached, without a message. */
sql_connection *sql_connect_aside(sql_driver *drv, uint32_t server);
/* Like sql_connect_aside(), for a host of --read-hosts. */
sql_connection *sql_connect_aside_reader(sql_driver *drv, uint32_t number);
int sql_reconnect(sql_connection *con); /* returns 0, or -1 after it has logged the failure */
void sql_disconnect(sql_connection *con);
bool sql_connected(const sql_connection *con);
void sql_connection_free(sql_connection *con);

/* Executes a statement. Returns 1 if it returned a result set, 0 if it did not, -1 on error. */
int sql_query(sql_connection *con, const char *text, size_t length);
bool sql_more_results(sql_connection *con);
int sql_next_result(sql_connection *con); /* returns the same values as sql_query() */
/* Number of rows and columns of the open result set, 0 if no result set is open. */
double sql_rows(const sql_connection *con);
uint32_t sql_fields(const sql_connection *con);
bool sql_fetch(sql_connection *con); /* returns false after the last row */
/* Text of field i of the fetched row, not NUL-terminated; NULL if the value is SQL NULL. */
const char *sql_field(const sql_connection *con, uint32_t i);
uint32_t sql_field_length(const sql_connection *con, uint32_t i);
void sql_free_result(sql_connection *con);

int sql_bulk_init(sql_connection *con, const char *text, size_t length);
/* Returns -2 after a logged message if sql_bulk_init() was not called before. */
int sql_bulk_next(sql_connection *con, const char *text, size_t length);
int sql_bulk_done(sql_connection *con);

/* Starts loading rows. The last of `columns` may be FUNCTION(name): this function of the database
 * converts the text of the field. `method` is "auto", "insert" or "load", as for --prepare-method. For each
 * row the caller then passes its fields and calls sql_load_row(); sql_load_done() ends the load. */
int sql_load_begin(sql_connection *con, const char *table, const char *columns, const char *method);
int sql_load_int(sql_connection *con, double value);
int sql_load_text(sql_connection *con, const char *text, size_t length);
int sql_load_null(sql_connection *con);
int sql_load_row(sql_connection *con);
int sql_load_done(sql_connection *con);

sql_statement *sql_prepare(sql_connection *con, const char *text, size_t length);
int sql_execute(sql_statement *stmt); /* returns the same values as sql_query() */
uint32_t sql_parameters(const sql_statement *stmt);
/*
 * Binds `count` parameters; the statement keeps a reference to each. Parameters that are not bound
 * are NULL. If `count` exceeds sql_parameters(), a statement that the server prepares fails, and a
 * statement that is executed as text ignores the surplus.
 */
int sql_bind(sql_statement *stmt, sql_param *const *params, uint32_t count);
/* Set the class name under which --report-sql lists a statement, or the next sql_query(). */
void sql_statement_class(sql_statement *stmt, const char *name);
void sql_query_class(sql_connection *con, const char *name);
void sql_close(sql_statement *stmt);
void sql_statement_free(sql_statement *stmt);

sql_param *sql_param_create(int type, uint32_t max_length); /* NULL: unknown type */
void sql_param_free(sql_param *param);
void sql_param_null(sql_param *param);
void sql_param_int(sql_param *param, int64_t value);
void sql_param_double(sql_param *param, double value);
/* Returns false if the text is longer than max_length. */
bool sql_param_text(sql_param *param, const char *text, size_t length);
/* Returns the buffer of a text parameter, max_length + 1 bytes that stay at the same address, or
 * NULL if the parameter is a number. */
char *sql_param_buffer(sql_param *param);
/* Sets how many bytes of the buffer are text. Returns false if `length` exceeds max_length. */
bool sql_param_length(sql_param *param, size_t length);

/*
 * Connections of the calling thread that are opened again from time to time (sql_recycle.h).
 * sql_recycle_count() counts an event that has ended. sql_recycle_due() returns true if a
 * connection has served its events or its time, and sql_recycle_now() opens such connections again;
 * it returns false after it has logged a failure. sql_recycle_in_response() returns true if this is
 * part of the next event.
 */
bool sql_recycle_in_response(void);
void sql_recycle_count(void);
bool sql_recycle_due(void);
bool sql_recycle_now(void);

/*
 * Checks whether a replica returns what the worker has written (replicas/own_writes.h).
 * own_writes_due() counts an event that has ended and returns true if a check is due;
 * own_writes_check() makes the check, which takes up to a second.
 */
bool own_writes_due(void);
void own_writes_check(void);

/* True if the last statement failed. */
bool sql_failed(const sql_connection *con);
/* Details of the connection's last error, which may belong to an earlier statement. */
int sql_error_code(const sql_connection *con);
const char *sql_error_state(const sql_connection *con);
const char *sql_error_message(const sql_connection *con);
const char *sql_error_query(const sql_connection *con);
bool sql_error_ignorable(const sql_connection *con);
/* True if the error must end the run even if options or hooks ignore errors. */
bool sql_error_fatal(const sql_connection *con);
/*
 * Makes the connection usable after an error that is ignored: rolls back an open transaction and
 * reconnects if the connection was lost, which can take until the end of the run. Returns false if
 * the connection cannot be reopened; sql_error_*() then describe an error that must not be ignored.
 */
bool sql_error_ignore(sql_connection *con);
/* Logs the last error and its statement as fatal. */
void sql_error_log(const sql_connection *con);

#endif
