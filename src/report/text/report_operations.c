/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of errors by code and of statements by class. */
#include "report/text/report.h"

#include <stdlib.h>
#include <string.h>

#include "report/text/report_text.h"

static uint64_t count_errors(const struct operation_totals *t)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < t->errors; i++)
        count += t->error[i].count;
    return count;
}

/* The list has an entry for each code in each class. The table has one row per code, printed for
 * the first entry that has the code. */
static bool is_first_of_code(const struct operation_totals *t, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (operation_error_same(&t->error[k], &t->error[i]))
            return false;
    return true;
}

static struct operation_error sum_of_code(const struct operation_totals *t, unsigned first)
{
    struct operation_error sum = t->error[first];
    for (unsigned i = first + 1; i < t->errors; i++)
        if (operation_error_same(&t->error[i], &sum)) {
            sum.count += t->error[i].count;
            sum.ignored += t->error[i].ignored;
        }
    return sum;
}

static void print_error(FILE *out, const struct operation_error *e)
{
    char *message = report_printable(e->message);
    fprintf(out, "%12d %6s %10" PRIu64 " %10" PRIu64 "  %s\n", e->code,
            e->state[0] != '\0' ? e->state : "-", e->count, e->ignored, message);
    free(message);
}

static void print_errors(FILE *out, const struct operation_totals *t)
{
    fprintf(out, "Errors by code:\n%12s %6s %10s %10s  %s\n", "code", "state", "count", "ignored",
            "message");
    for (unsigned i = 0; i < t->errors; i++) {
        if (!is_first_of_code(t, i))
            continue;
        struct operation_error e = sum_of_code(t, i);
        if (e.count > 0)
            print_error(out, &e);
    }
    fputc('\n', out);
}

static int name_width(const struct operation_totals *t)
{
    size_t width = strlen("class");
    for (unsigned i = 0; i < t->classes; i++)
        width = strlen(t->class[i].name) > width ? strlen(t->class[i].name) : width;
    return (int)width;
}

static void print_class_heading(FILE *out, const struct settings *settings, int width)
{
    fprintf(out, "Statements by class (times in ms):\n    %-*s %10s %10s %12s %12s", width, "class",
            "count", "errors", "matched", "changed");
    report_time_headings(out, settings);
    fputc('\n', out);
}

static void print_class(FILE *out, const struct settings *settings, int width,
                        const struct operation_class *c)
{
    char *name = report_printable(c->name);
    fprintf(out, "    %-*s %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64, width, name,
            c->count, c->errors, c->matched, c->changed);
    report_time_columns(out, settings, &c->time);
    fputc('\n', out);
    free(name);
}

static void print_classes(FILE *out, const struct settings *settings,
                          const struct operation_totals *t)
{
    int width = name_width(t);
    print_class_heading(out, settings, width);
    for (unsigned i = 0; i < t->classes; i++)
        print_class(out, settings, width, &t->class[i]);
    fputc('\n', out);
}

void report_operations(FILE *out, const struct report_format *format, const struct summary *summary)
{
    const struct operation_totals *t = summary->snapshot.operations;
    if (count_errors(t) > 0)
        print_errors(out, t);
    if (t->classes > 0)
        print_classes(out, format->settings, t);
}
