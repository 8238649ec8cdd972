/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/replay_compare.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "base/util.h"
#include "stats/distribution.h"
#include "workloads/replay/sql_scan.h"

/* Number of classes; statements of further classes are counted in the last one. */
#define CLASSES (REMARKS_COMPARISONS - 1)
/* Largest number of different errors in the notes. */
#define ERRORS 5

struct class
{
    char name[48];
    struct distribution logged, now;
};

struct replay_compare {
    pthread_mutex_t lock;
    struct class class[CLASSES];
    unsigned classes;
    struct class all;
    uint64_t statements, failed, failed_in_log, new_errors, gone_errors, not_executed;
    int64_t most_lag_ns, most_lag_at_ns, last_lag_ns, last_due_ns;
    uint64_t waited;
    int64_t waited_most_ns;
    double waited_ns;
    uint64_t connections;
    int64_t connect_most_ns;
    char error[ERRORS][REMARKS_NOTE_BYTES];
    unsigned errors;
};

static void class_init(struct class *class, const char *name)
{
    snprintf(class->name, sizeof(class->name), "%s", name);
    distribution_init(&class->logged);
    distribution_init(&class->now);
}

static void class_fini(struct class *class)
{
    distribution_fini(&class->logged);
    distribution_fini(&class->now);
}

struct replay_compare *replay_compare_create(void)
{
    struct replay_compare *c = xcalloc(1, sizeof(*c));
    pthread_mutex_init(&c->lock, NULL);
    class_init(&c->all, "all");
    return c;
}

