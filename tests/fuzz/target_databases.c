/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets that send arbitrary answers of a server to the drivers for MySQL and PostgreSQL and to
 * the
 * SQL layer above them. They do not aim at the client libraries, which have tests of their own.
 *
 * The first line of an input has a letter for each step of the client:
 *
 *     q, u, c   a query with all its rows; an update; a query whose rows are only counted
 *     n         the next result, with all its rows
 *     p, x, r   prepare; execute, with all rows; execute with parameters of other types
 *     k         close the statement
 *     i         ignore the last error
 *     w, s      read the server's counters; read its settings (each with a connection of its own)
 *     a, l      ask which ways of loading the server supports; load rows
 *     o         connect again
 *     z         cancel, with a connection of its own
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fake_protocols.h"
#include "fuzz.h"
#include "sql/sql_internal.h"
#include "sql/sql_watch.h"

static void begin_mysql(void);
static void begin_pgsql(void);
static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_mysql = {.name = "mysql", .begin = begin_mysql, .run = run};
const struct fuzz_target fuzz_pgsql = {.name = "pgsql", .begin = begin_pgsql, .run = run};

#define STEPS 40
#define ROWS_MAX 1000

/* The server is shared, because only one target runs at a time. */
static struct fake_server server;
static struct options *options;
static struct sql *sql;
static sql_driver *driver;

struct client {
    sql_connection *con;
    sql_statement *stmt;
    volatile unsigned sum; /* sum of all bytes that were read, so that each is really read */
};

static void end(void)
{
    if (sql != NULL)
        sql_destroy(sql);
    if (options != NULL)
        options_destroy(options);
}

static void set_option(const char *name, const char *value)
{
    FUZZ_CHECK(options_set(options, name, value) == 0);
}

/* Sets the options of the driver and initialises it. */
static void open_driver(const char *name)
{
    set_option("db-driver", name);
    set_option("report-sql", "on");
    set_option("server-config", "on");
    sql = sql_create(options, 1, 1, 1);
    sql_thread_enter(sql, NULL, 0);
    driver = sql_driver_open(NULL);
    FUZZ_CHECK(driver != NULL);
}

static void make_options(void)
{
    static bool registered;
    end();
    if (!registered)
        atexit(end);
    registered = true;
    options = options_create();
    FUZZ_CHECK(sql_add_options(options) == 0);
}

static void begin_mysql(void)
{
    make_options();
    fake_server_init(&server, "socket", fake_mysql);
    set_option("mysql-socket", server.path);
    set_option("mysql-password", "secret");
    set_option("mysql-ignore-errors", "all");
    open_driver("mysql");
}

static void begin_pgsql(void)
{
    make_options();
    fake_server_init(&server, ".s.PGSQL.5432", fake_pgsql);
    set_option("pgsql-host", server.folder);
    set_option("pgsql-password", "secret");
    set_option("pgsql-sslmode", "disable");
    set_option("pgsql-ignore-errors", "all");
    open_driver("pgsql");
}

static void read_bytes(struct client *c, const char *text, size_t length)
{
    for (size_t i = 0; text != NULL && i < length; i++)
        c->sum += (unsigned char)text[i];
}

static void read_rows(struct client *c)
{
    for (unsigned row = 0; row < ROWS_MAX && sql_fetch(c->con); row++)
        for (uint32_t i = 0; i < sql_fields(c->con) + 1; i++)
            read_bytes(c, sql_field(c->con, i), sql_field_length(c->con, i));
}

/* Checks that an error has a text. */
static void check_error(const struct sql_failure *error)
{
    FUZZ_CHECK(error->message[0] != '\0' || error->code != 0 || error->state[0] != '\0');
}

static void take(struct client *c, int status)
{
    if (status == DRIVER_ROWS)
        read_rows(c);
    if (status == DRIVER_ERROR) {
        check_error(&c->con->conn.error);
        sql_error_log(c->con);
    }
}

static void query(struct client *c, const char *text)
{
    take(c, sql_query(c->con, text, strlen(text)));
}

static void prepare(struct client *c)
{
    static const char text[] = "SELECT a FROM t WHERE b = ? AND c = ?";
    if (c->stmt == NULL)
        c->stmt = sql_prepare(c->con, text, strlen(text));
}

