/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_print.h"

#include <math.h>
#include <string.h>

#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "tools/compare/compare_settings.h"
#include "tools/compare/compare_plans.h"
#include "tools/compare/compare_waits.h"
#include "tools/compare/compare_work.h"

const char *compare_result_name(enum compare_result result)
{
    static const char *const names[] = {[COMPARE_SAME] = "same",
                                        [COMPARE_DIFFERENT] = "different",
                                        [COMPARE_UNKNOWN] = "unknown",
                                        [COMPARE_LEFT_OUT] = "not judged"};
    return names[result];
}

static void value_increase(json_t *counts, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(counts, name));
    value_set(counts, name, json_integer(count + 1));
}

/* Returns an object {name of the verdict or finding: number of runs}; the caller owns it. */
static json_t *count_verdicts(const struct compare_side *side)
{
    json_t *counts = value_object(), *name;
    size_t k;
    for (size_t i = 0; i < side->runs; i++) {
        const json_t *findings = side->run[i].findings;
        if (findings != NULL && json_array_size(findings) == 0)
            value_increase(counts, "VALID");
        json_array_foreach(findings, k, name) value_increase(counts, json_string_value(name));
    }
    return counts;
}

void compare_print_verdicts(FILE *out, const struct compare_side *side)
{
    const char *name;
    json_t *count, *counts = count_verdicts(side);
    json_object_foreach(counts, name, count)
    {
        fputs(", ", out);
        if (side->runs > 1)
            fprintf(out, "%lld of %zu ", (long long)json_integer_value(count), side->runs);
        fputs(name, out);
    }
    json_decref(counts);
}

static void print_side(FILE *out, const char *letter, const struct compare_side *side)
{
    const json_t *head = side->run[0].document.head;
    const char *test = json_string_value(json_object_get(head, "test"));
    fprintf(out, "%s: %s (%s, %.1f s, ", letter, side->path, test != NULL ? test : "-",
            side->run[0].elapsed_s);
    if (side->runs > 1)
        fprintf(out, "%zu repeats", side->runs);
    else
        fprintf(out, "%zu intervals", side->run[0].intervals);
    compare_print_verdicts(out, side);
    fprintf(out, ")\n");
}

/* Prints the figure, with ">" before a lower bound. */
static void print_value(FILE *out, double value, bool is_bound)
{
    char text[40];
    snprintf(text, sizeof(text), "%s%.2f", is_bound ? ">" : "", value);
    fprintf(out, " %13s", text);
}

static void print_change(FILE *out, const struct comparison *c)
{
    double change = compare_change_percent(c);
    if (isinf(change))
        fprintf(out, " %10s", "new");
    else
        fprintf(out, " %+8.2f %%", change);
}

const char *compare_interval_text(const struct comparison *c, char *text, size_t bytes)
{
    double low = compare_low_percent(c), high = compare_high_percent(c);
    if (isinf(low) || isinf(high))
        snprintf(text, bytes, "-");
    else if (high > 1000)
        snprintf(text, bytes, "%+.2f to >+1000 %%", low);
    else
        snprintf(text, bytes, "%+.2f to %+.2f %%", low, high);
    return text;
}

static void print_comparison(FILE *out, const struct comparison *c)
{
    char name[64], interval[64];
    snprintf(name, sizeof(name), "%s (%s)", c->name, c->unit);
    fprintf(out, "%-20s", name);
    print_value(out, c->a, c->a_is_bound);
    print_value(out, c->b, c->b_is_bound);
    print_change(out, c);
    fprintf(out, " %22s", compare_interval_text(c, interval, sizeof(interval)));
    const char *reason = compare_reason(c);
    fprintf(out, "  %s%s%s\n", compare_result_name(c->result), reason != NULL ? ": " : "",
            reason != NULL ? reason : "");
}

static void print_settings(FILE *out, const struct compare *c)
{
    const char *name;
    json_t *pair;
    json_t *differences = compare_settings_differences(&c->a.run[0], &c->b.run[0]);
    if (json_object_size(differences) > 0)
        fprintf(out, "\nSettings that differ:\n");
    json_object_foreach(differences, name, pair)
        fprintf(out, "    %-28s %s | %s\n", name, json_string_value(json_array_get(pair, 0)),
                json_string_value(json_array_get(pair, 1)));
    json_decref(differences);
}

static void print_source(FILE *out, const struct compare *c)
{
    if (c->paired)
        fprintf(out, "the scatter between %zu pairs of runs, one pair a round", c->a.runs);
    else if (compare_has_repeats(c))
        fprintf(out, "the scatter between repeats (%zu and %zu runs)", c->a.runs, c->b.runs);
    else
        fprintf(out, "the autocorrelation of intervals within the two runs (%zu and %zu)",
                c->a.run[0].intervals, c->b.run[0].intervals);
}

