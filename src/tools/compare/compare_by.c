/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_by.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/option_value.h"
#include "report/json/report_json.h"
#include "tools/compare/compare_print.h"
#include "tools/report_paths.h"

/* Functions that read the runs. */

/* Returns NULL if the run has no such option. */
static const json_t *find_option(const struct compare_run *run, const char *name)
{
    const char *key;
    json_t *value;
    /* Reports have the rate under this name. */
    if (option_name_is(name, "tx-rate"))
        name = "rate";
    json_object_foreach(json_object_get(run->document.head, "config"), key, value)
    {
        if (option_name_is(key, name))
            return value;
    }
    return NULL;
}

/* A list of one value, as that of an option that may be repeated, is printed as the value. */
static void print_value(FILE *out, const char *name, const json_t *value)
{
    fprintf(out, "%s%s=", ftell(out) > 0 ? " " : "", name);
    if (json_is_array(value) && json_array_size(value) == 1)
        value = json_array_get(value, 0);
    if (json_is_string(value)) {
        fputs(json_string_value(value), out);
        return;
    }
    char *text = checked_alloc(json_dumps(value, JSON_ENCODE_ANY | REPORT_JSON_FLAGS));
    fputs(text, out);
    free(text);
}

/* Returns NULL after one logged line if the run lacks an option; the caller frees the text. */
static char *key_of(const struct compare_run *run, const char *options)
{
    char *key = NULL, *names = xstrdup(options), *rest = names, *name;
    const json_t *value = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&key, &bytes));
    while ((name = strsep(&rest, ",")) != NULL && (value = find_option(run, name)) != NULL)
        print_value(out, name, value);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    if (value == NULL) {
        log_text(LOG_FATAL, "--by=%s: '%s' has no option '%s' among its settings", options,
                 run->path, name != NULL ? name : "");
        free(key);
        key = NULL;
    }
    free(names);
    return key;
}

/* Takes ownership of the key. */
static struct by_group *group_of(struct compare_by *by, char *key)
{
    for (size_t i = 0; i < by->groups; i++)
        if (strcmp(by->group[i].key, key) == 0) {
            free(key);
            return &by->group[i];
        }
    by->group = xrealloc(by->group, (by->groups + 1) * sizeof(*by->group));
    struct by_group *group = &by->group[by->groups++];
    *group = (struct by_group){.key = key, .side = {.path = key}};
    return group;
}

static int add_report(struct compare_by *by, const char *path)
{
    struct compare_run run;
    int status = compare_run_load(&run, xstrdup(path));
    char *key = status == 0 ? key_of(&run, by->options) : NULL;
    if (key != NULL)
        return compare_side_take(&group_of(by, key)->side, &run);
    free((char *)run.path);
    compare_run_fini(&run);
    return -1;
}

static int check_groups(const struct compare_by *by, const char *folder)
{
    if (by->groups >= 2)
        return 0;
    if (by->groups == 0)
        log_text(LOG_FATAL, "cannot use '%s': it has no reports (*.json)", folder);
    else
        log_text(LOG_FATAL, "--by=%s: all reports in '%s' have %s, so there is nothing to compare",
                 by->options, folder, by->group[0].key);
    return -1;
}

int compare_by_load(struct compare_by *by, const char *folder)
{
    struct report_paths paths = {0};
    int status = report_paths_add(&paths, folder);
    for (size_t i = 0; i < paths.count && status == 0; i++)
        status = add_report(by, paths.path[i]);
    report_paths_fini(&paths);
    return status == 0 ? check_groups(by, folder) : -1;
}

/* Functions that compare. */

static bool is_higher_better(const struct compare_by *by)
{
    return strcmp(by->figure, "throughput") == 0;
}

static bool has_rate(const struct compare_by *by)
{
    return by->group[0].side.run[0].completed_share > 0;
}

/* Stores the mean of the figure, a geometric mean as in comparisons if possible. Returns −1 after
 * one logged line if a run lacks the figure. */
