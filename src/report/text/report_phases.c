/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the phases of a changing arrival rate. */
#include "report/text/report.h"

#include "options/percentiles.h"
#include "report/text/report_text.h"

static void print_time(FILE *out, const struct rate_phase *phase, struct bounded value)
{
    const bool any = phase->response.count + phase->response.censored > 0;
    fprintf(out, " %10s", any ? report_bounded(value, NS_PER_MS).text : "-");
}

/* Writes for example "500" or "500 to 3000". */
static void print_asked(FILE *out, const struct rate_phase *phase)
{
    char text[64];
    if (phase->rate_from == phase->rate_to)
        snprintf(text, sizeof(text), "%.6g", phase->rate_from);
    else
        snprintf(text, sizeof(text), "%.6g to %.6g", phase->rate_from, phase->rate_to);
    fprintf(out, " %16s", text);
}

static void print_phase(FILE *out, const struct settings *settings, const struct rate_phase *phase)
{
    const struct distribution *d = &phase->response;
    const uint64_t arrived = d->count + d->censored;
    fprintf(out, "  %8.2f %8.2f", ns_to_seconds(phase->from_ns), ns_to_seconds(phase->to_ns));
    print_asked(out, phase);
    fprintf(out, " %10" PRIu64 " %10.2f", arrived,
            report_rate(arrived, phase->to_ns - phase->from_ns));
    print_time(out, phase, distribution_mean(d));
    for (unsigned p = 0; p < settings->percentiles; p++)
        print_time(out, phase, distribution_percentile(d, settings->percentile[p]));
    print_time(out, phase, distribution_percentile(d, 100 * PERCENT));
    fputc('\n', out);
}

void report_phases(FILE *out, const struct settings *settings, const struct rate_phase *phases,
                   unsigned count)
{
    fputs("Phases of the arrival rate (response time in ms of the requests that arrived then):\n",
          out);
    fprintf(out, "  %8s %8s %16s %10s %10s %10s", "from s", "to s", "asked/s", "requests",
            "per sec.", "mean");
    for (unsigned p = 0; p < settings->percentiles; p++)
        fprintf(out, " %10s", report_percentile_label(settings->percentile[p]).text);
    fprintf(out, " %10s\n", "max");
    for (unsigned i = 0; i < count; i++)
        print_phase(out, settings, &phases[i]);
    fputc('\n', out);
}
