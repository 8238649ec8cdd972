/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the program as a child process and reads its output. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/sort.h"
#include "tools/selftest/selftest_internal.h"

#define LOG_NAME "requests"
#define DRAIN_S 60
/* Time that a run may take in addition to its length, for start, drain and report, in seconds. */
#define GRACE_S 120
/* Length of the sleeps that measure how late processes wake up. */
#define NAP_NS (2 * NS_PER_MS)

int trial_start(struct trial *trial)
{
    struct child *child = interrupt_signal() == 0 ? child_create() : NULL;
    trial->child = child;
    if (child == NULL)
        return -1;
    char *log = child_path(child, LOG_NAME);
    child_arg(child, "--db-driver=null");
    if (trial->service != NULL)
        child_arg(child, "--null-service=%s", trial->service);
    child_arg(child, "--tx-rate=%.17g", trial->rate);
    child_arg(child, "--threads=%u", trial->threads);
    child_arg(child, "--time=%.9f", trial->seconds);
    child_arg(child, "--drain=%d", DRAIN_S);
    child_arg(child, "--percentile=1,10,25,50,75,90,95,99,99.9,100");
    if (trial->ranks > 0) {
        child_arg(child, "--node=%u/%u", trial->rank, trial->ranks);
        child_arg(child, "--start-at=@%.9f", trial->start_s);
    }
    child_arg(child, "--rand-seed=%lld", (long long)trial->test->seed);
    child_arg(child, "--request-log=%s", log);
    child_arg(child, "-");
    child_arg(child, "run");
    child_input(child, trial->script);
    free(log);
    trial->launched_ns = clock_now_ns();
    return child_start(child);
}

void trial_fini(struct trial *trial)
{
    child_destroy(trial->child);
    trial->child = NULL;
}

/* Sleeps for short times until the child has ended or is overdue, or a signal has come. Records how
 * late the sleeps ended. */
static bool wait_with_yardstick(struct child *child, double seconds, struct evidence *e)
{
    size_t room = 1024, n = 0;
    int64_t *late_ns = xcalloc(room, sizeof(*late_ns));
    int64_t deadline_ns = clock_now_ns() + seconds_to_ns(seconds), nap_ns;
    bool ended = false;
    while (!ended && clock_now_ns() < deadline_ns && interrupt_signal() == 0) {
        nap_ns = clock_now_ns() + NAP_NS;
        ended = child_wait(child, nap_ns);
        if (n == room)
            late_ns = xrealloc(late_ns, (room *= 2) * sizeof(*late_ns));
        if (!ended)
            late_ns[n++] = clock_now_ns() - nap_ns;
    }
    sort_i64(late_ns, n);
    e->late90_ns = n > 0 ? nearest_rank(late_ns, n, 90 * PERCENT) : 0;
    e->late_max_ns = n > 0 ? late_ns[n - 1] : 0;
    free(late_ns);
    return ended;
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct logged_request *x = a, *y = b;
    if (x->arrival_ns == y->arrival_ns)
        return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    return x->arrival_ns > y->arrival_ns ? 1 : -1;
}

static bool read_line(FILE *file, struct logged_request *r)
{
    return fscanf(file, "%" SCNd64 "%" SCNd64 "%" SCNd64 "%u\n", &r->arrival_ns, &r->start_ns,
                  &r->end_ns, &r->thread) == 4;
}

static void read_requests(struct evidence *e, FILE *file)
{
    struct logged_request r = {0};
    size_t room = 0;
    while (read_line(file, &r)) {
        const struct logged_request *last = e->count > 0 ? &e->request[e->count - 1] : NULL;
        r.turn = last != NULL && last->thread == r.thread ? last->turn + 1 : 0;
        if (e->count == room)
            e->request = xrealloc(e->request, (room = room > 0 ? 2 * room : 4096) * sizeof(r));
        e->request[e->count++] = r;
    }
}

/* Reads the request log. Returns −1 if it is missing or incomplete. */
static int read_log(struct evidence *e, const struct child *child)
{
    char *path = child_path(child, LOG_NAME);
    FILE *file = fopen(path, "re");
    free(path);
    if (file == NULL)
        return -1;
    int got = fscanf(file, "# started_ns %" SCNd64 "\n", &e->started_ns);
    read_requests(e, file);
    bool whole = got == 1 && feof(file);
    fclose(file);
    qsort(e->request, e->count, sizeof(*e->request), compare_arrivals);
    return whole && e->count > 0 ? 0 : -1;
}

static void tell_why(const struct child *child)
{
    char *text = child_text(child, "stderr");
    fprintf(stderr, "%s", text);
    free(text);
}

static void note_beginning(const struct trial *trial, const struct evidence *e)
{
    if (trial->ranks == 0)
        trial->test->ready_ns = max_i64(trial->test->ready_ns, e->started_ns - trial->launched_ns);
}

int trial_finish(struct trial *trial, struct evidence *e)
{
    *e = (struct evidence){0};
    if (!wait_with_yardstick(trial->child, trial->seconds + GRACE_S, e)) {
        selftest_check(trial->test, "seconds that the run takes", trial->seconds,
                       trial->seconds + GRACE_S, 0, 0);
        return -1;
    }
    if (interrupt_signal() != 0)
        return -1;
    int code = child_exit_code(trial->child);
    e->report = child_report(trial->child);
    if (code == 0 && e->report != NULL && read_log(e, trial->child) == 0) {
        note_beginning(trial, e);
        return 0;
    }
    selftest_check(trial->test, "exit code of the run", 0, code, 0, 0);
    selftest_check(trial->test, "report and request log are there", 1, 0, 0, 0);
    tell_why(trial->child);
    return -1;
}

void evidence_fini(struct evidence *e)
{
    json_decref(e->report);
    free(e->request);
}

void evidence_add(struct evidence *whole, const struct evidence *part)
{
    size_t count = whole->count + part->count;
    whole->request = xrealloc(whole->request, count * sizeof(*whole->request));
    memcpy(whole->request + whole->count, part->request, part->count * sizeof(*part->request));
    whole->count = count;
    qsort(whole->request, count, sizeof(*whole->request), compare_arrivals);
}

double evidence_response_ms(const struct evidence *e, const char *figure)
{
    json_t *response = json_object_get(json_object_get(e->report, "summary"), "response_ms");
    json_t *value = json_object_get(response, figure);
    json_t *percentile = json_object_get(json_object_get(response, "percentiles"), figure);
    return json_number_value(value != NULL ? value : json_object_get(percentile, "value"));
}

int64_t nearest_rank(const int64_t *sorted, size_t n, int64_t percentile)
{
    size_t rank = (size_t)(((unsigned __int128)n * (uint64_t)percentile + 100 * PERCENT - 1) /
                           (100 * PERCENT));
    return sorted[rank > 0 ? rank - 1 : 0];
}
