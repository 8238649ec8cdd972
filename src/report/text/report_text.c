/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/percentiles.h"

struct report_figure report_bounded(struct bounded value, int64_t unit_ns)
{
    struct report_figure figure = {"-"};
    if (value.unknown)
        return figure;
    snprintf(figure.text, sizeof(figure.text), "%s%.2f", value.censored ? ">" : "",
             (double)value.ns / (double)unit_ns);
    return figure;
}

struct report_figure report_half_width(int64_t ns)
{
    const double ms = (double)ns / NS_PER_MS;
    struct report_figure figure;
    const int digits = ms > 0 ? 1 - (int)floor(log10(ms)) : 2;
    snprintf(figure.text, sizeof(figure.text), "%.*f",
             digits < 0   ? 0
             : digits > 4 ? 4
                          : digits,
             ms);
    return figure;
}

struct bounded report_min(const struct distribution *d)
{
    return (struct bounded){.ns = distribution_min(d), .unknown = d->count == 0};
}

char *report_printable(const char *text)
{
    return log_printable(xstrdup(text), "\t");
}

struct report_figure report_percentile_label(int64_t percentile)
{
    struct report_figure label;
    percentile_label(percentile, label.text, sizeof(label.text));
    return label;
}

void report_time_headings(FILE *out, const struct settings *settings)
{
    fprintf(out, " %9s", "mean");
    for (unsigned i = 0; i < settings->percentiles; i++)
        fprintf(out, " %9s", report_percentile_label(settings->percentile[i]).text);
    fprintf(out, " %9s", "max");
}

static void print_time_column(FILE *out, struct bounded value)
{
    fprintf(out, " %9s", report_bounded(value, NS_PER_MS).text);
}

void report_time_columns(FILE *out, const struct settings *settings, const struct distribution *d)
{
    print_time_column(out, distribution_mean(d));
    for (unsigned i = 0; i < settings->percentiles; i++)
        print_time_column(out, distribution_percentile(d, settings->percentile[i]));
    print_time_column(out, distribution_max(d));
}

double report_rate(uint64_t count, int64_t span_ns)
{
    return span_ns > 0 ? (double)count / ns_to_seconds(span_ns) : 0;
}

void report_count(FILE *out, const char *name, uint64_t count)
{
    fprintf(out, "    %-37s%" PRIu64 "\n", name, count);
}

void report_count_note(FILE *out, const char *name, uint64_t count, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(out, "    %-37s%-6" PRIu64 " (", name, count);
    vfprintf(out, fmt, args);
    fputs(")\n", out);
    va_end(args);
}

int report_name_width(const struct target_totals *t, const char *heading)
{
    size_t width = strlen(heading);
    for (unsigned i = 0; i < t->count; i++)
        width = strlen(t->target[i].name) > width ? strlen(t->target[i].name) : width;
    return (int)width;
}