static void bind(struct client *c, bool others)
{
    sql_param *params[2] = {sql_param_create(others ? SQL_TYPE_VARCHAR : SQL_TYPE_INT, 8),
                            sql_param_create(others ? SQL_TYPE_DOUBLE : SQL_TYPE_BIGINT, 0)};
    if (others)
        sql_param_text(params[0], "a'b", 3);
    else
        sql_param_int(params[0], 7);
    sql_bind(c->stmt, params, 2);
    for (unsigned i = 0; i < 2; i++)
        sql_param_free(params[i]);
}

static void execute(struct client *c, bool others)
{
    prepare(c);
    if (c->stmt == NULL)
        return;
    bind(c, others);
    take(c, sql_execute(c->stmt));
}

static void close_statement(struct client *c)
{
    if (c->stmt != NULL)
        sql_statement_free(c->stmt);
    c->stmt = NULL;
}

static void count_rows(struct client *c)
{
    struct driver_conn *conn = &c->con->conn;
    static const char text[] = "SELECT a FROM t";
    if (!c->con->open)
        return;
    sql_free_result(c->con);
    conn->count_only = true;
    conn->ops->query(conn, text, strlen(text));
    conn->count_only = false;
    sql_free_result(c->con);
}

static void watch(void)
{
    struct driver_conn conn = {.ops = driver->ops,
                               .shared = driver->shared,
                               .connect_timeout_s = 5,
                               .answer_timeout_s = 10};
    double value[PROBE_VALUES];
    for (unsigned i = 0; i < PROBE_VALUES; i++)
        value[i] = NAN;
    if (conn.ops->connect(&conn) == DRIVER_ERROR)
        return;
    for (unsigned i = 0; i < 2; i++)
        if (conn.ops->watch->read(&conn, value) == DRIVER_ERROR)
            check_error(&conn.error);
    conn.ops->disconnect(&conn);
    rowset_fini(&conn.rows);
}

static void read_setting(void *arg, const char *name, const char *value)
{
    read_bytes(arg, name, strlen(name));
    read_bytes(arg, value, strlen(value));
}

static void load(struct client *c)
{
    if (sql_load_begin(c->con, "t", "a, b", "load") != 0)
        return;
    for (unsigned i = 0; i < 3; i++)
        if (sql_load_int(c->con, i) != 0 || sql_load_text(c->con, "a\tb", 3) != 0 ||
            sql_load_row(c->con) != 0)
            break;
    sql_load_done(c->con);
}

static void step(struct client *c, char letter)
{
    struct driver_conn *conn = &c->con->conn;
    switch (letter) {
    case 'q':
        query(c, "SELECT a FROM t");
        break;
    case 'u':
        query(c, "UPDATE t SET a = 1");
        break;
    case 'c':
        count_rows(c);
        break;
    case 'n':
        take(c, sql_next_result(c->con));
        break;
    case 'p':
        prepare(c);
        break;
    case 'x':
    case 'r':
        execute(c, letter == 'r');
        break;
    case 'k':
        close_statement(c);
        break;
    case 'i':
        if (sql_failed(c->con) && sql_error_ignorable(c->con))
            sql_error_ignore(c->con);
        break;
    case 'w':
        watch();
        break;
    case 's':
        sql_watch_settings(sql, read_setting, c);
        break;
    case 'a':
        sql_free_result(c->con);
        if (c->con->open)
            conn->ops->ask_limits(conn);
        break;
    case 'l':
        load(c);
        break;
    case 'o':
        sql_reconnect(c->con);
        break;
    case 'z':
        if (c->con->open)
            conn->ops->cancel(conn);
        break;
    }
}

static void run(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), *rest = text;
    const char *steps = fuzz_line(&rest);
    if (steps != NULL && rest != NULL) {
        fake_server_start(&server, rest);
        struct client c = {.con = sql_connect(driver)};
        for (unsigned i = 0; c.con != NULL && i < STEPS && steps[i] != '\0'; i++)
            step(&c, steps[i]);
        close_statement(&c);
        sql_connection_free(c.con);
        fake_server_stop(&server);
    }
    free(text);
}