void replay_compare_destroy(struct replay_compare *c)
{
    if (c == NULL)
        return;
    for (unsigned i = 0; i < c->classes; i++)
        class_fini(&c->class[i]);
    class_fini(&c->all);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct class *class_named(struct replay_compare *c, const char *name)
{
    for (unsigned i = 0; i < c->classes; i++)
        if (strcmp(c->class[i].name, name) == 0)
            return &c->class[i];
    if (c->classes == CLASSES)
        return &c->class[CLASSES - 1];
    class_init(&c->class[c->classes], c -> classes + 1 < CLASSES ? name : "other");
    return &c->class[c->classes++];
}

static void add_times(struct class *class, const struct replay_outcome *o)
{
    distribution_record(&class->logged, o->logged_ns);
    distribution_record(&class->now, o->took_ns);
}

static void add_errors(struct replay_compare *c, const struct replay_outcome *o)
{
    c->statements++;
    c->failed += o->failed;
    c->failed_in_log += o->failed_in_log;
    const bool both = o->failed && o->answered && o->failed_in_log;
    c->new_errors += o->failed && !both;
    c->gone_errors += o->failed_in_log && !both;
    c->not_executed += !o->executed;
}

static void add_lag(struct replay_compare *c, const struct replay_outcome *o)
{
    const int64_t lag_ns = max_i64(0, o->begun_ns - o->due_ns);
    if (lag_ns > c->most_lag_ns) {
        c->most_lag_ns = lag_ns;
        c->most_lag_at_ns = o->due_ns;
    }
    if (o->due_ns >= c->last_due_ns) {
        c->last_due_ns = o->due_ns;
        c->last_lag_ns = lag_ns;
    }
    c->waited += o->waited_ns > 0;
    c->waited_ns += (double)o->waited_ns;
    c->waited_most_ns = max_i64(c->waited_most_ns, o->waited_ns);
}

void replay_compare_add(struct replay_compare *c, const struct replay_outcome *o)
{
    pthread_mutex_lock(&c->lock);
    add_errors(c, o);
    add_lag(c, o);
    /* Durations are comparable only if the statement succeeded in both cases or failed in both. */
    if (o->logged_ns >= 0 && o->answered && o->failed == o->failed_in_log) {
        add_times(class_named(c, o->class_name), o);
        add_times(&c->all, o);
    }
    pthread_mutex_unlock(&c->lock);
}

void replay_compare_connected(struct replay_compare *c, int64_t ns)
{
    pthread_mutex_lock(&c->lock);
    c->connections++;
    c->connect_most_ns = max_i64(c->connect_most_ns, ns);
    pthread_mutex_unlock(&c->lock);
}

void replay_compare_error(struct replay_compare *c, const char *statement, const char *message)
{
    char line[100];
    sql_scan_line(line, sizeof(line), statement);
    pthread_mutex_lock(&c->lock);
    if (c->errors < ERRORS)
        snprintf(c->error[c->errors++], sizeof(c->error[0]), "%.110s (%s)", message, line);
    pthread_mutex_unlock(&c->lock);
}

void replay_note(struct remarks *remarks, const char *fmt, ...)
{
    if (remarks->notes == REMARKS_NOTES)
        return;
    char *to = remarks->note[remarks->notes++];
    va_list args;
    va_start(args, fmt);
    vsnprintf(to, REMARKS_NOTE_BYTES, fmt, args);
    va_end(args);
}

static void note_schedule(const struct replay_compare *c, struct remarks *r)
{
    replay_note(r, "behind schedule: at most %.3f s (statement due at %.3f s); %.3f s at the end",
                ns_to_seconds(c->most_lag_ns), ns_to_seconds(c->most_lag_at_ns),
                ns_to_seconds(c->last_lag_ns));
    if (c->waited > 0)
        replay_note(r,
                    "of that, waits for the previous statement of the same session: %" PRIu64
                    " statements, %.3f ms on average, %.3f ms at most",
                    c->waited, c->waited_ns / (double)c->waited / 1e6, ns_to_ms(c->waited_most_ns));
    if (c->connections > 0)
        replay_note(r,
                    "statements that waited until their connection was open: %" PRIu64
                    ", %.3f ms at most",
                    c->connections, ns_to_ms(c->connect_most_ns));
}

static void note_errors(const struct replay_compare *c, struct remarks *r)
{
    replay_note(r,
                "errors: %" PRIu64 "; in the log: %" PRIu64 "; not in the log: %" PRIu64
                "; only in the log: %" PRIu64,
                c->failed, c->failed_in_log, c->new_errors, c->gone_errors);
    if (c->not_executed > 0)
        replay_note(r,
                    "of these, not executed: %" PRIu64
                    " statements, whose session had no connection, was not read only or not in its "
                    "database",
                    c->not_executed);
    for (unsigned i = 0; i < c->errors; i++)
        replay_note(r, "not in the log: %.220s", c->error[i]);
}

static double percentile_ms(const struct distribution *d, int64_t percent)
{
    return ns_to_ms(distribution_percentile(d, percent * PERCENT).ns);
}

static struct remark_times times_of(const struct distribution *d)
{
    return (struct remark_times){.mean = distribution_mean_ns(d) / 1e6,
                                 .p50 = percentile_ms(d, 50),
                                 .p95 = percentile_ms(d, 95),
                                 .p99 = percentile_ms(d, 99),
                                 .max = ns_to_ms(distribution_max(d).ns)};
}

static void compare(struct remarks *r, const struct class *class)
{
    struct remark_comparison *to = &r->comparison[r->comparisons++];
    *to = (struct remark_comparison){.count = class->now.count,
                                     .before = times_of(&class->logged),
                                     .now = times_of(&class->now)};
    snprintf(to->name, sizeof(to->name), "%s", class->name);
}

void replay_compare_remarks(struct replay_compare *c, struct remarks *r)
{
    note_schedule(c, r);
    note_errors(c, r);
    if (c->all.now.count == 0)
        return;
    snprintf(r->comparisons_title, sizeof(r->comparisons_title),
             "Durations of statements, replayed and logged (ms, without waiting):");
    for (unsigned i = 0; i < c->classes; i++)
        compare(r, &c->class[i]);
    if (c->classes > 1)
        compare(r, &c->all);
}
