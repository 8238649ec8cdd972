/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal client: a loop that executes one prepared point select with the client library. CPU
 * time that a benchmark tool uses above this is its own overhead. Usage: bare_select_mysql SOCKET
 * TABLE_SIZE EVENTS.
 */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* Fetches all rows of the result set, as benchmark tools do. */
static void fetch(MYSQL_STMT *stmt)
{
    if (mysql_stmt_store_result(stmt) != 0)
        fail("store", mysql_stmt_error(stmt));
    mysql_stmt_free_result(stmt);
}

static MYSQL_STMT *prepare(MYSQL *con)
{
    static const char text[] = "SELECT c FROM sbtest1 WHERE id=?";
    MYSQL_STMT *stmt = mysql_stmt_init(con);
    if (mysql_stmt_prepare(stmt, text, sizeof(text) - 1) != 0)
        fail("prepare", mysql_stmt_error(stmt));
    return stmt;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail(argv[0], "usage: SOCKET TABLE_SIZE EVENTS");
    int rows = atoi(argv[2]);
    unsigned long events = strtoul(argv[3], NULL, 10);
    MYSQL *con = mysql_init(NULL);
    if (mysql_real_connect(con, NULL, "sbtest", "", "sbtest", 0, argv[1], 0) == NULL)
        fail("connect", mysql_error(con));

    MYSQL_STMT *stmt = prepare(con);
    int id;
    MYSQL_BIND bind;
    memset(&bind, 0, sizeof(bind));
    bind.buffer_type = MYSQL_TYPE_LONG;
    bind.buffer = &id;
    mysql_stmt_bind_param(stmt, &bind);
    for (unsigned long i = 0; i < events; i++) {
        id = 1 + (int)(random() % rows);
        if (mysql_stmt_execute(stmt) != 0)
            fail("execute", mysql_stmt_error(stmt));
        fetch(stmt);
    }
    printf("total number of events: %lu\n", events);
    mysql_stmt_close(stmt);
    mysql_close(con);
    return 0;
}
