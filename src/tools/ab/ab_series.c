/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges the pairs of an experiment. */
#include "tools/ab/ab.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json_value.h"
#include "report/text/interval_column.h"

/* Figures that are judged if none is named. */
static const char *const usual[] = {"throughput", "mean", "p50", "p95", "p99"};

/* Findings after which a block did not measure what was asked for. */
static const char *const defects[] = {"AUDIT-FAILED", "CUT-SHORT", "NOT-ALIGNED",
                                      "NOTHING-MEASURED"};
/* Findings about the client. Its delays are part of the figures of both variants alike. The other
 * findings, such as OVERLOADED, may be the effect of a variant. */
static const char *const doubts[] = {"ARRIVALS-OFF", "CLIENT-LIMITED"};

/* An experiment is hopeless if more than half of this many pairs were left out. */
#define HOPELESS_PAIRS 6
/* Drift is not noted if it is smaller, in percent. */
#define NOTE_LEAST 2
#define NOTE_PAIRS 8

static bool has_finding(const struct ab_block *block, const char *name)
{
    const json_t *finding;
    size_t i;
    json_array_foreach(block->run.findings, i, finding)
    {
        if (strcmp(json_string_value(finding), name) == 0)
            return true;
    }
    return false;
}

/* Returns the first of the findings that the block has, or NULL. */
static const char *find_among(const struct ab_block *block, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_finding(block, names[i]))
            return names[i];
    return NULL;
}

/* Returns why the pair is not used, or NULL; the caller frees the text. */
static char *find_defect(const struct ab_pair *pair, bool use_doubtful)
{
    for (int k = 0; k < AB_VARIANTS; k++) {
        const char *name = find_among(&pair->block[k], defects, ARRAY_SIZE(defects));
        char *text;
        if (name == NULL && pair->block[k].run.figures == 0)
            name = "no request completed";
        if (name == NULL && !use_doubtful)
            name = find_among(&pair->block[k], doubts, ARRAY_SIZE(doubts));
        if (name != NULL)
            return checked_alloc(asprintf(&text, "%s in %c", name, "AB"[k]) < 0 ? NULL : text);
    }
    return NULL;
}

/* Returns true if the arrival process sets the throughput. */
static bool has_rate(const struct compare_run *run)
{
    const json_t *rate = interval_value(run->document.head, "config/rate");
    return json_is_string(rate) || json_number_value(rate) > 0;
}

/* Returns the precision that was asked of a figure; 0 if it was not asked. */
static double precision_of(const struct ab *ab, const struct ab_pair *first, const char *name)
{
    for (size_t i = 0; i < ab->goals; i++)
        if (ab->goal[i].figure != NULL && strcmp(ab->goal[i].figure, name) == 0)
            return ab->goal[i].percent;
    if (ab->goal[0].figure != NULL)
        return 0;
    bool given = has_rate(&first->block[AB_A].run) && has_rate(&first->block[AB_B].run);
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
        if (strcmp(usual[i], name) == 0 && !(i == 0 && given))
            return ab->goal[0].percent;
    return 0;
}

static const struct compare_figure *find_figure(const struct ab_block *block, const char *name)
{
    const struct compare_figure *figure = compare_run_figure(&block->run, name);
    return figure != NULL ? figure : compare_run_work(&block->run, name);
}

/* Adds the values of all used pairs. Returns false if a block does not have the figure. */
static bool add_pairs(const struct ab_series *series, struct ab_figure *figure)
{
    for (size_t i = 0; i < series->pairs; i++) {
        const struct ab_pair *pair = &series->pair[i];
        if (pair->left_out != NULL)
            continue;
        const struct compare_figure *a = find_figure(&pair->block[AB_A], figure->name);
        const struct compare_figure *b = find_figure(&pair->block[AB_B], figure->name);
        if (a == NULL || b == NULL)
            return false;
        ab_figure_add(figure, a->value, b->value);
        figure->a_is_bound = figure->a_is_bound || a->lower_bound;
        figure->b_is_bound = figure->b_is_bound || b->lower_bound;
    }
    return true;
}

static void clear_figures(struct ab_series *series)
{
    for (size_t i = 0; i < series->figures; i++)
        ab_figure_fini(&series->figure[i]);
    free(series->figure);
    series->figure = NULL;
    series->figures = 0;
}

/* Adds a figure to the series if all used pairs have it. Work per request is compared only as a
 * ratio: a block in which a counter did not grow says nothing about its rate. */
static void collect_figure(const struct ab *ab, struct ab_series *series, size_t first,
                           const struct compare_figure *source, bool is_work)
{
    struct ab_figure *figure = &series->figure[series->figures];
    *figure = (struct ab_figure){.name = source->name, .unit = source->unit};
    figure->precision = precision_of(ab, &series->pair[first], figure->name);
    if (add_pairs(series, figure) && (figure->is_ratio || !is_work))
        series->figures++;
    else
        ab_figure_fini(figure);
}

/* The figures are those of the first used pair that all used pairs have. */
static void collect_figures(const struct ab *ab, struct ab_series *series)
{
    size_t first = 0;
    clear_figures(series);
    while (first < series->pairs && series->pair[first].left_out != NULL)
        first++;
    if (first == series->pairs)
        return;
    const struct compare_run *run = &series->pair[first].block[AB_A].run;
    series->figure = xcalloc(run->figures + run->works, sizeof(*series->figure));
    for (size_t i = 0; i < run->figures; i++)
        collect_figure(ab, series, first, &run->figure[i], false);
    for (size_t i = 0; i < run->works; i++)
        collect_figure(ab, series, first, &run->work[i], true);
}

