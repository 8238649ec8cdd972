/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/settings_load.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "options/checkpoints.h"
#include "options/percentiles.h"
#include "options/settings_rows.h"
#include "options/start_at.h"

#define MAX_INJECTIONS 100
#define SLOWEST_BY_DEFAULT 10

static void load_rand(struct settings *settings, const struct options *set)
{
    int64_t seed = options_int(set, "rand-seed");
    settings->rand.type = (enum rand_type)options_choice(set, "rand-type");
    settings->seed_given = seed != 0;
    settings->rand.seed = settings->seed_given ? (uint64_t)seed : (uint64_t)clock_seed(INT64_MAX);
    settings->rand.threads = (unsigned)settings->threads;
}

/*
 * Loads --report=auto|full|brief|…: the first three choices are all LAYOUT_FULL, or a part of it.
 */
static void load_layout(struct settings *settings, unsigned choice)
{
    enum { AUTO, FULL, BRIEF };
    settings->layout_asked = choice != AUTO;
    settings->brief = choice == BRIEF;
    settings->layout = choice > BRIEF ? (enum report_layout)(choice - BRIEF) : LAYOUT_FULL;
}

/* With formats other than text, standard output has nothing but that format. */
static void load_report_format(struct settings *settings, const struct options *set)
{
    settings->report_format = (enum report_format_kind)options_choice(set, "report-format");
    load_layout(settings, options_choice(set, "report"));
    settings->color = (enum color)options_choice(set, "color");
    if (settings->report_format != REPORT_FORMAT_TEXT)
        settings->verbosity = min_i64(settings->verbosity, LOG_WARNING);
    log_set_verbosity((enum log_level)settings->verbosity);
}

void settings_warn(const struct settings *settings)
{
    const struct {
        const char *name;
        bool asked;
        const char *what;
    } output[] = {{"csv", settings->csv_path != NULL, "write"},
                  {"hlog", settings->hlog_path != NULL, "write"},
                  {"html", settings->html_path != NULL, "draw over time"},
                  {"report-format=csv", settings->report_format == REPORT_FORMAT_CSV, "write"}};
    for (size_t i = 0; i < ARRAY_SIZE(output); i++)
        if (output[i].asked && settings->report_interval_ns == 0)
            log_text(LOG_WARNING, "--%s has nothing to %s without --report-interval",
                     output[i].name, output[i].what);
}

static int check_storms(const struct settings *settings)
{
    for (unsigned i = 0; i < settings->inject.count; i++) {
        const struct inject_action *action = &settings->inject.actions[i];
        if (action->kind != INJECT_STORM || action->count <= (uint64_t)settings->idle_connections)
            continue;
        log_text(LOG_FATAL,
                 "--connection-storm: %s are more than there are (--idle-connections=%lld)",
                 action->shown, (long long)settings->idle_connections);
        return -1;
    }
    return 0;
}

/* Returns the options that the plan comes from. */
static const char *options_of(const struct inject_plan *plan)
{
    unsigned storms = 0;
    for (unsigned i = 0; i < plan->count; i++)
        storms += plan->actions[i].kind == INJECT_STORM;
    return storms == 0             ? "--inject"
           : storms == plan->count ? "--connection-storm"
                                   : "--inject and --connection-storm";
}

static int load_injections(struct settings *settings, const struct options *set)
{
    const struct inject_plan *plan = &settings->inject;
    const int64_t end_ns = settings->warmup_ns + settings->time_ns;
    inject_plan_load(&settings->inject, options_get(set, "inject")->list);
    inject_plan_add_storms(&settings->inject, options_get(set, "connection-storm")->list);
    if (check_storms(settings) != 0)
        return -1;
    if (plan->count > MAX_INJECTIONS) {
        log_text(LOG_FATAL, "%s: given %u times (allowed: up to %d times)", options_of(plan),
                 plan->count, MAX_INJECTIONS);
        return -1;
    }
    if (plan->count == 0 || settings->time_ns == 0 || plan->actions[plan->count - 1].at_ns < end_ns)
        return 0;
    const struct inject_action *last = &plan->actions[plan->count - 1];
    log_text(LOG_FATAL,
             "--%s: %g s is not before the end of the run, at %g s (--time, --warmup-time)",
             last->kind == INJECT_STORM ? "connection-storm" : "inject",
             ns_to_seconds(last->at_ns), ns_to_seconds(end_ns));
    return -1;
}

