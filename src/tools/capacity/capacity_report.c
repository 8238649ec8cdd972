/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a search as text: its progress and its result. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "tools/capacity/capacity_record.h"
#include "tools/capacity/capacity_text.h"

/* If fewer requests than these are beyond a percentile, the percentile is uncertain. */
#define FEW_BEYOND 10

/* Prints a text from a file, without characters that a terminal would interpret. */
static void print_word(FILE *out, const char *word)
{
    char *text = xstrdup(word);
    fputs(log_printable(text, ""), out);
    free(text);
}

static void print_figures(FILE *out, const struct slo_judgement *j)
{
    for (unsigned i = 0; i < j->slo->count; i++)
        fprintf(out, "  %s: %s", j->slo->objective[i].text,
                slo_figure_text(&j->slo->objective[i], &j->figure[i]).text);
}

void capacity_print_probe(FILE *out, const struct capacity_run *run, size_t number)
{
    const struct capacity_probe *p = &run->probe;
    fprintf(out, "probe %zu: %-7s %10.2f/s  %-6s", number, capacity_phase_name(p->phase), p->rate,
            p->empty             ? "empty"
            : run->judgement.met ? "met"
                                 : "MISSED");
    if (run->speed > 0)
        fprintf(out, "  speed %.4g", run->speed);
    print_figures(out, &run->judgement);
    if (!capacity_has_completed(run))
        fprintf(out, "  (ended after %.1f s)", run->seconds);
    if (!p->trusted)
        fputs("  (the client was late)", out);
}

static double percent_off(double value, double of)
{
    return 100 * (value / of - 1);
}

/* Prints the figures of a search over speed in units of the load of the log. */
static void print_times(FILE *out, const struct capacity_record *record)
{
    const struct capacity_result *r = &record->result;
    const double rate = record->load.rate;
    fprintf(out, "Capacity: %.15g times the load of ", capacity_digits(r->rate / rate));
    print_word(out, record->load.log);
    fprintf(out, ", 95 %% confidence interval %.15g to %.15g (−%.1f %% to +%.1f %%)\n",
            capacity_digits(r->low / rate), capacity_digits(r->high / rate),
            -percent_off(r->low, r->rate), percent_off(r->high, r->rate));
    fprintf(out,
            "    that is %.15g statements/s on average, where the log has %.15g\n"
            "    from %u probes around it, each of the whole log%s\n",
            capacity_digits(r->rate), capacity_digits(rate), r->used,
            r->precise ? "" : "; less precise than asked (--precision)");
}

static void print_rate(FILE *out, const struct capacity_record *record)
{
    const struct capacity_result *r = &record->result;
    fprintf(out,
            "Capacity: %.15g requests/s, 95 %% confidence interval %.15g to %.15g (−%.1f %% to "
            "+%.1f %%)\n",
            capacity_digits(r->rate), capacity_digits(r->low), capacity_digits(r->high),
            -percent_off(r->low, r->rate), percent_off(r->high, r->rate));
    fprintf(out, "    from %u probes of %g s around it%s\n", r->used, record->probe_s,
            r->precise ? "" : "; less precise than asked (--precision)");
}

static void print_found(FILE *out, const struct capacity_record *record)
{
    const struct capacity_result *r = &record->result;
    if (record->load.rate > 0)
        print_times(out, record);
    else
        print_rate(out, record);
    if (!isnan(r->above))
        fprintf(out,
                "    margin when that rate is reached from below %+.0f %%, from above %+.0f %%: "
                "%s\n",
                100 * r->below, 100 * r->above,
                r->hysteresis ? "HYSTERESIS" : "no more than noise");
}

static void print_known_times(FILE *out, const struct capacity_record *record)
{
    const struct capacity_result *r = &record->result;
    const double rate = record->load.rate;
    if (r->outcome == CAPACITY_BELOW_MIN)
        fprintf(out, "Capacity: below %.15g times the load of ",
                capacity_digits(record->min_rate / rate));
    else if (r->outcome == CAPACITY_ABOVE_MAX)
        fprintf(out, "Capacity: at least %.15g times the load of ",
                capacity_digits(record->max_rate / rate));
    else
        fprintf(out, "Capacity: not found yet; between %.15g and %.15g times the load of ",
                capacity_digits(r->low / rate), capacity_digits(r->high / rate));
    print_word(out, record->load.log);
    fputs(r->outcome == CAPACITY_BELOW_MIN   ? ": the lowest speed misses already (--min-speed)\n"
          : r->outcome == CAPACITY_ABOVE_MAX ? ": the highest speed meets the objectives "
                                               "(--max-speed)\n"
                                             : "\n",
          out);
}

static void print_known(FILE *out, const struct capacity_record *record)
{
    char bounds[80];
    if (record->result.outcome == CAPACITY_BELOW_MIN)
        fprintf(out,
                "Capacity: below %.15g requests/s: the lowest rate misses already (--min-rate)\n",
                record->min_rate);
    else if (record->result.outcome == CAPACITY_ABOVE_MAX)
        fprintf(out,
                "Capacity: %.15g requests/s at least: the highest rate meets the objectives "
                "(--max-rate)\n",
                record->max_rate);
    else
        fprintf(out, "Capacity: not found yet; %s\n",
                capacity_bounds(&record->result, bounds, sizeof(bounds)));
}

/*
 * Figures are less certain than they look if a percentile has few requests beyond it or the client
 * was late in some probes.
 */
static void print_doubts(FILE *out, const struct capacity_record *record)
{
    const struct capacity_result *r = &record->result;
    const bool has_log = record->load.rate > 0;
    const double requests = has_log ? record->load.statements : r->rate * record->probe_s;
    size_t late = 0;
    for (size_t i = 0; i < record->runs; i++)
        late += !record->run[i].probe.trusted && record->run[i].probe.phase != CAPACITY_BRACKET;
    if (late > 0)
        fprintf(out,
                "    in %zu probes the client was late: give it idle processors, the true capacity "
                "may be higher\n",
                late);
    for (unsigned i = 0; i < record->slo->count && r->outcome == CAPACITY_FOUND; i++) {
        const struct slo_objective *o = &record->slo->objective[i];
        double beyond = requests * (1 - (double)o->percentile / (100.0 * PERCENT));
        if (o->kind == SLO_PERCENTILE && beyond < FEW_BEYOND)
            fprintf(out,
                    "    only %.1f requests of a probe are beyond the percentile of %s: use a "
                    "longer %s\n",
                    beyond, o->text, has_log ? "log" : "--probe-time");
    }
}

void capacity_print_result(FILE *out, const struct capacity_record *record)
{
    if (record->result.outcome == CAPACITY_FOUND)
        print_found(out, record);
    else if (record->load.rate > 0)
        print_known_times(out, record);
    else
        print_known(out, record);
    print_doubts(out, record);
    if (record->cut_short == NULL)
        return;
    fputs("    the search was cut short: ", out);
    print_word(out, record->cut_short);
    fputs("\n", out);
}

void capacity_print_again(FILE *out, const struct capacity_record *record, const char *name)
{
    fprintf(out, "%s: capacity of ", name);
    print_word(out, record->test);
    if (record->load.rate > 0) {
        fputc(' ', out);
        print_word(out, record->load.log);
    }
    for (unsigned i = 0; i < record->slo->count; i++)
        fprintf(out, "%s %s", i > 0 ? "" : ":", record->slo->objective[i].text);
    fputs("\n", out);
    for (size_t i = 0; i < record->runs; i++) {
        capacity_print_probe(out, &record->run[i], i + 1);
        fputs("\n", out);
    }
    capacity_print_result(out, record);
}
