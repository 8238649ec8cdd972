/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Global settings of MySQL and MariaDB: SET GLOBAL, which lasts until the server ends. Settings of
 * replicas are in effect only after replication was stopped and started. */
#include <ctype.h>
#include <math.h>
#include <mysqld_error.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/setting_ask.h"

/* Errors of MySQL for settings that cannot change while replication is running; MariaDB's headers
 * lack some of the names. */
#define REPLICATION_MUST_STOP 1198
#define SQL_THREAD_MUST_STOP 3017
#define IO_THREAD_MUST_STOP 3048
#define CHANNEL_MUST_STOP 3081

static enum driver_status read_setting(struct driver_conn *conn, const char *name,
                                       struct server_setting *setting)
{
    char text[SETTING_NAME_BYTES + 80], *cell[2];
    snprintf(text, sizeof(text), "SHOW GLOBAL VARIABLES WHERE Variable_name = '%s'", name);
    const int rows = setting_ask(conn, text, cell, 2);
    snprintf(setting->name, sizeof(setting->name), "%s", name);
    setting->scope = "global";
    setting->kept = cell[1];
    setting->value = cell[1] != NULL ? xstrdup(cell[1]) : NULL;
    free(cell[0]);
    if (rows == 0)
        return driver_fail(conn, ER_UNKNOWN_SYSTEM_VARIABLE, "", false,
                           "the server has no global setting '%s'", name);
    return rows < 0 ? DRIVER_ERROR : DRIVER_OK;
}

/* Returns the number that the text is, with a suffix K, M or G as in option files, or NAN. */
static double number_of(const char *text)
{
    static const char suffixes[] = "kmg";
    char *end;
    double number = strtod(text, &end);
    if (end == text || isalpha((unsigned char)text[0]))
        return NAN;
    const char *suffix = *end != '\0' ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
    if (suffix != NULL && end[1] == '\0')
        return number * pow(1024, (double)(suffix - suffixes + 1));
    return *end == '\0' ? number : NAN;
}

static enum setting_result result_of(const struct driver_conn *conn)
{
    switch (conn->error.code) {
    case ER_INCORRECT_GLOBAL_LOCAL_VAR:
        return SETTING_RESTART;
    case REPLICATION_MUST_STOP:
    case SQL_THREAD_MUST_STOP:
    case IO_THREAD_MUST_STOP:
    case CHANNEL_MUST_STOP:
        return SETTING_REPLICATION;
    default:
        return SETTING_REFUSED;
    }
}

static enum setting_result set_global(struct driver_conn *conn, const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "SET GLOBAL %s = %s", name, value) < 0)
        text = checked_alloc(NULL);
    const enum driver_status status = mysql_text_query(conn, text, strlen(text));
    free(text);
    return status != DRIVER_ERROR ? SETTING_STORED : result_of(conn);
}

/* A number must be written without quotes, unless the setting is a text. */
static enum setting_result store(struct driver_conn *conn, const struct server_setting *setting,
                                 const char *text)
{
    const double number = text != NULL ? number_of(text) : NAN;
    char digits[32], *literal;
    if (!isnan(number)) {
        const bool plain = isdigit((unsigned char)text[strlen(text) - 1]);
        snprintf(digits, sizeof(digits), "%.0f", number);
        enum setting_result result = set_global(conn, setting->name, plain ? text : digits);
        if (result != SETTING_REFUSED || conn->error.code != ER_WRONG_TYPE_FOR_VAR)
            return result;
    }
    literal = text != NULL ? setting_literal(conn, text) : xstrdup("NULL");
    const enum setting_result result = set_global(conn, setting->name, literal);
    free(literal);
    return result;
}

/* Returns 1 or 0 for a name of a switch, −1 for any other text. */
static int switch_of(const char *text)
{
    static const char *const names[][2] = {{"off", "on"}, {"false", "true"}, {"0", "1"}};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (int on = 0; on < 2; on++)
            if (strcasecmp(text, names[i][on]) == 0)
                return on;
    return -1;
}

static bool took(const struct server_setting *now, const char *text)
{
    if (now->value == NULL || text == NULL)
        return now->value == NULL && text == NULL;
    const double is = number_of(now->value), asked = number_of(text);
    return strcasecmp(now->value, text) == 0 ||
           (!isnan(is) && fabs(is - asked) <= 1e-9 * fabs(is)) ||
           (switch_of(text) >= 0 && switch_of(text) == switch_of(now->value));
}

/* Replication. */

static bool is_on(const char *state)
{
    return state != NULL && strcasecmp(state, "No") != 0;
}

/* Returns for example "START SLAVE 'name' IO_THREAD, SQL_THREAD", or NULL if neither is running. */
static char *start_statement(struct driver_conn *conn, MYSQL_RES *result, MYSQL_ROW row)
{
    MYSQL *mysql = ((struct mysql_connection *)conn->handle)->mysql;
    const char *name = mysql_column(result, row, "Connection_name", "Channel_Name");
    const bool io = is_on(mysql_column(result, row, "Slave_IO_Running", "Replica_IO_Running"));
    const bool sql = is_on(mysql_column(result, row, "Slave_SQL_Running", "Replica_SQL_Running"));
    char *quoted = setting_literal(conn, name != NULL ? name : ""), *text = NULL;
    const char *threads = io && sql ? "IO_THREAD, SQL_THREAD" : io ? "IO_THREAD" : "SQL_THREAD";
    int length = 0;
    if ((io || sql) && mysql_is_mariadb(mysql))
        length = asprintf(&text, "START SLAVE %s %s", quoted, threads);
    else if (io || sql)
        length = asprintf(&text, "START %s %s FOR CHANNEL %s",
                          mysql_says_replica(mysql) ? "REPLICA" : "SLAVE", threads, quoted);
    free(quoted);
    return length < 0 ? checked_alloc(NULL) : text;
}

static enum driver_status running(struct driver_conn *conn,
                                  void (*add)(void *arg, const char *start), void *arg)
{
    const struct mysql_connection *c = conn->handle;
    const char *text = mysql_is_mariadb(c->mysql)     ? "SHOW ALL SLAVES STATUS"
                       : mysql_says_replica(c->mysql) ? "SHOW REPLICA STATUS"
                                                      : "SHOW SLAVE STATUS";
    MYSQL_RES *result = NULL;
    if (mysql_query(c->mysql, text) != 0 || (result = mysql_store_result(c->mysql)) == NULL)
        return mysql_fail_connection(conn);
    for (MYSQL_ROW row = mysql_fetch_row(result); row != NULL; row = mysql_fetch_row(result)) {
        char *start = start_statement(conn, result, row);
        if (start != NULL)
            add(arg, start);
        free(start);
    }
    mysql_free_result(result);
    return DRIVER_OK;
}

static enum driver_status replication_start(struct driver_conn *conn, const char *start)
{
    return mysql_text_query(conn, start, strlen(start));
}

static enum driver_status replication_stop(struct driver_conn *conn, const char *start)
{
    char *stop;
    if (asprintf(&stop, "STOP%s", start + strlen("START")) < 0)
        stop = checked_alloc(NULL);
    const enum driver_status status = mysql_text_query(conn, stop, strlen(stop));
    free(stop);
    return status;
}

static bool needs_stop(const char *name)
{
    return strncasecmp(name, "slave_", strlen("slave_")) == 0 ||
           strncasecmp(name, "replica_", strlen("replica_")) == 0;
}

const struct driver_settings mysql_settings = {
    .read = read_setting,
    .store = store,
    .took = took,
    .running = running,
    .replication_start = replication_start,
    .replication_stop = replication_stop,
    .needs_stop = needs_stop,
};