static void load_log(struct settings *settings, const struct options *set)
{
    if (settings->debug)
        settings->verbosity = LOG_DEBUG;
    load_report_format(settings, set);
}

/* Loads lists and choices, which rows cannot store in fields. */
static void load_values(struct settings *settings, const struct options *set)
{
    load_rand(settings, set);
    settings->queue_full = (enum queue_full)options_choice(set, "queue-full");
    settings->rank_lost = (enum rank_lost)options_choice(set, "rank-lost");
    settings->checkpoints = (unsigned)checkpoints_load(
        settings->checkpoint_ns, options_get(set, "report-checkpoints")->list);
    settings->percentiles = (unsigned)percentiles_parse(options_string(set, "percentile"),
                                                        settings->percentile, MAX_PERCENTILES);
    slo_parse(&settings->slo, options_string(set, "slo"));
    until_parse(&settings->until, options_string(set, "until"));
}

static void load_slowest(struct settings *settings, const struct options *set)
{
    if (!options_get(set, "slowest")->given)
        settings->slowest = settings->wait_events > 0 ? SLOWEST_BY_DEFAULT : 0;
}

static int check_objectives(const struct settings *settings)
{
    for (unsigned i = 0; i < settings->slo.count && settings->staleness_ns == 0; i++)
        if (settings->slo.objective[i].of_staleness) {
            log_text(LOG_FATAL, "--slo: '%s' needs --staleness", settings->slo.objective[i].text);
            return -1;
        }
    return 0;
}

static int check_report(const struct settings *settings)
{
    if (settings->slo_abort_ns >= 0 && settings->slo.count == 0)
        log_text(LOG_WARNING, "--slo-abort has no effect without objectives (--slo)");
    if (settings->histogram && settings->percentiles == 0) {
        log_text(LOG_FATAL, "--histogram cannot be used with --percentile=0");
        return -1;
    }
    if (settings->layout_asked && settings->report_format != REPORT_FORMAT_TEXT) {
        log_text(LOG_FATAL,
                 "--report cannot be used with --report-format=%s, which prints no report",
                 settings->report_format == REPORT_FORMAT_JSON ? "json" : "csv");
        return -1;
    }
    if (settings->checkpoints > 0 && settings->checkpoint_ns[0] <= settings->warmup_ns) {
        log_text(LOG_FATAL, "--report-checkpoints: %g s is in the warm-up, which ends at %g s",
                 ns_to_seconds(settings->checkpoint_ns[0]), ns_to_seconds(settings->warmup_ns));
        return -1;
    }
    return 0;
}

static int load_arrivals(struct settings *settings, const struct options *set)
{
    int64_t end_ns = settings->time_ns > 0 ? settings->warmup_ns + settings->time_ns : 0;
    if (arrival_plan_load(&settings->arrivals, set) != 0)
        return -1;
    settings->rate = arrival_plan_mean_rate(&settings->arrivals, end_ns);
    settings->rate_changes = !rate_profile_is_constant(&settings->arrivals.profile);
    return 0;
}

static int check_until(const struct settings *settings)
{
    if (settings->until.count == 0 || (settings->time_ns > 0 && !settings->rate_changes))
        return 0;
    log_text(LOG_FATAL, settings->time_ns == 0
                            ? "--until needs the longest time that the run may take (--time)"
                            : "--until needs a rate that does not change: response times at "
                              "different rates have no common figure");
    return -1;
}

static int load_pacing(struct settings *settings, const struct options *set)
{
    session_plan_fini(&settings->sessions);
    if (session_plan_load(&settings->sessions, set) != 0)
        return -1;
    settings->terminals = options_choice(set, "pacing") != 0 || settings->sessions.on;
    if (!settings->terminals || settings->rate == 0)
        return 0;
    log_text(LOG_FATAL, "%s and an arrival rate (--tx-rate) exclude each other",
             settings->sessions.on ? "--session-rate" : "--pacing=terminals");
    return -1;
}

/* Loads --node and --start-at. Each rank draws the schedule of the whole run, so all need the
 * same seed. */
