/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in two processes, the ranks, whose reports are combined by `merge`. Each rank has a queue
 * of its own, which must match the formula for its share of arrivals and workers. Both together
 * must have the arrivals of a run in one process, and the merged report must be that of all
 * requests.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "tools/selftest/selftest_internal.h"

#define RANKS 2
#define THREADS 4
#define RATE 1000
#define SECONDS 8
#define SERVICE "2ms:exp"

/*
 * Time for the processes to get ready: READY_S seconds or, on a slow machine, READY_TIMES as long
 * as the slowest earlier process took, but at most READY_MOST_S seconds.
 */
#define READY_S 3
#define READY_TIMES 10
#define READY_MOST_S 60
/* Longest time for a merge, in seconds. */
#define MERGE_S 60
/* Each rank reads the start time from the wall clock on its own. */
#define APART_LIMIT_NS NS_PER_MS

/* The queue of one rank. */
static const struct queue_model model = {(double)RATE / RANKS, 2e-3, THREADS / RANKS, false};

struct team {
    struct selftest *test;
    struct trial trial[RANKS];
    struct evidence evidence[RANKS];
};

static double wall_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_SEC;
}

static int start(struct team *team)
{
    double ready_s = fmax(READY_S, READY_TIMES * ns_to_seconds(team->test->ready_ns));
    double start_s = wall_clock_s() + fmin(ready_s, READY_MOST_S);
    for (unsigned i = 0; i < RANKS; i++) {
        team->trial[i] = (struct trial){.test = team->test,
                                        .rate = RATE,
                                        .seconds = SECONDS * team->test->scale,
                                        .threads = THREADS,
                                        .rank = i,
                                        .ranks = RANKS,
                                        .start_s = start_s,
                                        .service = SERVICE,
                                        .script = queue_script};
        if (trial_start(&team->trial[i]) != 0) {
            selftest_check(team->test, "the run can be started", 1, 0, 0, 0);
            return -1;
        }
    }
    return 0;
}

/* The lateness of the machine was measured while the first rank ran; the other ranks end at the
 * same time. */
static int finish(struct team *team)
{
    struct evidence *first = &team->evidence[0];
    int result = 0;
    for (unsigned i = 0; i < RANKS; i++) {
        struct evidence *e = &team->evidence[i];
        if (trial_finish(&team->trial[i], e) != 0)
            result = -1;
        e->late90_ns = max_i64(e->late90_ns, first->late90_ns);
        e->late_max_ns = max_i64(e->late_max_ns, first->late_max_ns);
    }
    return result;
}

static void check_ranks(struct team *team)
{
    char name[32];
    for (unsigned i = 0; i < RANKS; i++) {
        snprintf(name, sizeof(name), "M/M/(%d/%d) rank %u", THREADS, RANKS, i);
        team->test->name = name;
        check_evidence(&team->trial[i], &team->evidence[i]);
        check_queue(&team->trial[i], &model, &team->evidence[i]);
    }
}

/* Returns the merged report. Returns NULL after a failed check. */
static json_t *merge(const struct team *team)
{
    struct child *child = child_create();
    json_t *report = NULL;
    if (child == NULL)
        return NULL;
    child_arg(child, "merge");
    for (unsigned i = 0; i < RANKS; i++) {
        char *path = child_path(team->trial[i].child, CHILD_REPORT);
        child_arg(child, "%s", path);
        free(path);
    }
    if (child_start(child) == 0 && child_wait(child, clock_now_ns() + seconds_to_ns(MERGE_S)))
        report = child_report(child);
    child_destroy(child);
    return report;
}

/* Compares all requests with those of a run in one process with the same seed. */
static void check_whole(struct team *team)
{
    struct trial whole = team->trial[0];
    struct evidence e = {.report = merge(team)};
    double apart_ms = 0;
    whole.ranks = 0;
    team->test->name = "M/M/(4/2) merged";
    for (unsigned i = 0; i < RANKS; i++) {
        double after_ns = (double)(team->evidence[i].started_ns - team->evidence[0].started_ns);
        apart_ms = fmax(apart_ms, fabs(after_ns) / NS_PER_MS);
        evidence_add(&e, &team->evidence[i]);
    }
    selftest_check(team->test, "starts of the ranks apart", 0, apart_ms, 0,
                   ns_to_ms(APART_LIMIT_NS));
    if (e.report != NULL)
        check_evidence(&whole, &e);
    else
        selftest_check(team->test, "the reports can be merged", 1, 0, 0, 0);
    evidence_fini(&e);
}

void selftest_ranks(struct selftest *t)
{
    struct team team = {.test = t};
    t->name = "M/M/(4/2)";
    if (start(&team) == 0 && finish(&team) == 0) {
        check_ranks(&team);
        check_whole(&team);
    }
    for (unsigned i = 0; i < RANKS; i++) {
        evidence_fini(&team.evidence[i]);
        trial_fini(&team.trial[i]);
    }
}
