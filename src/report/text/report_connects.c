/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_connects.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/text/report_text.h"

static const char *shown(struct bounded time, struct report_figure *text)
{
    *text = report_bounded(time, NS_PER_MS);
    return text->text;
}

/* Prints "TITLE (ms): mean ..., " up to the number of times. Returns false if there is nothing. */
static bool print_times(FILE *out, const char *title, const struct distribution *d, uint64_t failed)
{
    struct report_figure text;
    if (d->count == 0 && failed == 0)
        return false;
    fprintf(out, "%s (ms): ", title);
    if (d->count > 0) {
        fprintf(out, "mean %s, ", shown(distribution_mean(d), &text));
        fprintf(out, "p50 %s, ", shown(distribution_percentile(d, 50 * PERCENT), &text));
        fprintf(out, "p99 %s, ", shown(distribution_percentile(d, 99 * PERCENT), &text));
        fprintf(out, "max %s, ", shown(distribution_max(d), &text));
    }
    fprintf(out, "of %" PRIu64 " ", d->count);
    return true;
}

static void print_connection_waits(FILE *out, const struct snapshot *total)
{
    const struct distribution *waits = &total->metric[METRIC_CONNECTION_WAIT];
    const uint64_t failed = total->counter[COUNTER_POOL_TIMEOUT];
    if (print_times(out, "Wait for a connection of the pool", waits, failed))
        fprintf(out, "requests; %" PRIu64 " waits took too long\n\n", failed);
}

void report_connects(FILE *out, const struct snapshot *total)
{
    const struct connect_totals *connects = &total->connects;
    if (print_times(out, "Time to connect", &connects->time, connects->failed))
        fprintf(out, "connects; %" PRIu64 " failed\n\n", connects->failed);
    print_connection_waits(out, total);
}

void report_staleness(FILE *out, const struct connect_totals *staleness)
{
    if (print_times(out, "Staleness of replicas", &staleness->time, staleness->failed))
        fprintf(out, "reads; %" PRIu64 " not answered\n\n", staleness->failed);
}

void report_idle(FILE *out, const struct idle_counts *idle)
{
    if (idle->wanted == 0)
        return;
    fprintf(out,
            "Idle connections: %" PRIu64 " of %" PRIu64 " were open at the end (at most %" PRIu64
            "); %" PRIu64 " opened, %" PRIu64 " refused, %" PRIu64 " closed by the server, %" PRIu64
            " statements\n",
            idle->open, idle->wanted, idle->most, idle->opened, idle->refused, idle->closed,
            idle->touched);
    if (idle->failure[0] != '\0') {
        char *text = report_printable(idle->failure);
        fprintf(out, "    last refusal: %s\n", text);
        free(text);
    }
    fputc('\n', out);
}
