/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of bare_connect_*.c: connects again and again, without anything else, and prints the
 * median of the times to connect in milliseconds. The loop is in a thread, as in sysrate, because
 * allocating memory takes longer there than in the main thread.
 */
#ifndef BARE_CONNECT_H
#define BARE_CONNECT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Connects once with the arguments of the program, executes SELECT 1 and closes the connection.
 * Returns how many milliseconds the connect took, or −1 after printing a message. */
static double connect_once(char **arg);

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

/* The program, whose arguments are named by `usage`; the last one is the number of connects. */
static int bare_connect_main(int argc, char **argv, int wanted, const char *usage)
{
    struct loop loop = {.arg = argv, .count = argc == wanted ? atoi(argv[argc - 1]) : 0};
    pthread_t thread;
    if (loop.count < 1) {
        fprintf(stderr, "usage: %s %s\n", argv[0], usage);
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

#endif
