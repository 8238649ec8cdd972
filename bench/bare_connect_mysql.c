/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects to MySQL or MariaDB with the client library, executes SELECT 1 and closes the
 * connection, again and again, without anything else: the peer of the times to connect that sysrate
 * reports.
 *
 *     bare_connect_mysql HOST PORT USER PASSWORD DATABASE TLS COUNT
 *
 * The loop is in a thread, as in sysrate, because allocating memory takes longer there than in the
 * main thread. TLS is 0 or 1. The timeout is that of sysrate, because it makes the library wait in
 * another way. Prints the median of the times to connect in milliseconds.
 */
#include <mysql.h>
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
    MYSQL *mysql = mysql_init(NULL);
    const unsigned timeout_s = 60;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
    if (atoi(arg[6]) != 0) {
        my_bool enforce = 1;
        mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &enforce);
    }
    if (mysql_real_connect(mysql, arg[1], arg[3], arg[4], arg[5], (unsigned)atoi(arg[2]), NULL,
                           0) == NULL) {
        fprintf(stderr, "%s\n", mysql_error(mysql));
        return -1;
    }
    const double ms = now_ms() - from_ms;
    if (mysql_query(mysql, "SELECT 1") == 0)
        mysql_free_result(mysql_store_result(mysql));
    mysql_close(mysql);
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
    struct loop loop = {.arg = argv, .count = argc == 8 ? atoi(argv[argc - 1]) : 0};
    pthread_t thread;
    if (loop.count < 1) {
        fprintf(stderr, "usage: %s HOST PORT USER PASSWORD DATABASE TLS COUNT\n", argv[0]);
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
