/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the outages of a run: when and where each occurred, the requests that it cost, and
 * the time until the response times and the connections were as before. */
#include "report/text/report.h"

#include "base/util.h"
#include "report/text/report_text.h"

/* Prints seconds since the outage began, "never" if the run ended before the awaited state was
 * reached, and "-" if there was nothing to wait for. */
static void print_after(FILE *out, int width, bool awaited, int64_t after_ns)
{
    if (after_ns >= 0)
        fprintf(out, " %*.2f", width, ns_to_seconds(after_ns));
    else
        fprintf(out, " %*s", width, awaited ? "never" : "-");
}

static void print_outage(FILE *out, const struct outage *o)
{
    fprintf(out, "    %10.2f %10.2f%c %9.2f %9" PRIu64, ns_to_seconds(o->from_ns),
            ns_to_seconds(o->to_ns), o->ended ? ' ' : '+', ns_to_seconds(o->to_ns - o->from_ns),
            o->lost);
    print_after(out, 9, o->level_ns >= 0, o->back_after_ns);
    fprintf(out, " %12u", o->disconnected);
    print_after(out, 9, o->disconnected > 0, o->connected_after_ns);
    fprintf(out, "  %s\n", o->host[0] != '\0' ? o->host : "all");
    report_wait_span(out, &o->waits);
}

void report_outages(FILE *out, const struct outages *outages)
{
    if (outages->count == 0)
        return;
    fprintf(out,
            "Outages (nothing was completed for %.2f s or longer; in s, to within %.2f s; +: the "
            "run ended first):\n"
            "    %10s %10s  %9s %9s %9s %12s %9s  host\n",
            ns_to_seconds(outages->threshold_ns), ns_to_seconds(outages->window_ns), "from", "to",
            "seconds", "lost", "back p99", "disconnected", "back");
    for (unsigned i = 0; i < outages->count; i++)
        print_outage(out, &outages->list[i]);
    fputc('\n', out);
}
