/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/run_node.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/arrival.h"
#include "ranks/spool.h"
#include "report/json/report_json_value.h"
#include "result/judgement.h"

struct run_node {
    const struct presenter *presenter;
    const struct settings *settings;
    struct rank_result head; /* only the members that spool_put_head() writes are used */
    struct bytes spool;
};

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

/* Nothing to free: the run destroys the node. */
static void leave(void *self)
{
    (void)self;
}

static struct output output_of(struct run_node *node)
{
    static const struct output_ops ops = {
        .interval = note_interval, .checkpoint = note_checkpoint, .destroy = leave};
    return (struct output){&ops, node};
}

static void *create(void *arg, const struct ranks_context *context)
{
    const struct settings *settings = context->settings;
    (void)arg;
    if (settings->node.count > 1 && context->json == NULL)
        log_text(LOG_WARNING, "--node without --json: 'sysrate merge' will find no report");
    if (settings->node.count == 0 || context->json == NULL)
        return NULL;
    struct run_node *node = xcalloc(1, sizeof(*node));
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    node->settings = settings;
    node->head = (struct rank_result){.host = xstrdup(host), .settings = *settings};
    if (rank_is_alone(&settings->rank))
        node->head.settings.rank = rank_of(0, 1, settings->threads);
    outputs_add(context->outputs, output_of(node));
    node->presenter = context->presenter;
    return node;
}

static void destroy(void *self)
{
    struct run_node *node = self;
    free(node->head.host);
    bytes_fini(&node->spool);
    free(node);
}

static void begin(void *self, int64_t start_ns)
{
    struct run_node *node = self;
    node->head.start_wall_ns = start_ns + clock_wall_ahead_ns();
    node->head.start_asked_ns = node->settings->start_wall_ns;
    if (node->settings->rate > 0)
        node->head.fingerprint = arrival_fingerprint(node->settings);
    spool_put_head(&node->spool, &node->head, NULL);
}

/* Adds the members "node" and "spool" to the report. */
static void add_spool(struct run_node *node, const struct result *result, struct report_json *json)
{
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

static int report(void *self, const struct result *result, struct report_json *json)
{
    struct run_node *node = self;
    const struct judgement judgement = judgement_of(result);
    add_spool(node, result, json);
    return present_result(node->presenter, result, &judgement);
}

const struct ranks_ops node_ops = {
    .create = create, .destroy = destroy, .begin = begin, .report = report};
