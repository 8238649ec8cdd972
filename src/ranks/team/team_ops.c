/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team_ops.h"

#include "ranks/team/team.h"
#include "ranks/team/team_end.h"

static void *create(void *arg, const struct ranks_context *context)
{
    struct crew *crew = arg;
    struct root *root = NULL;
    if (crew_leads(crew)) {
        root = xcalloc(1, sizeof(*root));
        root_init(root, crew, context->presenter);
    }
    return team_create(crew, context->whole, context->reporter, root);
}

static void destroy(void *self)
{
    struct team *team = self;
    if (team->root != NULL)
        root_fini(team->root);
    free(team->root);
    team_destroy(team);
}

static void watch(void *self, struct probes *probes)
{
    struct team *team = self;
    team->root->reporter.probes = probes;
}

static int64_t start(void *self)
{
    return team_start(self);
}

static void step(void *self, struct gauges (*gauges)(void *arg), void *arg, int64_t end_ns)
{
    team_step(self, gauges, arg, end_ns);
}

static int64_t next_ns(const void *self)
{
    return team_next_ns(self);
}

static enum end end(const void *self)
{
    return team_end(self);
}

static void ended(void *self, enum end why)
{
    team_ended(self, why);
}

static void last_tick(void *self, struct gauges gauges, int64_t end_ns)
{
    team_last_tick(self, gauges, end_ns);
}

static int report(void *self, const struct result *result, struct report_json *json)
{
    return team_report(self, result, json);
}

const struct ranks_ops team_ops = {
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .start = start,
    .step = step,
    .next_ns = next_ns,
    .end = end,
    .ended = ended,
    .last_tick = last_tick,
    .report = report,
};