/* Few runs cannot show how much two runs with the same settings differ. */
static void print_scope(FILE *out, const struct compare *c)
{
    const size_t runs = c->a.runs < c->b.runs ? c->a.runs : c->b.runs;
    if (runs < COMPARE_ENOUGH_RUNS)
        fprintf(out,
                "The result is about %s, not yet about their settings: runs with the same\n"
                "settings may differ, too, and it takes %d runs a side to know by how much.\n",
                runs == 1 ? "these two runs" : "these few runs", COMPARE_ENOUGH_RUNS);
}

static void print_method(FILE *out, const struct compare *c)
{
    fprintf(
        out,
        "\nInterval: where the true change is. In %g %% of comparisons, chance makes one of these "
        "wrong.\nFrom ",
        100 * COMPARE_CHANCE);
    print_source(out, c);
    fprintf(out,
            ".\nDifferent: the interval excludes 0, and the change exceeds %g %%.\n"
            "Same: not so, and the interval reaches at most %g %% from the change; smaller changes "
            "may go unnoticed.\n",
            c->min_change, c->max_noise);
    print_scope(out, c);
}

void compare_print(FILE *out, const struct compare *c)
{
    print_side(out, "A", &c->a);
    print_side(out, "B", &c->b);
    fprintf(out, "\n%-20s %13s %13s %10s %22s\n", "", "A", "B", "B - A", "interval");
    for (size_t i = 0; i < c->count; i++)
        print_comparison(out, &c->comparison[i]);
    compare_work_print(out, c);
    compare_waits_print(out, c);
    compare_plans_print(out, c);
    print_settings(out, c);
    print_method(out, c);
}

void compare_print_condition(FILE *out, const struct compare_condition *condition,
                             const struct comparison *c, enum compare_result result)
{
    static const char *const words[] = {
        [COMPARE_SAME] = "no", [COMPARE_DIFFERENT] = "yes", [COMPARE_UNKNOWN] = "unknown"};
    char interval[64];
    fprintf(out, "%s: %s (%+.2f %%, interval %s)\n", condition->text, words[result],
            compare_change_percent(c), compare_interval_text(c, interval, sizeof(interval)));
}

void compare_print_verdict(FILE *out, const struct compare *c, enum compare_result result)
{
    size_t unknown = 0;
    for (size_t i = 0; i < c->count; i++)
        unknown += c->comparison[i].result == COMPARE_UNKNOWN;
    fprintf(out, "Verdict: %s", compare_result_name(result));
    if (unknown > 0)
        fprintf(out, " (%zu of %zu figures cannot be judged: longer runs or repeats are needed)",
                unknown, c->count);
    fprintf(out, "\n");
}

/* Output as JSON. */

static json_t *value_side(const struct compare_side *side)
{
    const json_t *head = side->run[0].document.head;
    json_t *object = value_object();
    value_set(object, "name", value_text(side->path));
    value_set(object, "test", value_text(json_string_value(json_object_get(head, "test"))));
    value_set(object, "runs", value_count(side->runs));
    value_set(object, "intervals", value_count(side->run[0].intervals));
    value_set(object, "verdicts", count_verdicts(side));
    return object;
}

static json_t *value_comparison(const struct comparison *c)
{
    json_t *object = value_object();
    value_set(object, "name", value_text(c->name));
    value_set(object, "unit", value_text(c->unit));
    value_set(object, "a", value_real(c->a));
    value_set(object, "b", value_real(c->b));
    value_set(object, "a_censored", json_boolean(c->a_is_bound));
    value_set(object, "b_censored", json_boolean(c->b_is_bound));
    value_set(object, "change_percent", value_real(compare_change_percent(c)));
    value_set(object, "low_percent", value_real(compare_low_percent(c)));
    value_set(object, "high_percent", value_real(compare_high_percent(c)));
    value_set(object, "noise_percent", value_real(compare_noise_percent(c)));
    value_set(object, "result", value_text(compare_result_name(c->result)));
    value_set(object, "reason", value_text(compare_reason(c)));
    return object;
}

void compare_print_json(FILE *out, const struct compare *c, enum compare_result result,
                        const char *reason)
{
    json_t *object = value_object(), *figures = value_array();
    value_set(object, "result", value_text(compare_result_name(result)));
    value_set(object, "reason", value_text(reason));
    value_set(object, "a", value_side(&c->a));
    value_set(object, "b", value_side(&c->b));
    value_set(object, "paired", json_boolean(c->paired));
    for (size_t i = 0; i < c->count; i++)
        value_append(figures, value_comparison(&c->comparison[i]));
    value_set(object, "figures", figures);
    value_set(object, "work_per_request", compare_work(c));
    value_set(object, "waits_above_p99", compare_waits(c));
    value_set(object, "plans", compare_plans(c));
    value_set(object, "settings", compare_settings_differences(&c->a.run[0], &c->b.run[0]));
    json_dumpf(object, out, REPORT_JSON_FLAGS);
    fputs("\n", out);
    json_decref(object);
}
