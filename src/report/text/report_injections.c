/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Injections: the lines when they begin and end, and the tables of response times before, during
 * and after them. */
#include "report/text/report.h"

#include <string.h>

#include "base/log.h"
#include "options/percentiles.h"
#include "report/text/report_text.h"

/* Number of output lines that are shown of a command. */
#define SHOWN_LINES 10

/* Prints text that a command or a server has written. */
static void print_text(FILE *out, const char *text)
{
    char *printable = log_printable(xstrdup(text), "\n\t");
    fputs(printable, out);
    free(printable);
}

static void print_moment(FILE *out, const struct injection *i, int64_t at_ns, const char *what)
{
    fprintf(out, "[ %.2fs ] injection %u %s: %s: %s", ns_to_seconds(at_ns), i->number, what,
            i->kind, i->text);
}

static void print_outcome(FILE *out, const struct injection *i)
{
    switch (i->state) {
    case INJECTION_NOT_STARTED:
        fputs("not started: the run ended before", out);
        break;
    case INJECTION_DONE:
        fputs("done", out);
        break;
    case INJECTION_FAILED:
        fputs("FAILED: ", out);
        print_text(out, i->error);
        break;
    case INJECTION_STOPPED:
        fputs("ended by the end of the run", out);
        break;
    case INJECTION_LEFT:
        fputs("still running after the end of the run", out);
        break;
    }
}

void report_injection_begin(FILE *out, const struct injection *injection)
{
    print_moment(out, injection, injection->from_ns, "begins");
    fputc('\n', out);
}

void report_injection_end(FILE *out, const struct injection *injection)
{
    print_moment(out, injection, injection->to_ns, "ends");
    fprintf(out, " (%.2f s, ", ns_to_seconds(injection->to_ns - injection->from_ns));
    print_outcome(out, injection);
    fputs(")\n", out);
}

/* The table has a column for the time before, during and after the injection. */

static uint64_t arrived(const struct injection_span *span)
{
    return span->response.count + span->response.censored;
}

static void print_cell(FILE *out, const struct injection_span *span, struct bounded value)
{
    fprintf(out, " %12s", arrived(span) > 0 ? report_bounded(value, NS_PER_MS).text : "-");
}

static void print_mean(FILE *out, const struct injection_span *span, int64_t percentile)
{
    (void)percentile;
    print_cell(out, span, distribution_mean(&span->response));
}

static void print_percentile(FILE *out, const struct injection_span *span, int64_t percentile)
{
    print_cell(out, span, distribution_percentile(&span->response, percentile));
}

static void print_seconds(FILE *out, const struct injection_span *span, int64_t unused)
{
    (void)unused;
    fprintf(out, " %12.2f", ns_to_seconds(span->to_ns - span->from_ns));
}

static void print_requests(FILE *out, const struct injection_span *span, int64_t unused)
{
    (void)unused;
    fprintf(out, " %12" PRIu64, arrived(span));
}

static void print_rate(FILE *out, const struct injection_span *span, int64_t unused)
{
    (void)unused;
    fprintf(out, " %12.2f", report_rate(arrived(span), span->to_ns - span->from_ns));
}

static void print_connects(FILE *out, const struct injection_span *span, int64_t unused)
{
    (void)unused;
    fprintf(out, " %12" PRIu64, span->connect.count);
}

static void print_connect_percentile(FILE *out, const struct injection_span *span,
                                     int64_t percentile)
{
    const struct bounded time = distribution_percentile(&span->connect, percentile);
    fprintf(out, " %12s", report_bounded(time, NS_PER_MS).text);
}

typedef void print_figure(FILE *out, const struct injection_span *span, int64_t percentile);

static void print_row(FILE *out, const struct injection *i, const char *name, print_figure *print,
                      int64_t percentile)
{
    fprintf(out, "%14s", name);
    print(out, &i->before, percentile);
    print(out, &i->during, percentile);
    print(out, &i->after, percentile);
    fputc('\n', out);
}

