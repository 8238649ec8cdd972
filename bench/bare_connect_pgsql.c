/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects to PostgreSQL with libpq, executes SELECT 1 and closes the connection, again and again,
 * without anything else: the peer of the times to connect that sysrate reports.
 *
 *     bare_connect_pgsql "host=/tmp port=5432 user=sbtest password=secret dbname=sbtest
 * sslmode=disable" COUNT
 *
 * The loop is in a thread, as in sysrate, because allocating memory takes longer there than in the
 * main thread. Prints the median of the times to connect in milliseconds.
 */
#include <libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Connects once and returns how many milliseconds this took, or −1 on failure. */
static double connect_once(char **arg)
{
    const double from_ms = now_ms();
    PGconn *pg = PQconnectdb(arg[1]);
    const double ms = now_ms() - from_ms;
    if (PQstatus(pg) != CONNECTION_OK) {
        fprintf(stderr, "%s", PQerrorMessage(pg));
        return -1;
    }
    PQclear(PQexec(pg, "SELECT 1"));
    PQfinish(pg);
    return ms;
}

struct loop {
    char **arg;
    int count, failed;
    double *ms; /* time of each connect */
};

static void *connect_all(void *arg)
{
    struct loop *loop = arg;
    for (int i = 0; i < loop->count && !loop->failed; i++)
        loop->failed = (loop->ms[i] = connect_once(loop->arg)) < 0;
    return NULL;
}

int main(int argc, char **argv)
{
    struct loop loop = {.arg = argv, .count = argc == 3 ? atoi(argv[argc - 1]) : 0};
    pthread_t thread;
    if (loop.count < 1) {
        fprintf(stderr, "usage: %s CONNINFO COUNT\n", argv[0]);
        return 1;
    }
    loop.ms = calloc((size_t)loop.count, sizeof(*loop.ms));
    if (loop.ms == NULL || pthread_create(&thread, NULL, connect_all, &loop) != 0)
        return 1;
    pthread_join(thread, NULL);
    if (loop.failed)
        return 1;
    qsort(loop.ms, (size_t)loop.count, sizeof(*loop.ms), compare);
    printf("%.4f\n", loop.ms[loop.count / 2]);
    free(loop.ms);
    return 0;
}