void ab_judge_series(const struct ab *ab, struct ab_series *series)
{
    series->left_out = 0;
    for (size_t i = 0; i < series->pairs; i++) {
        struct ab_pair *pair = &series->pair[i];
        if (pair->left_out == NULL)
            pair->left_out = find_defect(pair, ab->use_doubtful);
        series->left_out += pair->left_out != NULL;
    }
    collect_figures(ab, series);
    series->result = ab_is_hopeless(series) ? AB_UNDECIDED
                                            : ab_figures_judge(series->figure, series->figures,
                                                               series->pairs - series->left_out);
}

bool ab_is_alarm(const struct ab_series *series)
{
    return series->result == AB_WORSE || series->result == AB_BETTER;
}

bool ab_is_hopeless(const struct ab_series *series)
{
    return series->pairs >= HOPELESS_PAIRS && 2 * series->left_out > series->pairs;
}

/* Notes. */

static void note(json_t *notes, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void note(json_t *notes, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = checked_alloc(NULL);
    va_end(args);
    value_append(notes, value_text(text));
    free(text);
}

static const struct ab_figure *first_asked(const struct ab_series *series)
{
    for (size_t i = 0; i < series->figures; i++)
        if (series->figure[i].precision > 0 && series->figure[i].is_ratio)
            return &series->figure[i];
    return NULL;
}

/* Marks the used pairs in which B was first; the caller frees the array. */
static bool *mark_orders(const struct ab_series *series, size_t pairs)
{
    bool *mark = xcalloc(pairs, sizeof(*mark));
    size_t used = 0;
    for (size_t i = 0; i < series->pairs; i++)
        if (series->pair[i].left_out == NULL)
            mark[used++] = series->pair[i].b_first;
    return mark;
}

static double percent_of(double difference)
{
    return fabs(100 * expm1(difference)) < NOTE_LEAST ? 0 : 100 * expm1(difference);
}

static void note_drift(const struct ab_series *series, const struct ab_figure *f, json_t *notes)
{
    double *level = xcalloc(f->pairs, sizeof(*level)), *ratio = xcalloc(f->pairs, sizeof(*ratio));
    bool *late = xcalloc(f->pairs, sizeof(*late)), *b_first = mark_orders(series, f->pairs);
    for (size_t i = 0; i < f->pairs; i++) {
        level[i] = sqrt(f->a[i] * f->b[i]);
        ratio[i] = f->b[i] / f->a[i];
        late[i] = i >= f->pairs / 2;
    }
    double drift = percent_of(ab_split_difference(level, late, f->pairs));
    double change = percent_of(ab_split_difference(ratio, late, f->pairs));
    /* B/A is larger in one order by twice the effect of being second. */
    double order = percent_of(-ab_split_difference(ratio, b_first, f->pairs) / 2);
    if (drift != 0)
        note(notes,
             "Drift: %s of both variants was %+.1f %% in the second half of the pairs. Pairs "
             "cancel this out.",
             f->name, drift);
    if (change != 0)
        note(notes,
             "The difference is not steady: %s of B against A changed by %+.1f %% from the first "
             "half of the pairs to the second. The interval is that of a mean over the time of "
             "the experiment.",
             f->name, change);
    if (order != 0)
        note(notes,
             "Order: %s of the second block of a pair is %+.1f %%, whichever variant it is. A "
             "block leaves something behind: a longer --warmup-time helps.",
             f->name, order);
    free(level);
    free(ratio);
    free(late);
    free(b_first);
}

static void note_left_out(const struct ab_series *series, json_t *notes)
{
    for (size_t i = 0; i < series->pairs; i++)
        if (series->pair[i].left_out != NULL)
            note(notes, "Pair %zu is left out: %s.", i + 1, series->pair[i].left_out);
    if (ab_is_hopeless(series))
        note(notes, "More than half of the pairs were left out. Remove the cause, which the "
                    "reports of the blocks explain.");
}

static void count_findings(const struct ab_series *series, int k, json_t *counts)
{
    for (size_t p = 0; p < series->pairs; p++) {
        json_t *finding;
        size_t i;
        if (series->pair[p].left_out != NULL)
            continue;
        json_array_foreach(series->pair[p].block[k].run.findings, i, finding)
        {
            const char *name = json_string_value(finding);
            json_int_t count = json_integer_value(json_object_get(counts, name));
            value_set(counts, name, json_integer(count + 1));
        }
    }
}

/* Notes how many used blocks of a variant have each finding. */
static void note_findings(const struct ab_series *series, json_t *notes)
{
    bool doubtful = false;
    for (int k = 0; k < AB_VARIANTS; k++) {
        json_t *counts = value_object(), *count;
        const char *name;
        count_findings(series, k, counts);
        json_object_foreach(counts, name, count)
            note(notes, "%s in %lld of %zu blocks of %c, which are used.", name,
                 (long long)json_integer_value(count), series->pairs - series->left_out, "AB"[k]);
        for (size_t i = 0; i < ARRAY_SIZE(doubts); i++)
            doubtful = doubtful || json_object_get(counts, doubts[i]) != NULL;
        json_decref(counts);
    }
    if (doubtful)
        note(notes, "Delays of the client are part of the figures of both variants, so the true "
                    "change may be larger than the one shown. --doubtful=leave-out does not use "
                    "such blocks.");
}

json_t *ab_notes(const struct ab_series *series)
{
    json_t *notes = value_array();
    const struct ab_figure *figure = first_asked(series);
    if (figure != NULL && figure->pairs >= NOTE_PAIRS)
        note_drift(series, figure, notes);
    note_findings(series, notes);
    note_left_out(series, notes);
    return notes;
}
