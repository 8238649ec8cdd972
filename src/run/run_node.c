/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_node.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "document/report_json_value.h"
#include "engine/arrival.h"
#include "result/spool.h"

/* What is left of the waiting when run_node_wait() returns: what must be done before the start. */
#define LEAD_NS (20 * NS_PER_MS)
#define CLOCK_READINGS 5

/* How far the wall clock is ahead of the other now: the best of some readings, of which a busy
 * machine may interrupt one. */
static int64_t wall_ahead_ns(void)
{
    int64_t best_ns = INT64_MAX, ahead_ns = 0;
    for (unsigned i = 0; i < CLOCK_READINGS; i++) {
        struct timespec wall;
        const int64_t before_ns = clock_now_ns();
        clock_gettime(CLOCK_REALTIME, &wall);
        const int64_t took_ns = clock_now_ns() - before_ns;
        if (took_ns < best_ns) {
            best_ns = took_ns;
            ahead_ns = (int64_t)wall.tv_sec * NS_PER_SEC + wall.tv_nsec - (before_ns + took_ns / 2);
        }
    }
    return ahead_ns;
}

/* Once the wall clock may have been set: start_ns anew. −1 after a message: that is past by now.
 * Without a change of the clock it is the machine that is late, which the run's own figures say. */
static int look_again(const struct settings *settings, int64_t *start_ns)
{
    const int64_t ahead_ns = wall_ahead_ns(), now_ns = clock_now_ns();
    const int64_t set_ns = *start_ns - (settings->start_wall_ns - ahead_ns);
    *start_ns -= set_ns;
    if (set_ns < LEAD_NS || *start_ns >= now_ns)
        return 0;
    log_text(LOG_FATAL,
             "--start-at: the wall clock was set forward by %.3f s, and that time is past now: "
             "name a later one",
             ns_to_seconds(set_ns));
    return -1;
}

int run_node_wait(const struct settings *settings, int64_t *start_ns)
{
    int64_t now_ns = clock_now_ns();
    *start_ns = now_ns;
    if (settings->start_wall_ns == 0)
        return 0;
    *start_ns = settings->start_wall_ns - wall_ahead_ns();
    if (*start_ns < now_ns) {
        log_text(LOG_FATAL,
                 "--start-at: that was %.3f s before this rank was ready: name a later time",
                 ns_to_seconds(now_ns - *start_ns));
        return -1;
    }
    log_text(LOG_NOTICE, "Waiting for %.3f seconds, until --start-at...\n",
             ns_to_seconds(*start_ns - now_ns));
    /* The wall clock may be set meanwhile, so it is asked again and again. */
    while ((now_ns = clock_now_ns()) < *start_ns - LEAD_NS) {
        if (interrupt_signal() != 0)
            return -1;
        interrupt_wait(min_i64(*start_ns - LEAD_NS, now_ns + NS_PER_SEC));
        if (look_again(settings, start_ns) != 0)
            return -1;
    }
    return 0;
}

struct run_node {
    const struct settings *settings;
    struct rank_result head; /* its head only */
    struct bytes spool;
};

struct run_node *run_node_create(const struct settings *settings, const struct report_json *json)
{
    if (settings->node.count > 1 && json == NULL)
        log_text(LOG_WARNING, "--node without --json leaves nothing for 'sysrate merge'");
    if (settings->node.count == 0 || json == NULL)
        return NULL;
    struct run_node *node = xcalloc(1, sizeof(*node));
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    node->settings = settings;
    node->head = (struct rank_result){.host = xstrdup(host), .settings = *settings};
    if (rank_is_alone(&settings->rank))
        node->head.settings.rank = rank_of(0, 1, settings->threads);
    return node;
}

void run_node_destroy(struct run_node *node)
{
    if (node == NULL)
        return;
    free(node->head.host);
    bytes_fini(&node->spool);
    free(node);
}

static void note_interval(void *self, const struct interval *interval, const json_t *value)
{
    struct run_node *node = self;
    (void)value;
    spool_put_interval(&node->spool, interval);
}

static void note_checkpoint(void *self, const struct summary *part, int64_t at_ns)
{
    struct run_node *node = self;
    spool_put_checkpoint(&node->spool, part, at_ns);
}

/* The run destroys it. */
static void leave(void *self)
{
    (void)self;
}

struct output run_node_output(struct run_node *node)
{
    static const struct output_ops ops = {
        .interval = note_interval, .checkpoint = note_checkpoint, .destroy = leave};
    return (struct output){&ops, node};
}

void run_node_begin(struct run_node *node, int64_t start_ns)
{
    if (node == NULL)
        return;
    node->head.start_wall_ns = start_ns + wall_ahead_ns();
    node->head.start_asked_ns = node->settings->start_wall_ns;
    if (node->settings->rate > 0)
        node->head.fingerprint = arrival_fingerprint(node->settings);
    spool_put_head(&node->spool, &node->head, NULL);
}

void run_node_finish(struct run_node *node, const struct result *result, struct report_json *json)
{
    if (node == NULL)
        return;
    spool_put_result(&node->spool, result);
    const struct rank *rank = &node->head.settings.rank;
    json_t *object = value_object();
    char *text = spool_text(&node->spool);
    char schedule[24];
    snprintf(schedule, sizeof(schedule), "%016" PRIx64, node->head.fingerprint);
    value_set(object, "rank", json_integer(rank->number));
    value_set(object, "ranks", json_integer(rank->count));
    value_set(object, "host", value_text(node->head.host));
    value_set(object, "started_at", value_real(ns_to_seconds(node->head.start_wall_ns)));
    value_set(object, "schedule", node->head.fingerprint != 0 ? value_text(schedule) : json_null());
    report_json_add(json, "node", object);
    report_json_add(json, "spool", value_text(text));
    free(text);
}
