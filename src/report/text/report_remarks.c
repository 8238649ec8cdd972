/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The remarks of the workload on the run. */
#include "report/text/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/text/report_text.h"

static const char *state_name(enum audit_state state)
{
    static const char *const names[] = {[AUDIT_HOLDS] = "holds",
                                        [AUDIT_BY_CHANCE] = "within chance",
                                        [AUDIT_FAILS] = "FAILS",
                                        [AUDIT_EMPTY] = "nothing counted"};
    return names[state];
}

static void print_audit(FILE *out, const struct remark_audit *a)
{
    const double scale = a->share ? 100 : 1;
    char *text = report_printable(a->text);
    fprintf(out, "    %-36s %8.2f  (%.2f to %.2f)  required: ", text, scale * a->mean,
            scale * a->from, scale * a->to);
    free(text);
    if (isinf(a->high) || (a->share && a->high >= 1))
        fprintf(out, "%g or more", scale * a->low);
    else
        fprintf(out, "%g to %g", scale * a->low, scale * a->high);
    fprintf(out, "%s  %s\n", a->share ? " %" : "", state_name(a->state));
}

static void print_audits(FILE *out, const struct remarks *r)
{
    fputs("Self-audit (value, and the interval that chance leaves):\n", out);
    for (unsigned i = 0; i < r->audits; i++)
        print_audit(out, &r->audit[i]);
    fputc('\n', out);
}

static void print_line(FILE *out, const char *before, const char *text)
{
    char *line = report_printable(text);
    fprintf(out, "%s%s\n", before, line);
    free(line);
}

static void print_notes(FILE *out, const struct remarks *r)
{
    print_line(out, "", r->notes_title);
    for (unsigned i = 0; i < r->notes; i++)
        print_line(out, "    ", r->note[i]);
    fputc('\n', out);
}

static void print_times(FILE *out, const struct remark_times *t)
{
    fprintf(out, " %10.2f %10.2f %10.2f %10.2f %10.2f", t->mean, t->p50, t->p95, t->p99, t->max);
}

/* Prints two lines per comparison, so that the figures to be compared are one below the other. */
static void print_comparisons(FILE *out, const struct remarks *r)
{
    print_line(out, "", r->comparisons_title);
    fprintf(out, "    %-32s %10s %10s %10s %10s %10s %10s\n", "", "count", "mean", "p50", "p95",
            "p99", "max");
    for (unsigned i = 0; i < r->comparisons; i++) {
        const struct remark_comparison *c = &r->comparison[i];
        char *name = report_printable(c->name);
        fprintf(out, "    %-25s logged %10" PRIu64, name, c->count);
        print_times(out, &c->before);
        fprintf(out, "\n    %-25s    now %10s", "", "");
        print_times(out, &c->now);
        fputc('\n', out);
        free(name);
    }
    fputc('\n', out);
}

void report_remarks(FILE *out, const struct remarks *r)
{
    if (r->notes > 0)
        print_notes(out, r);
    if (r->comparisons > 0)
        print_comparisons(out, r);
    for (unsigned i = 0; i < r->figures; i++) {
        char *name = report_printable(r->figure[i].name);
        fprintf(out, "%s: %.2f\n", name, r->figure[i].value);
        free(name);
    }
    if (r->figures > 0)
        fputc('\n', out);
    if (r->audits > 0)
        print_audits(out, r);
    if (r->deviations == 0)
        return;
    fputs("Deviations from the specification:\n", out);
    for (unsigned i = 0; i < r->deviations; i++)
        print_line(out, "    - ", r->deviation[i]);
    fputc('\n', out);
}
