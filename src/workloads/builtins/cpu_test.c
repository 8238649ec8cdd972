/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test `cpu`: an event searches all primes up to a limit by trial division with 64-bit numbers.
 */
#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/tests.h"

struct cpu {
    int64_t max_prime;
    bool validate;
    uint64_t expected; /* --validate: correct number of primes */
};

static int configure(void *test, const struct options *options, struct settings *settings);
static int begin(void *test);
static void print_mode(const void *test, FILE *out);
static int event(struct builtin_thread *thread);
static void summary_figures(void *test, FILE *out, const struct summary *summary);

static const struct option_spec rows[] = {
    {.name = "cpu-max-prime",
     .type = OPTION_INT,
     .fallback = "10000",
     .help = "upper limit for primes generator",
     .min = 1,
     .max = UINT32_MAX,
     .field = offsetof(struct cpu, max_prime)},
};

const struct builtin_ops cpu_test = {
    .name = "cpu",
    .description = "CPU performance test",
    .rows = rows,
    .row_count = ARRAY_SIZE(rows),
    .test_bytes = sizeof(struct cpu),
    .configure = configure,
    .begin = begin,
    .print_mode = print_mode,
    .event = event,
    .summary_figures = summary_figures,
};

static int configure(void *test, const struct options *options, struct settings *settings)
{
    (void)options;
    struct cpu *cpu = test;
    cpu->validate = settings->validate;
    return 0;
}

/* Counts odd primes up to `max` with the sieve of Eratosthenes, an algorithm independent of the
 * events. */
static uint64_t count_by_sieve(uint64_t max)
{
    uint8_t *composite = xcalloc(1, max / 2 + 1); /* element i is for the number 2i + 1 */
    uint64_t count = 0;
    for (uint64_t n = 3; n <= max; n += 2) {
        if (composite[n / 2])
            continue;
        count++;
        for (uint64_t multiple = n * n; multiple <= max; multiple += 2 * n)
            composite[multiple / 2] = 1;
    }
    free(composite);
    return count;
}

static int begin(void *test)
{
    struct cpu *cpu = test;
    if (cpu->validate)
        cpu->expected = count_by_sieve((uint64_t)cpu->max_prime);
    return 0;
}

static void print_mode(const void *test, FILE *out)
{
    const struct cpu *cpu = test;
    fprintf(out, "Prime numbers limit: %" PRId64 "\n\n", cpu->max_prime);
}

/* Tries all numbers from 3 on, including even ones, with all divisors from 2 on: this is the same
 * amount of work as in sysbench. */
static uint64_t count_by_division(uint64_t max)
{
    uint64_t count = 0;
    for (uint64_t n = 3; n <= max; n++) {
        const uint64_t root = (uint64_t)sqrt((double)n);
        uint64_t divisor = 2;
        while (divisor <= root && n % divisor != 0)
            divisor++;
        count += divisor > root;
    }
    return count;
}

static int event(struct builtin_thread *thread)
{
    const struct cpu *cpu = thread->test;
    uint64_t count = count_by_division((uint64_t)cpu->max_prime);
    __asm__ volatile(""
                     :
                     : "r"(count)); /* keeps the compiler from removing the unused calculation */
    if (!cpu->validate || count == cpu->expected)
        return 0;
    log_text(LOG_FATAL,
             "cpu: found %" PRIu64 " odd primes up to %" PRId64 ", but there are %" PRIu64, count,
             cpu->max_prime, cpu->expected);
    return -1;
}

static void summary_figures(void *test, FILE *out, const struct summary *summary)
{
    (void)test;
    double seconds = ns_to_seconds(summary->elapsed_ns);
    fprintf(out, "CPU speed:\n    events per second: %8.2f\n",
            (double)summary->snapshot.counter[COUNTER_EVENT] / seconds);
}
