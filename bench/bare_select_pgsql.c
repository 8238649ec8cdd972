/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Like bare_select_mysql.c, but with libpq. Usage: bare_select_pgsql SOCKET_FOLDER TABLE_SIZE
 * EVENTS.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void expect(PGconn *con, PGresult *result, ExecStatusType status)
{
    if (PQresultStatus(result) != status)
        fail("statement", PQerrorMessage(con));
    PQclear(result);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail(argv[0], "usage: SOCKET_FOLDER TABLE_SIZE EVENTS");
    int rows = atoi(argv[2]);
    unsigned long events = strtoul(argv[3], NULL, 10);
    PGconn *con = PQsetdbLogin(argv[1], NULL, NULL, NULL, "sbtest", "sbtest", NULL);
    if (PQstatus(con) != CONNECTION_OK)
        fail("connect", PQerrorMessage(con));

    expect(con, PQprepare(con, "s", "SELECT c FROM sbtest1 WHERE id=$1::int", 1, NULL),
           PGRES_COMMAND_OK);
    for (unsigned long i = 0; i < events; i++) {
        char id[16];
        const char *const values[] = {id};
        snprintf(id, sizeof(id), "%d", 1 + (int)(random() % rows));
        expect(con, PQexecPrepared(con, "s", 1, values, NULL, NULL, 0), PGRES_TUPLES_OK);
    }
    printf("total number of events: %lu\n", events);
    PQfinish(con);
    return 0;
}
