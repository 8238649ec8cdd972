/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches over the speed of a replayed log. The search itself is the same as that over a rate: the
 * speed is the rate divided by the mean rate of the log. Each probe replays the whole log.
 */
#include <string.h>

#include "base/log.h"
#include "tools/capacity/capacity_internal.h"

#define LOAD_COMMAND "replay-load:"
#define LOAD_FILE "load.json"

/* Options that only one of the two kinds of searches has. */
static const char *const of_rates[] = {"min-rate", "max-rate", "probe-time", "pairs", "launcher"};
static const char *const of_logs[] = {"min-speed", "max-speed"};

static int refuse(const char *name, bool has_log)
{
    log_text(LOG_FATAL,
             has_log ? "capacity: --%s cannot be used with the replay of a log: each probe replays "
                       "the whole log, at a speed from --min-speed to --max-speed"
                     : "capacity: --%s needs the replay of a log: -- replay LOG",
             name);
    return -1;
}

/* A script may have an option of this name. */
static int check_speed(const struct cmdline *cmd)
{
    for (unsigned i = 0; i < cmd->count; i++)
        if (option_name_is(cmd->assignments[i].name, "speed")) {
            log_text(LOG_FATAL, "capacity: --speed cannot be used after '--': the search sets it");
            return -1;
        }
    return 0;
}

int capacity_log_options(struct capacity *c)
{
    const struct options *set = c->subject.options;
    const bool has_log = subject_has_log(&c->subject.cmdline);
    const char *const *others = has_log ? of_rates : of_logs;
    const size_t count = has_log ? ARRAY_SIZE(of_rates) : ARRAY_SIZE(of_logs);
    for (size_t i = 0; i < count; i++)
        if (options_get(set, others[i])->given)
            return refuse(others[i], has_log);
    if (!has_log)
        return 0;
    c->log.min_speed = options_get(set, "min-speed")->number;
    c->log.max_speed = options_get(set, "max-speed")->number;
    if (c->log.min_speed < c->log.max_speed)
        return check_speed(&c->subject.cmdline);
    log_text(LOG_FATAL, "capacity: --min-speed=%.15g must be below --max-speed=%.15g",
             c->log.min_speed, c->log.max_speed);
    return -1;
}

static double number_of(const json_t *load, const char *name)
{
    return json_number_value(json_object_get(load, name));
}

static int take_load(struct capacity *c, const char *text)
{
    json_t *load = json_loads(text, 0, NULL);
    c->log.statements = number_of(load, "statements");
    c->log.span_s = number_of(load, "span_s");
    c->log.rate = number_of(load, "rate_per_s");
    const char *hash = json_string_value(json_object_get(load, "hash"));
    snprintf(c->log.hash, sizeof(c->log.hash), "%s", hash != NULL ? hash : "");
    json_decref(load);
    if (c->log.rate > 0)
        return 0;
    log_text(LOG_FATAL,
             "capacity: the log %s has no rate, because all of its statements have one "
             "time",
             c->subject.cmdline.operand);
    return -1;
}

static int read_load(struct capacity *c)
{
    struct subject *subject = &c->subject;
    struct child *child = child_create();
    if (child == NULL)
        return -1;
    char *path = child_path(child, LOAD_FILE), *command = NULL;
    if (asprintf(&command, LOAD_COMMAND "%s", path) < 0)
        checked_alloc(NULL);
    struct child *reader = subject_child(subject, command);
    int status = reader != NULL && subject_finish(reader) == 0 ? 0 : -1;
    char *text = child_text(child, LOAD_FILE);
    if (status == 0)
        status = take_load(c, text);
    free(text);
    free(command);
    free(path);
    child_destroy(child);
    return status;
}

int capacity_log_read(struct capacity *c)
{
    if (!subject_has_log(&c->subject.cmdline))
        return 0;
    if (read_load(c) != 0)
        return -1;
    struct capacity_goal goal = c->search.goal;
    goal.min_rate = c->log.min_speed * c->log.rate;
    goal.max_rate = c->log.max_speed * c->log.rate;
    goal.pairs = 0;
    capacity_search_fini(&c->search);
    capacity_search_init(&c->search, &goal);
    return 0;
}
