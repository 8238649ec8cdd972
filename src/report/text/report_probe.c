/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_probe.h"

#include <inttypes.h>
#include <math.h>

#include "base/util.h"

/* Number of text lines over which the figures of a source may be distributed. */
#define LINES 3

static void print_figure(FILE *out, const struct probe_series *series, double figure)
{
    bool whole = series->kind == PROBE_LEVEL && figure == floor(figure);
    fprintf(out, " %s: %.*f", series->label, whole ? 0 : 2, figure);
}

static bool is_in_line(const struct probe_figures *f, size_t i, unsigned line)
{
    return f->source->table.series[i].line[f->source->role] == line && !isnan(f->figure[i]);
}

/* Prints the known figures of one line of text after `head`. Returns false, without printing
 * anything, if no figure is known. */
static bool print_line(FILE *out, const char *head, const struct probe_figures *f, unsigned line)
{
    bool any = false;
    for (size_t i = 0; i < f->source->table.count; i++) {
        if (!is_in_line(f, i, line))
            continue;
        if (!any)
            fputs(head, out);
        print_figure(out, &f->source->table.series[i], f->figure[i]);
        any = true;
    }
    return any;
}

static void print_lines(FILE *out, const char *head, const struct probe_figures *f)
{
    for (unsigned line = 1; line <= LINES; line++)
        if (print_line(out, head, f, line))
            fputc('\n', out);
}

/* Prints the reason why a source did not answer, if it is known, and ends the line. */
static void print_reason(FILE *out, const char *error)
{
    fprintf(out, "%s%s\n", error[0] != '\0' ? ": " : "", error);
}

void report_probe_lines(FILE *out, double end, const struct probe_report *probes)
{
    char head[64];
    for (unsigned i = 0; i < probes->sources; i++) {
        const struct probe_figures *f = &probes->source[i];
        snprintf(head, sizeof(head), "[ %.15gs ] %s:", end, f->source->name);
        print_lines(out, head, f);
        if (f->late)
            fprintf(out, "%s counts are late: rates may belong to an earlier interval\n", head);
        if (f->silent_ns > 0) {
            fprintf(out, "%s no answer for %.1f s", head, ns_to_seconds(f->silent_ns));
            print_reason(out, f->error);
        }
    }
}

static void print_gaps(FILE *out, const struct probe_figures *f)
{
    for (unsigned i = 0; i < f->gaps; i++) {
        const struct probe_gap *gap = &f->gap[i];
        fprintf(out, "        no answer from %.1f s to %.1f s", ns_to_seconds(gap->from_ns),
                ns_to_seconds(gap->to_ns));
        print_reason(out, gap->error);
    }
}

static void print_source(FILE *out, const struct probe_figures *f)
{
    fprintf(out, "    %s (%s): %u samples", f->source->name, f->source->where, f->samples);
    if (f->samples > 0)
        fprintf(out, ", %.2f ms each, the longest %.2f ms", f->sample_ms, f->sample_max_ms);
    fputc('\n', out);
    print_lines(out, "       ", f);
    print_gaps(out, f);
}

static void print_check(FILE *out, const struct probe_check *check, const char *beside)
{
    fprintf(out, "    %s: %.0f, counted there: %.0f", check->what, check->ours, check->theirs);
    if (check->agreement == PROBE_AGREES)
        fprintf(out, " (difference %+.0f, tolerance %.0f: they agree)\n",
                check->theirs - check->ours, check->tolerance);
    else if (check->agreement == PROBE_COUNTED_LATER)
        fprintf(out,
                " (difference %+.0f, tolerance %.0f: unclear, because sessions that stay open, as "
                "those of a pooler, are counted later)\n",
                check->theirs - check->ours, check->tolerance);
    else if (check->agreement == PROBE_UNCLEAR)
        fprintf(
            out,
            " (difference %+.0f, tolerance %.0f: unclear, because connections and errors may be "
            "the reason, and there were many in proportion to what was counted)\n",
            check->theirs - check->ours, check->tolerance);
    else
        fprintf(out, " (they DISAGREE by %+.0f, more than the tolerance of %.0f: %s%s)\n",
                check->theirs - check->ours, check->tolerance, beside,
                beside[0] != '\0' ? " is counted there, too" : "does another program use it?");
}

/* Prints "log bytes" for "log_bytes". */
static void print_work_name(FILE *out, const char *name)
{
    char words[64];
    size_t length = 0;
    for (; name[length] != '\0' && length < sizeof(words) - 1; length++)
        words[length] = name[length] == '_' ? ' ' : name[length];
    words[length] = '\0';
    fprintf(out, " %-26s", words);
}

static void print_work(FILE *out, const struct probe_report *probes)
{
    if (probes->works > 0)
        fprintf(out, "    per completed request (%" PRIu64 " requests of the whole run):\n",
                probes->requests);
    for (unsigned i = 0; i < probes->works; i++) {
        const struct probe_work_group *group = &probes->work[i];
        for (size_t k = 0; k < group->table->works; k++) {
            if (isnan(group->per_request[k]))
                continue;
            fprintf(out, "        %-8s", group->name);
            print_work_name(out, group->table->work[k].name);
            fprintf(out, " %12.3f\n", group->per_request[k]);
        }
    }
}

void report_probes(FILE *out, const struct probe_report *probes)
{
    fprintf(out, "Watched, every %g s (means of the whole run):\n",
            ns_to_seconds(probes->every_ns));
    for (unsigned i = 0; i < probes->sources; i++)
        print_source(out, &probes->source[i]);
    print_work(out, probes);
    for (unsigned i = 0; i < probes->checks; i++)
        print_check(out, &probes->check[i], probes->beside);
    if (probes->unchecked != NULL)
        fprintf(out, "    not compared with what was sent: %s\n", probes->unchecked);
    fputc('\n', out);
}
