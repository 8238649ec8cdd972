/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that a client can do to search vectors with libpq: executes the prepared search of
 * oltp_vector in a loop and reads the ids that it returns. Usage: bare_search_pgsql SOCKET_FOLDER
 * DIMENSIONS EVENTS.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

#define QUERIES 100

static const char statement[] = "SELECT id FROM vectors1 ORDER BY v <-> $1::vector LIMIT 10";

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* Returns the text of a vector; the process never frees it. */
static char *make_query(int dimensions)
{
    char *text = malloc((size_t)dimensions * 16 + 2), *at = text;
    if (text == NULL)
        fail("malloc", "no memory");
    for (int i = 0; i < dimensions; i++)
        at += sprintf(at, "%c%.4f", i == 0 ? '[' : ',', (double)random() / RAND_MAX * 4 - 2);
    sprintf(at, "]");
    return text;
}

int main(int argc, char **argv)
{
    char *queries[QUERIES];
    long long sum = 0;
    if (argc != 4)
        fail(argv[0], "usage: SOCKET_FOLDER DIMENSIONS EVENTS");
    unsigned long events = strtoul(argv[3], NULL, 10);
    for (int i = 0; i < QUERIES; i++)
        queries[i] = make_query(atoi(argv[2]));
    PGconn *con = PQsetdbLogin(argv[1], NULL, NULL, NULL, "sbtest", "sbtest", NULL);
    if (PQstatus(con) != CONNECTION_OK)
        fail("connect", PQerrorMessage(con));
    PQclear(PQprepare(con, "s", statement, 1, NULL));
    for (unsigned long i = 0; i < events; i++) {
        const char *const values[] = {queries[random() % QUERIES]};
        PGresult *result = PQexecPrepared(con, "s", 1, values, NULL, NULL, 0);
        if (PQresultStatus(result) != PGRES_TUPLES_OK)
            fail("search", PQerrorMessage(con));
        for (int row = 0; row < PQntuples(result); row++)
            sum += atoll(PQgetvalue(result, row, 0));
        PQclear(result);
    }
    printf("total number of events: %lu, sum of ids: %lld\n", events, sum);
    PQfinish(con);
    return 0;
}
