/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the wait events of requests: their shares of the response time, for all requests and
 * for the slow ones, and the holders of locks. */
#include <stdarg.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "report/text/report.h"
#include "report/text/report_text.h"
#include "result/waits/wait_shares.h"

static const unsigned shown[] = {WAIT_COLUMN_ALL, WAIT_COLUMN_P95, WAIT_COLUMN_P99};

/* A row is not shown if its shares in all columns are below this limit, unless the shares are
 * exact. */
#define SHOWN_MIN 0.0005
/* Parts of a row that would be printed as 0 % are not shown. */
#define PART_MIN 0.005

/* A line of the table. */
struct line {
    char text[256];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(line->text + line->used, sizeof(line->text) - line->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        line->used += (size_t)min_i64(length, (int64_t)(sizeof(line->text) - 1 - line->used));
}

/* Prints the line without blanks at its end. */
static void print_whole(FILE *out, struct line *line)
{
    while (line->used > 0 && line->text[line->used - 1] == ' ')
        line->used--;
    fprintf(out, "%.*s\n", (int)line->used, line->text);
}

/* Adds "-" if the share is negative, that is, not known. */
static void add_exact(struct line *line, double share)
{
    if (share < 0)
        add(line, " %7s         ", "-");
    else
        add(line, " %7.1f %%       ", 100 * share);
}

/* Adds the share of a row with its error. The error printed is at least 0.1 %, because 0.0 would
 * look exact. */
static void add_share(struct line *line, const struct wait_column *column,
                      const struct wait_row *row, struct wait_share share)
{
    if (row->exact || !column->divided)
        add_exact(line, row->exact ? share.share : -1);
    else
        add(line, " %7.1f %% ± %-4.1f", 100 * share.share,
            100 * (share.error > 0.001 ? share.error : 0.001));
}

static void print_line(FILE *out, const char *name, const struct wait_shares *s,
                       double (*figure)(const struct wait_column *c))
{
    struct line line = {.used = 0};
    add(&line, "    %-32s", name);
    for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
        add_exact(&line, figure(&s->column[shown[i]]));
    print_whole(out, &line);
}

static double late(const struct wait_column *c)
{
    return c->late;
}

static double queued(const struct wait_column *c)
{
    return c->queued;
}

static double undivided(const struct wait_column *c)
{
    return c->divided ? -1 : c->service - c->locked;
}

/* Sessions that block others. */

static void print_stranger(FILE *out, const struct wait_stranger *s)
{
    fprintf(out, "session %" PRIu64, s->session);
    if (s->program[0] == '\0' && s->user[0] == '\0')
        return;
    fprintf(out, " (%s%s%s", s->program, s->program[0] != '\0' && s->user[0] != '\0' ? ", " : "",
            s->user);
    if (s->state[0] != '\0')
        fprintf(out, ", %s", s->state);
    /* Without the privilege to see the session, its age is not known and 0. */
    if (s->seconds >= 0.05)
        fprintf(out, ", %.1f s", s->seconds);
    fputc(')', out);
}

static void print_part(FILE *out, const struct wait_shares *s, const struct wait_part *part)
{
    if (part->object[0] != '\0')
        fprintf(out, "on %s", part->object);
    if (part->object[0] != '\0' && part->blocker != WAIT_BY_NOBODY)
        fputs(", ", out);
    if (part->blocker == WAIT_BY_RUN)
        fputs("blocked by this run", out);
    else if (part->blocker == WAIT_BY_UNKNOWN)
        fputs("blocker not known", out);
    else if (part->blocker >= WAIT_BY_STRANGER) {
        fputs("blocked by ", out);
        print_stranger(out, &s->names.stranger[part->blocker - WAIT_BY_STRANGER]);
    }
    fprintf(out, ": %.0f %%\n", 100 * part->share);
}

static void print_text(FILE *out, const struct wait_shares *s, const struct wait_part *part)
{
    if (part->blocker < WAIT_BY_STRANGER)
        return;
    const struct wait_stranger *stranger = &s->names.stranger[part->blocker - WAIT_BY_STRANGER];
    if (stranger->text[0] != '\0')
        fprintf(out, "          its statement: %s\n", stranger->text);
}

static void print_shares(FILE *out, const struct wait_shares *s, const struct wait_row *row)
{
    struct line line = {.used = 0};
    add(&line, "    %-32s", row->event);
    for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
        add_share(&line, &s->column[shown[i]], row, row->in[shown[i]]);
    print_whole(out, &line);
}

static void print_row(FILE *out, const struct wait_shares *s, const struct wait_row *row)
{
    print_shares(out, s, row);
    for (unsigned i = 0; i < row->parts; i++) {
        if (row->part[i].share < PART_MIN)
            continue;
        fputs("        ", out);
        print_part(out, s, &row->part[i]);
        print_text(out, s, &row->part[i]);
    }
}

static bool is_shown(const struct wait_row *row)
{
    for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
        if (row->in[shown[i]].share >= SHOWN_MIN)
            return true;
    return false;
}

/* Returns true if the table has several rows for locks. Only then does a row for all locks add
 * anything. */
static bool has_several_locks(const struct wait_shares *s)
{
    unsigned locks = 0;
    for (unsigned i = 0; i < s->rows; i++)
        locks += wait_names_group(s->row[i].event) == WAIT_LABEL_LOCKS && is_shown(&s->row[i]);
    return locks > 1;
}

/* Sentences after the table. */

static void print_too_few(FILE *out, const struct wait_column *c)
{
    if (c->divided)
        return;
    if (c->percentile > 0)
        fprintf(out, "    Above p%g, ", (double)c->percentile / PERCENT);
    else
        fputs("    Of all requests, ", out);
    fprintf(out,
            "%" PRIu64 " samples of %.0f requests are too few (%d samples of %d requests are "
            "needed): ",
            c->samples, c->effective, WAIT_SAMPLES_MIN, WAIT_REQUESTS_MIN);
    fprintf(out, "a run of %.0f s would %ssuffice.\n", c->enough_s,
            c->samples == 0 ? "at least be needed, and may " : "");
}

/* Prints the table of the locks and their holder, if a single one accounts for most of the row. */
static void print_holder(FILE *out, const struct wait_shares *s, const struct wait_row *row)
{
    if (row == NULL || row->parts == 0 || row->part[0].share <= 0.5)
        return;
    const struct wait_part *part = &row->part[0];
    if (part->object[0] != '\0')
        fprintf(out, ", on %s", part->object);
    if (part->blocker == WAIT_BY_RUN)
        fputs(", held by other workers of this run", out);
    if (part->blocker >= WAIT_BY_STRANGER) {
        fputs(", held by ", out);
        print_stranger(out, &s->names.stranger[part->blocker - WAIT_BY_STRANGER]);
    }
}

bool report_wait_cause(FILE *out, const struct wait_shares *s)
{
    const struct wait_cause cause = wait_shares_cause(s);
    if (cause.event == NULL)
        return false;
    fprintf(out, "p99 is %s: %.0f %% of the time of requests above p99", cause.event,
            100 * cause.share.share);
    print_holder(out, s, cause.row);
    fputc('.', out);
    return true;
}

static void print_cause(FILE *out, const struct wait_shares *s)
{
    if (wait_shares_cause(s).event == NULL)
        return;
    fputs("    ", out);
    report_wait_cause(out, s);
    fputc('\n', out);
}

static void print_notes(FILE *out, const struct wait_shares *s)
{
    for (unsigned i = 0; i < s->notes; i++)
        fprintf(out, "    Note: %s\n", s->note[i]);
    fputc('\n', out);
}

/* Number of waits in the line of a span of time. */
#define SPAN_SHOWN 3

void report_wait_span(FILE *out, const struct wait_span *span)
{
    unsigned label[SPAN_SHOWN];
    if (span->names == NULL)
        return;
    const unsigned count = wait_span_top(span, label, SPAN_SHOWN);
    fprintf(out, "    waits (%" PRIu64 " samples):", span->samples);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s %s %.0f %%", i > 0 ? "," : "", span->names->event[label[i]],
                100 * span->share[label[i]]);
    fputs(count == 0 ? " not known\n" : "\n", out);
}

void report_wait_events(FILE *out, const struct wait_shares *s)
{
    if (s->statements == 0 && s->notes > 0) {
        fputs("What requests waited for: not known, nothing was sampled\n", out);
        print_notes(out, s);
        return;
    }
    const struct wait_column *slow = &s->column[WAIT_COLUMN_P99];
    fprintf(out,
            "What requests waited for (share of the response time; %" PRIu64 " samples, %" PRIu64
            " of requests above p99):\n    %-32s %9s        %9s        %9s\n",
            s->taken, slow->samples, "", "all", "above p95", "above p99");
    print_line(out, "client late", s, late);
    print_line(out, "waiting for a worker", s, queued);
    for (unsigned i = 0; i < s->rows; i++)
        if (is_shown(&s->row[i]))
            print_row(out, s, &s->row[i]);
    if (has_several_locks(s))
        print_shares(out, s, &s->locks);
    if (!slow->divided)
        print_line(out, "in service, not divided", s, undivided);
    for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
        print_too_few(out, &s->column[shown[i]]);
    print_cause(out, s);
    print_notes(out, s);
}