static int find_center(const struct compare_by *by, struct by_group *group)
{
    const double n = (double)group->side.runs;
    double sum = 0, logs = 0;
    for (size_t i = 0; i < group->side.runs; i++) {
        const struct compare_run *run = &group->side.run[i];
        const struct compare_figure *figure = compare_run_figure(run, by->figure);
        if (figure == NULL) {
            log_text(LOG_FATAL,
                     "--figure=%s: '%s' has no such figure; use figures of a comparison, and "
                     "percentiles of --percentile",
                     by->figure, run->path);
            return -1;
        }
        sum += figure->value;
        logs += log(figure->value);
    }
    group->center = isfinite(logs) ? exp(logs / n) : sum / n;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const struct by_group *x = a, *y = b;
    return (x->center > y->center) - (x->center < y->center);
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

/* Compares a group with the best one. The groups keep their runs, so only the comparison is
 * freed. */
static void compare_with_best(const struct compare_by *by, struct by_group *group)
{
    const double pairs = (double)(by->groups * (by->groups - 1)) / 2;
    struct compare c = {.a = by->group[0].side,
                        .b = group->side,
                        .min_change = by->min_change,
                        .max_noise = by->max_noise,
                        .figure = by->figure,
                        .chance = COMPARE_CHANCE / pairs};
    compare_figures(&c);
    group->change = c.comparison[0];
    free(c.comparison);
}

int compare_by_judge(struct compare_by *by)
{
    if (by->figure == NULL)
        by->figure = has_rate(by) ? "mean" : "throughput";
    for (size_t i = 0; i < by->groups; i++)
        if (find_center(by, &by->group[i]) != 0)
            return -1;
    qsort(by->group, by->groups, sizeof(*by->group), is_higher_better(by) ? descending : ascending);
    for (size_t i = 1; i < by->groups; i++)
        compare_with_best(by, &by->group[i]);
    return 0;
}

enum compare_result compare_by_result(const struct compare_by *by)
{
    enum compare_result result = COMPARE_SAME;
    for (size_t i = 1; i < by->groups; i++) {
        enum compare_result one = by->group[i].change.result;
        if (one == COMPARE_DIFFERENT)
            return one;
        result = one == COMPARE_UNKNOWN ? one : result;
    }
    return result;
}

/* Functions that print. */

static const char *unit_of(const struct compare_by *by)
{
    return compare_run_figure(&by->group[0].side.run[0], by->figure)->unit;
}

/* Number of settings that may be as good as the first one. */
static size_t count_alike(const struct compare_by *by)
{
    size_t alike = 0;
    for (size_t i = 1; i < by->groups; i++)
        alike += by->group[i].change.result != COMPARE_DIFFERENT;
    return alike;
}

/* Names the rank of the first setting. It is the best one only if all others differ from it. */
static const char *first_rank(const struct compare_by *by)
{
    if (count_alike(by) == 0)
        return "best";
    return is_higher_better(by) ? "highest" : "lowest";
}

static void print_group(FILE *out, const struct compare_by *by, size_t i, int width)
{
    const struct by_group *group = &by->group[i];
    const bool is_bound = i > 0 ? group->change.b_is_bound : by->group[1].change.a_is_bound;
    char interval[64] = "", change[32] = "", center[32];
    snprintf(center, sizeof(center), "%s%.2f", is_bound ? ">" : "", group->center);
    if (i > 0) {
        compare_interval_text(&group->change, interval, sizeof(interval));
        snprintf(change, sizeof(change), "%+.2f %%", compare_change_percent(&group->change));
    }
    fprintf(out, "%-*s %5zu %13s %10s %22s  %s", width, group->key, group->side.runs, center,
            change, interval, i > 0 ? compare_result_name(group->change.result) : first_rank(by));
    const char *reason = i > 0 ? compare_reason(&group->change) : NULL;
    fprintf(out, "%s%s", reason != NULL ? ": " : "", reason != NULL ? reason : "");
    compare_print_verdicts(out, &group->side);
    fputs("\n", out);
}

/* Names the best, or the first and the settings that may be as good. */
static void print_best(FILE *out, const struct compare_by *by)
{
    const struct by_group *first = &by->group[0], *next = &by->group[1];
    char interval[64];
    if (count_alike(by) == 0) {
        fprintf(out, "Best: %s, %s %.2f %s; the next, %s, is at %+.2f %% (%s)\n", first->key,
                by->figure, first->center, unit_of(by), next->key,
                compare_change_percent(&next->change),
                compare_interval_text(&next->change, interval, sizeof(interval)));
        return;
    }
    fprintf(out, "Best: not proven. %s has the %s %s, %.2f %s, but as good may be: ", first->key,
            first_rank(by), by->figure, first->center, unit_of(by));
    for (size_t i = 1, n = 0; i < by->groups; i++)
        if (by->group[i].change.result != COMPARE_DIFFERENT)
            fprintf(out, "%s%s", n++ > 0 ? ", " : "", by->group[i].key);
    fputs("\n", out);
    if (compare_by_result(by) == COMPARE_UNKNOWN)
        fputs("More rounds (sweep --repeat) or longer runs make the intervals narrower.\n", out);
}

void compare_by_print(FILE *out, const struct compare_by *by)
{
    char title[64];
    int width = 8;
    for (size_t i = 0; i < by->groups; i++)
        width = (int)fmax(width, (double)strlen(by->group[i].key));
    snprintf(title, sizeof(title), "%.40s (%s)", by->figure, unit_of(by));
    fprintf(out, "%-*s %5s %13s %10s %22s\n", width, "", "runs", title, "- first", "interval");
    for (size_t i = 0; i < by->groups; i++)
        print_group(out, by, i, width);
    fprintf(out,
            "\nInterval: where the true change from the first is. In %g %% of comparisons, chance "
            "makes one of\nall pairs of settings wrong. Different: the interval excludes 0, and "
            "the change "
            "exceeds %g %%.\n",
            100 * COMPARE_CHANCE, by->min_change);
    print_best(out, by);
}

void compare_by_fini(struct compare_by *by)
{
    for (size_t i = 0; i < by->groups; i++) {
        compare_side_fini(&by->group[i].side);
        free(by->group[i].key);
    }
    free(by->group);
}