static void print_table(FILE *out, const struct settings *settings, const struct injection *i)
{
    fprintf(out, "%14s %12s %12s %12s\n", "", "before", "during", "after");
    print_row(out, i, "seconds", print_seconds, 0);
    print_row(out, i, "requests", print_requests, 0);
    print_row(out, i, "per sec.", print_rate, 0);
    print_row(out, i, "mean", print_mean, 0);
    for (unsigned p = 0; p < settings->percentiles; p++)
        print_row(out, i, report_percentile_label(settings->percentile[p]).text, print_percentile,
                  settings->percentile[p]);
    print_row(out, i, "max", print_percentile, 100 * PERCENT);
    if (i->before.connect.count + i->during.connect.count + i->after.connect.count == 0)
        return;
    print_row(out, i, "connects", print_connects, 0);
    print_row(out, i, "connect p50", print_connect_percentile, 50 * PERCENT);
    print_row(out, i, "connect p99", print_connect_percentile, 99 * PERCENT);
    print_row(out, i, "connect max", print_connect_percentile, 100 * PERCENT);
}

static void print_recovery(FILE *out, const struct injection *i)
{
    char name[24];
    percentile_label(i->percentile, name, sizeof(name));
    fputs("    recovery: ", out);
    if (i->state == INJECTION_STOPPED || i->state == INJECTION_LEFT)
        fputs("unknown, the injection lasted until the end of the run\n", out);
    else if (i->level_ns < 0)
        fputs("unknown, nothing was measured shortly before the injection\n", out);
    else if (i->recovery_ns < 0)
        fprintf(out, "not within the run (%s of %g s at most %.2f ms, as before)\n", name,
                ns_to_seconds(i->window_ns), ns_to_ms(i->level_ns));
    else
        fprintf(out, "%.2f s after its end (%s of %g s at most %.2f ms, as before)\n",
                ns_to_seconds(i->recovery_ns), name, ns_to_seconds(i->window_ns),
                ns_to_ms(i->level_ns));
}

/* Returns the beginning of the last `lines` lines of `text`. */
static const char *last_lines(const char *text, unsigned lines)
{
    const char *at = text + strlen(text);
    while (at > text && at[-1] == '\n')
        at--;
    for (; at > text; at--)
        if (at[-1] == '\n' && --lines == 0)
            break;
    return at;
}

static void print_output(FILE *out, const struct injection *i)
{
    if (i->output == NULL || (i->state == INJECTION_DONE && i->exit_code < 0))
        return;
    char *printable = log_printable(xstrdup(i->output), "\r\n\t");
    for (const char *line = last_lines(printable, SHOWN_LINES); *line != '\0';) {
        int length = (int)strcspn(line, "\r\n");
        if (length > 0)
            fprintf(out, "    | %.*s\n", length, line);
        line += length + (line[length] != '\0');
    }
    free(printable);
}

static void print_injection(FILE *out, const struct settings *settings, const struct injection *i)
{
    fprintf(out, "  %u. %s: %s\n", i->number, i->kind, i->text);
    if (i->state == INJECTION_NOT_STARTED)
        fputs("    ", out);
    else
        fprintf(out, "    %.2f s to %.2f s: ", ns_to_seconds(i->from_ns), ns_to_seconds(i->to_ns));
    print_outcome(out, i);
    /* The answer to a statement is short. */
    if (i->state == INJECTION_DONE && i->exit_code < 0) {
        fputs(", ", out);
        print_text(out, i->output);
    }
    fputc('\n', out);
    print_output(out, i);
    if (i->state == INJECTION_NOT_STARTED)
        return;
    print_table(out, settings, i);
    report_wait_span(out, &i->waits);
    print_recovery(out, i);
}

void report_injections(FILE *out, const struct settings *settings,
                       const struct injection *injections, unsigned count, bool ranks)
{
    fprintf(out, "Injections (response time in ms of the requests%s that arrived then):\n",
            ranks ? " of rank 0" : "");
    for (unsigned i = 0; i < count; i++)
        print_injection(out, settings, &injections[i]);
    fputc('\n', out);
}
