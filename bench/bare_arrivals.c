/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generates the arrivals of a Poisson process with a loop that only reads the clock. The lateness
 * of
 * these arrivals is the scheduling delay that the machine causes for any thread. Usage:
 * bare_arrivals RATE SECONDS. Prints the due time and the actual time of each arrival in
 * nanoseconds.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Draws at most `room` arrival times within the span. Returns the number of times. */
static size_t draw(int64_t *due_ns, size_t room, double rate, double seconds)
{
    double at_s = 0;
    size_t n = 0;
    while (n < room && (at_s -= log((random() + 1.0) / (RAND_MAX + 1.0)) / rate) < seconds)
        due_ns[n++] = (int64_t)(at_s * 1e9);
    return n;
}

int main(int argc, char **argv)
{
    double rate = argc == 3 ? atof(argv[1]) : 0, seconds = argc == 3 ? atof(argv[2]) : 0;
    if (rate <= 0 || seconds <= 0) {
        fprintf(stderr, "usage: %s RATE SECONDS\n", argv[0]);
        return 1;
    }
    size_t room = (size_t)(1.2 * rate * seconds + 1000);
    int64_t *due_ns = calloc(room, sizeof(*due_ns)), *made_ns = calloc(room, sizeof(*made_ns));
    if (due_ns == NULL || made_ns == NULL)
        return 1;
    size_t n = draw(due_ns, room, rate, seconds);
    int64_t start_ns = now_ns();
    for (size_t i = 0; i < n; i++)
        while ((made_ns[i] = now_ns() - start_ns) < due_ns[i])
            ;
    for (size_t i = 0; i < n; i++)
        printf("%" PRId64 " %" PRId64 "\n", due_ns[i], made_ns[i]);
    free(due_ns);
    free(made_ns);
    return 0;
}
