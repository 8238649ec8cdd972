/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/merge/merge_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"

/* Options that may differ between the ranks of one run: destinations of results, observers,
 * and the number of the rank. */
static bool is_own(const char *key)
{
    static const char *const keys[] = {
        "node",  "start_at",  "json",      "html",         "csv",           "hlog",
        "hgrm",  "prom",      "prom_file", "report",       "report_format", "color",
        "live",  "verbosity", "debug",     "request_log",  "archive",       "config_file",
        "label", "tag",       "inject",    "server_stats", "replica",       "slo_abort",
    };
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Compares values. Numbers are compared as numbers, because programs that rewrite JSON may turn 2.0
 * into 2. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

/*
 * Returns the name of a setting that differs, or NULL. The seed is compared if `with_seed` is true.
 */
static const char *different_key(const json_t *a, const json_t *b, bool with_seed)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value)
    {
        if (is_own(key) || (!with_seed && strcmp(key, "rand_seed") == 0))
            continue;
        if (!is_same(value, json_object_get(b, key)))
            return key;
    }
    return NULL;
}

/* Logs the values of the setting in both files, as JSON. */
static int refuse_setting(const struct merge_input *a, const struct merge_input *b, const char *key)
{
    const size_t flags = JSON_ENCODE_ANY | REPORT_JSON_FLAGS;
    char *one = json_dumps(json_object_get(json_object_get(a->head, "config"), key), flags);
    char *other = json_dumps(json_object_get(json_object_get(b->head, "config"), key), flags);
    log_text(LOG_FATAL, "'%s' and '%s' are not of one run: %s is %s in one and %s in the other",
             a->path, b->path, key, one != NULL ? one : "not there",
             other != NULL ? other : "not there");
    free(one);
    free(other);
    return -1;
}

static int check_texts(const struct merge_input *a, const struct merge_input *b)
{
    static const struct {
        const char *path, *name;
    } text[] = {{"tool/version", "the version of sysrate"}, {"test", "the test"}};
    for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
        const char *one = merge_input_text(a, text[i].path);
        const char *other = merge_input_text(b, text[i].path);
        if (strcmp(one, other) == 0)
            continue;
        log_text(LOG_FATAL,
                 "'%s' and '%s' are not of one run: %s is '%s' in one and '%s' in the "
                 "other",
                 a->path, b->path, text[i].name, one, other);
        return -1;
    }
    return 0;
}

static int check_settings(const struct merge_input *a, const struct merge_input *b, bool with_seed)
{
    const json_t *one = json_object_get(a->head, "config");
    const json_t *other = json_object_get(b->head, "config");
    if (check_texts(a, b) != 0)
        return -1;
    const char *key = different_key(one, other, with_seed);
    if (key == NULL)
        key = different_key(other, one, with_seed);
    return key == NULL ? 0 : refuse_setting(a, b, key);
}

/* Checks of the ranks of one run. */

/* Start times are wall clock times of two machines, whose clocks may differ. Starts further apart
 * than the length of the run plus this tolerance cannot belong to one run. */
#define STRAY_NS (60 * NS_PER_SEC)

static int check_starts(const struct merge_input *a, const struct merge_input *b)
{
    const struct rank_result *r = &a->spool.rank, *s = &b->spool.rank;
    const int64_t apart_ns = llabs(r->start_wall_ns - s->start_wall_ns);
    if (r->start_asked_ns != s->start_asked_ns)
        log_text(LOG_FATAL, "'%s' and '%s' are not of one run: --start-at is another time", a->path,
                 b->path);
    else if (apart_ns > r->result.total.snapshot.to_ns + STRAY_NS)
        log_text(LOG_FATAL,
                 "'%s' and '%s' are not of one run: they began %.0f s apart, by their own clocks",
                 a->path, b->path, ns_to_seconds(apart_ns));
    else
        return 0;
    return -1;
}

static int check_rank(const struct merge_input *a, const struct merge_input *b)
{
    const struct rank_result *r = &a->spool.rank, *s = &b->spool.rank;
    const struct rank *one = &r->settings.rank, *other = &s->settings.rank;
    if (one->count != other->count)
        log_text(LOG_FATAL, "'%s' is of a run with %u ranks, '%s' of one with %u", a->path,
                 one->count, b->path, other->count);
    else if (r->settings.rand.seed != s->settings.rand.seed)
        log_text(LOG_FATAL,
                 "'%s' and '%s' are not of one run: the seed is %" PRIu64 " in one and %" PRIu64
                 " in the other",
                 a->path, b->path, r->settings.rand.seed, s->settings.rand.seed);
    else if (r->fingerprint != s->fingerprint)
        log_text(LOG_FATAL, "'%s' and '%s' are not of one run: their schedules differ", a->path,
                 b->path);
    else if (one->number == other->number)
        log_text(LOG_FATAL, "'%s' and '%s' are both rank %u", a->path, b->path, one->number);
    else
        return check_starts(a, b);
    return -1;
}

static int by_rank(const void *a, const void *b)
{
    const struct merge_input *one = a, *other = b;
    const unsigned n = one->spool.rank.settings.rank.number;
    const unsigned m = other->spool.rank.settings.rank.number;
    return n < m ? -1 : n > m;
}

int merge_check_ranks(struct merge_input *inputs, size_t count)
{
    qsort(inputs, count, sizeof(*inputs), by_rank);
    for (size_t i = 1; i < count; i++)
        if (check_settings(&inputs[i - 1], &inputs[i], true) != 0 ||
            check_rank(&inputs[i - 1], &inputs[i]) != 0)
            return -1;
    return 0;
}

/* Checks of repeats of a run. */

static bool is_same_run(const struct merge_input *a, const struct merge_input *b)
{
    return a->spool.rank.settings.rand.seed == b->spool.rank.settings.rand.seed &&
           strcmp(merge_input_text(a, "started"), merge_input_text(b, "started")) == 0;
}

int merge_check_repeats(struct merge_input *inputs, size_t count, bool unlike)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_run(&inputs[i], &inputs[k])) {
                log_text(LOG_FATAL, "'%s' and '%s' are the same run", inputs[k].path,
                         inputs[i].path);
                return -1;
            }
    for (size_t i = 1; i < count && !unlike; i++)
        if (check_settings(&inputs[0], &inputs[i], false) != 0) {
            log_text(LOG_FATAL, "the runs have different settings; use --unlike to add them up "
                                "nevertheless");
            return -1;
        }
    return 0;
}