static int load_node(struct settings *settings, const struct options *set)
{
    const char *node = options_string(set, "node"), *start = options_string(set, "start-at");
    if (start != NULL && start_at_read(start, &settings->start_wall_ns) != 0)
        return -1;
    if (node == NULL)
        return 0;
    rank_parse(&settings->node, node);
    if (settings->seed_given)
        return 0;
    log_text(LOG_FATAL, "--node needs a seed, the same for all ranks (--rand-seed)");
    return -1;
}

int settings_divide(struct settings *settings, unsigned number, unsigned count)
{
    if (count <= 1)
        return 0;
    if (settings->until.count > 0) {
        log_text(LOG_FATAL, "--until cannot be used with several ranks (--node, mpirun)");
        return -1;
    }
    if (settings->threads < count) {
        log_text(LOG_FATAL,
                 "%" PRId64 " worker(s) cannot be divided among %u ranks, each of which needs one: "
                 "give more --threads",
                 settings->threads, count);
        return -1;
    }
    /* The first rank makes the injections and has the idle connections. */
    if (number > 0) {
        inject_plan_fini(&settings->inject);
        settings->idle_connections = 0;
    }
    settings->rank = rank_of(number, count, settings->threads);
    settings->threads = rank_threads(&settings->rank);
    settings->queue_size = max_i64(1, rank_weighted_part(&settings->rank, settings->queue_size));
    settings->rate *= rank_share(&settings->rank);
    settings->arrivals.elsewhere = 1 - rank_share(&settings->rank);
    return 0;
}

static bool is_shared(const char *command)
{
    return command != NULL && (strcmp(command, "run") == 0 || strcmp(command, "prepare") == 0);
}

int settings_take_part(struct settings *settings, const char *command)
{
    if (!is_shared(command))
        return 0;
    return settings_divide(settings, settings->node.number, settings->node.count);
}

bool settings_leave_command(const struct settings *settings, const char *command)
{
    return settings->node.number > 0 && !is_shared(command) && strcmp(command, "help") != 0;
}

/* Warns of options that have an effect only together with another one, which was not given. */
static void check_companions(const struct options *set)
{
    static const struct {
        const char *name, *needed;
    } pair[] = {{"timeout-action", "timeout"},
                {"retry-on", "retry"},
                {"connect-rate", "idle-connections"},
                {"idle-touch", "idle-connections"},
                {"pool-scope", "pool-size"},
                {"pool-timeout", "pool-size"}};
    for (size_t i = 0; i < ARRAY_SIZE(pair); i++) {
        if (options_find(set, pair[i].name) == NULL) /* in unit tests without this option */
            continue;
        if (options_get(set, pair[i].name)->given && !options_get(set, pair[i].needed)->given)
            log_text(LOG_WARNING, "--%s has no effect without --%s", pair[i].name, pair[i].needed);
    }
}

int settings_load(struct settings *settings, const struct options *set)
{
    *settings = (struct settings){0};
    settings_store(settings, set);
    load_log(settings, set);
    load_values(settings, set);
    load_slowest(settings, set);
    client_policy_load(&settings->policy, set);
    check_companions(set);
    if (check_objectives(settings) != 0 || check_report(settings) != 0 ||
        load_arrivals(settings, set) != 0 ||
        check_until(settings) != 0 || load_injections(settings, set) != 0 ||
        load_node(settings, set) != 0)
        return -1;
    return load_pacing(settings, set);
}

int settings_take_rate(struct settings *settings, struct options *set, double rate)
{
    char text[64];
    snprintf(text, sizeof(text), "%.12g", rate);
    if (!rank_is_alone(&settings->rank)) {
        log_text(LOG_FATAL,
                 "a rate set by the script works for one process only: give --tx-rate=%s", text);
        return -1;
    }
    arrival_plan_fini(&settings->arrivals);
    if (options_set(set, "rate", text) != 0 || load_arrivals(settings, set) != 0)
        return -1;
    return load_pacing(settings, set);
}

void settings_fini(struct settings *settings)
{
    inject_plan_fini(&settings->inject);
    arrival_plan_fini(&settings->arrivals);
    session_plan_fini(&settings->sessions);
}
