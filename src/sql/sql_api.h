/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What scripts do with databases: a part of the boundary between Lua and C, whose text is fed to
 * ffi.cdef (engine/worker_api.h says what that asks of it). sql.h says what the functions do and
 * count.
 */
#ifndef SQL_API_H
#define SQL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls that can fail return -1 or NULL; sql_error_*() then tell why, unless a message was logged.
 * The text of a statement ends with a NUL that its length does not count.
 */
typedef struct sql_driver sql_driver;
typedef struct sql_connection sql_connection;
typedef struct sql_statement sql_statement;
typedef struct sql_param sql_param;

/* NULL name: that of --db-driver. NULL after a logged message. */
sql_driver *sql_driver_open(const char *name);
const char *sql_driver_name(const sql_driver *drv);
/* How many servers the options name, and what to call each of them where there are several. */
uint32_t sql_servers(const sql_driver *drv);
void sql_server_name(const sql_driver *drv, uint32_t server, char *name, size_t bytes);

/* NULL after a logged message. */
sql_connection *sql_connect(sql_driver *drv);
/* To one of the servers, no part of the load. NULL: not now; nothing is logged. */
sql_connection *sql_connect_aside(sql_driver *drv, uint32_t server);
int sql_reconnect(sql_connection *con); /* 0, or -1 after a logged message */
void sql_disconnect(sql_connection *con);
bool sql_connected(const sql_connection *con);
void sql_connection_free(sql_connection *con);

/* 1: there is a result set, 0: there is none, -1: error. */
int sql_query(sql_connection *con, const char *text, size_t length);
bool sql_more_results(sql_connection *con);
int sql_next_result(sql_connection *con); /* 1, 0 or -1 as sql_query() */
/* Rows and columns of the open result set; 0: there is none. */
double sql_rows(const sql_connection *con);
uint32_t sql_fields(const sql_connection *con);
bool sql_fetch(sql_connection *con); /* false: no further row */
/* Field i of the fetched row; NULL: SQL NULL. Not NUL-terminated. */
const char *sql_field(const sql_connection *con, uint32_t i);
uint32_t sql_field_length(const sql_connection *con, uint32_t i);
void sql_free_result(sql_connection *con);

int sql_bulk_init(sql_connection *con, const char *text, size_t length);
/* -2, after a logged message: without sql_bulk_init() before. */
int sql_bulk_next(sql_connection *con, const char *text, size_t length);
int sql_bulk_done(sql_connection *con);

/* `method`: auto, insert or load. Then for each row its fields and sql_load_row(). */
int sql_load_begin(sql_connection *con, const char *table, const char *columns, const char *method);
int sql_load_int(sql_connection *con, double value);
int sql_load_text(sql_connection *con, const char *text, size_t length);
int sql_load_null(sql_connection *con);
int sql_load_row(sql_connection *con);
int sql_load_done(sql_connection *con);

sql_statement *sql_prepare(sql_connection *con, const char *text, size_t length);
int sql_execute(sql_statement *stmt); /* 1, 0 or -1 as sql_query() */
uint32_t sql_parameters(const sql_statement *stmt);
/* At most as many as sql_parameters() says: more are an error of a statement that the server
 * prepares, and left out where it is executed as text. The rest is NULL, and all are that were
 * never bound. Holds the parameters. */
int sql_bind(sql_statement *stmt, sql_param *const *params, uint32_t count);
/* --report-sql: the name under which a statement, or the next sql_query(), is reported. */
void sql_statement_class(sql_statement *stmt, const char *name);
void sql_query_class(sql_connection *con, const char *name);
void sql_close(sql_statement *stmt);
void sql_statement_free(sql_statement *stmt);

sql_param *sql_param_create(int type, uint32_t max_length); /* NULL: unknown type */
void sql_param_free(sql_param *param);
void sql_param_null(sql_param *param);
void sql_param_int(sql_param *param, int64_t value);
void sql_param_double(sql_param *param, double value);
/* False: longer than max_length. */
bool sql_param_text(sql_param *param, const char *text, size_t length);
/* Where its text stands, always, with room for a NUL behind max_length; NULL: it is a number. */
char *sql_param_buffer(sql_param *param);
/* How much of the buffer is text. False: longer than max_length. */
bool sql_param_length(sql_param *param, size_t length);

/* Whether the statement executed last has failed; the others are of the error that there was last.
 */
bool sql_failed(const sql_connection *con);
int sql_error_code(const sql_connection *con);
const char *sql_error_state(const sql_connection *con);
const char *sql_error_message(const sql_connection *con);
const char *sql_error_query(const sql_connection *con);
bool sql_error_ignorable(const sql_connection *con);
/* Whether the error ends the run whatever options and hooks ignore. */
bool sql_error_fatal(const sql_connection *con);
/*
 * The error is ignored: leaves no transaction open, gets a lost connection back (which can take
 * until the end of the run). False: there is no way back, and another error, not to be ignored.
 */
bool sql_error_ignore(sql_connection *con);
/* The error is fatal: logs it with its query. */
void sql_error_log(const sql_connection *con);

#endif
