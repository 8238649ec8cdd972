/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team_ops.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "engine/arrival.h"
#include "options/exit_codes.h"
#include "options/settings_load.h"
#include "ranks/spool.h"
#include "ranks/team/team.h"
#include "report/json/report_json.h"
#include "result/ranks.h"

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

/* The end of the run: combines the results of all ranks into one. */

/* Returns the start of the run by CLOCK_REALTIME. */
static int64_t start_wall_ns(const struct team *team)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * NS_PER_SEC + now.tv_nsec - (clock_now_ns() - team->start.start_ns);
}

/* Returns the head of the JSON report, which describes the run. The caller frees it. */
static char *head_text(const struct report_json *json)
{
    char *text;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    report_json_print_line(json, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

/* Encodes this rank's result as a spool. */
static void put_own(struct team *team, const struct result *own, const struct report_json *json,
                    struct bytes *out)
{
    char host[HOST_NAME_MAX + 1] = "?";
    struct rank_result self = {.host = host, .settings = *own->settings};
    gethostname(host, sizeof(host) - 1);
    self.start_wall_ns = start_wall_ns(team);
    if (own->settings->rate > 0)
        self.fingerprint = arrival_fingerprint(own->settings);
    char *document = json != NULL ? head_text(json) : NULL;
    spool_put_head(out, &self, document);
    free(document);
    spool_put_result(out, own);
}

/* Computes the requests of a lost rank from its ticks. Requests that had arrived and had no outcome
 * yet count as unfinished, because their response time is unknown. */
static void count_received(const struct root_rank *from, struct requests *requests)
{
    const struct snapshot *s = &from->received;
    const uint64_t completed = s->counter[COUNTER_EVENT], failed = s->counter[COUNTER_FAILED];
    const uint64_t gone = completed + failed + s->dropped;
    *requests = (struct requests){.offered = s->offered > gone ? s->offered : gone,
                                  .completed = completed,
                                  .failed = failed,
                                  .dropped = s->dropped};
    requests->queued = requests->offered - gone;
    requests->arrivals_ns = max_i64(0, from->received.to_ns - from->received.from_ns);
}

static void restore_lost(const struct team *team, unsigned rank, struct rank_result *out)
{
    struct root_rank *from = &team->root->ranks[rank];
    struct summary *total = &out->result.total;
    const char *host = team->crew->mates[rank].host;
    const int64_t warmup_ns = team->whole->warmup_ns;
    rank_result_init(out);
    out->host = xstrdup(host != NULL ? host : "?");
    out->settings = *team->whole;
    settings_divide(&out->settings, rank, team->crew->world.ranks);
    out->partial = true;
    out->result.ending.why = END_ERROR;
    from->received.from_ns = warmup_ns;
    from->received.to_ns =
        max_i64(warmup_ns, from->until_ns == INT64_MAX ? from->end_ns : from->until_ns);
    snapshot_censor_failed(&from->received);
    snapshot_merge(&total->snapshot, &from->received);
    snapshot_merge(&out->result.part.snapshot, &from->received);
    count_received(from, &total->requests);
    distribution_censor_many(&total->snapshot.metric[METRIC_RESPONSE], 0, total->requests.queued);
    total->elapsed_ns = max_i64(1, from->received.to_ns - warmup_ns);
    out->result.part.requests = total->requests;
    out->result.part.elapsed_ns = total->elapsed_ns;
    rank_result_judge(out);
}

static void restore(const struct team *team, unsigned rank, struct spool *spool)
{
    struct bytes *bytes = &team->root->ranks[rank].result;
    *spool = (struct spool){0};
    if (bytes->count > 0 && spool_read(spool, bytes) == 0)
        return;
    restore_lost(team, rank, &spool->rank);
}

/* Expresses the start of each rank by the clock of rank 0. */
static void align_starts(const struct team *team, struct rank_result *ranks)
{
    for (unsigned r = 1; r < team->crew->world.ranks; r++) {
        const int64_t late_ns = team->root->ranks[r].late_ns;
        ranks[r].start_wall_ns = ranks[0].start_wall_ns + late_ns;
        if (late_ns > 0)
            log_text(LOG_WARNING, "%s began %.3f ms after the common start",
                     crew_name(team->crew, r), ns_to_ms(late_ns));
    }
}

/* Upper bound of the error of the clock offset that was assumed when the run began. */
static int64_t bound_of(const struct crew_mate *mate)
{
    return clock_alignment_ns(&mate->before, &mate->before);
}

static int64_t drift_of(const struct crew_mate *mate)
{
    const struct clock_drift drift = clock_drift_of(&mate->before, &mate->after);
    return max_i64(-drift.least_ns, drift.most_ns);
}

static void compare_clocks(const struct team *team, struct ranks *whole)
{
    int64_t bound_ns = 0, drift_ns = 0;
    for (unsigned r = 1; r < team->crew->world.ranks; r++) {
        const struct crew_mate *mate = &team->crew->mates[r];
        bound_ns = max_i64(bound_ns, bound_of(mate));
        if (mate->after.rounds == 0)
            drift_ns = INT64_MAX;
        else if (drift_ns != INT64_MAX)
            drift_ns = max_i64(drift_ns, drift_of(mate));
    }
    ranks_set_clocks(whole, bound_ns, drift_ns == INT64_MAX ? -1 : drift_ns);
}

/* Returns false and sets errno on failure. A full disk may only show when the file is closed. */
static bool write_whole(const char *path, const struct bytes *bytes)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    const bool written = fwrite(bytes->data, 1, bytes->count, file) == bytes->count;
    const int code = errno;
    if (fclose(file) != 0)
        return false;
    errno = code;
    return written;
}

/* Writes this rank's result to a file next to the report, in case rank 0 cannot include it in the
 * report. */
static void spool_own(struct team *team, const struct bytes *bytes)
{
    const struct settings *s = team->whole;
    const char *report = s->json_path != NULL ? s->json_path : s->html_path;
    char *path;
    if (report == NULL)
        return;
    if (asprintf(&path, "%s.rank%u.spool", report, team->crew->world.rank) < 0)
        checked_alloc(NULL);
    team->crew->leftover = path;
    team->crew->leftover_whole = write_whole(path, bytes);
    if (!team->crew->leftover_whole)
        log_errno(LOG_WARNING, "cannot write %s", path);
}

/* Logs where this rank's result is, if rank 0 cannot receive it. */
static void log_spool_path(const struct team *team)
{
    const bool apart = team->crew->deserted || team->crew->late;
    if (apart && team->crew->leftover != NULL && team->crew->leftover_whole)
        log_text(LOG_ALERT, "the result of this rank is in %s, which sysrate merge can read",
                 team->crew->leftover);
}

/* Adds data that only rank 0 has: probes, and injections. */
static void add_own(struct team *team, const struct result *own, struct result *whole)
{
    whole->injections = own->injections;
    whole->injection_count = own->injection_count;
    reporter_freeze_precision(&team->root->reporter, whole);
    if (interrupt_signal() == 0)
        reporter_freeze_probes(&team->root->reporter, whole);
}

static int present_all(struct team *team, const struct result *own)
{
    const unsigned count = team->crew->world.ranks;
    struct spool *spools = xcalloc(count, sizeof(*spools));
    struct rank_result *ranks = xcalloc(count, sizeof(*ranks));
    struct ranks whole;
    for (unsigned r = 0; r < count; r++) {
        restore(team, r, &spools[r]);
        ranks[r] = spools[r].rank;
        ranks[r].result.settings = &ranks[r].settings;
    }
    align_starts(team, ranks);
    ranks_merge(&whole, ranks, count);
    /* Ranks do not send the rate profile, because all ranks have the same. */
    whole.settings.arrivals.profile = team->whole->arrivals.profile;
    compare_clocks(team, &whole);
    add_own(team, own, &whole.result);
    crew_release_output(team->crew);
    const int code = present_result(&team->root->presenter, &whole.result, &whole.judgement);
    ranks_fini(&whole);
    for (unsigned r = 0; r < count; r++)
        spool_fini(&spools[r]);
    free(ranks);
    free(spools);
    return code;
}

/*
 * Hands over this rank's result. `json` is the report begun at the start of the run, or NULL if no
 * JSON report was requested. Rank 0 merges the results of all ranks, presents the merged result and
 * returns the exit code; for a lost rank it uses the ticks received before the loss. Other ranks
 * return EXIT_WELL, because rank 0 determines the exit code of the run.
 */
static int report(void *self, const struct result *own, struct report_json *json)
{
    struct team *team = self;
    struct bytes bytes = {0};
    put_own(team, own, json, &bytes);
    spool_own(team, &bytes);
    team_hand_over(team, &bytes);
    log_spool_path(team);
    bytes_fini(&bytes);
    return team->root != NULL ? present_all(team, own) : EXIT_WELL;
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
