/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/archive/archive_list.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "tools/capacity/capacity_text.h"

/* Argument of the functions that print a row. */
struct listing {
    FILE *out;
    uint64_t rows;
};

/* Output as a table. */

/* Prints "-" if the value is NAN. */
static void print_cell(FILE *out, int width, int decimals, double value)
{
    char text[40] = "-";
    if (!isnan(value))
        snprintf(text, sizeof(text), "%.*f", decimals, value);
    fprintf(out, " %*s", width, text);
}

/* Prints for example {"branch":"main","commit":"abc"} as `branch=main commit=abc`. */
static void print_labels(FILE *out, const char *labels)
{
    const char *name;
    json_t *value, *all = json_loads(labels, 0, NULL);
    json_object_foreach(all, name, value)
    {
        char *pair;
        if (asprintf(&pair, " %s=%s", name, json_string_value(value)) < 0)
            checked_alloc(NULL);
        fputs(log_printable(pair, ""), out);
        free(pair);
    }
    json_decref(all);
}

static void print_word(FILE *out, int width, const char *word)
{
    char *text = xstrdup(word);
    fprintf(out, "  %-*s", width, log_printable(text, ""));
    free(text);
}

/* The capacity has no column of its own: it is a rate, but not a requested one. */
static void print_capacity(FILE *out, const struct archive_row *row)
{
    const double *figure = row->entry.figure;
    if (row->entry.kind == ARCHIVE_PROBE)
        fputs(" (probe)", out);
    if (row->entry.kind != ARCHIVE_CAPACITY)
        return;
    if (isnan(figure[ARCHIVE_CAPACITY_PER_S]))
        fputs(" (capacity)", out);
    else
        fprintf(out, " (capacity %.15g/s, %.15g to %.15g)",
                capacity_digits(figure[ARCHIVE_CAPACITY_PER_S]),
                capacity_digits(figure[ARCHIVE_CAPACITY_LOW_PER_S]),
                capacity_digits(figure[ARCHIVE_CAPACITY_HIGH_PER_S]));
}

static void print_row(void *arg, const struct archive_row *row)
{
    struct listing *l = arg;
    const double *figure = row->entry.figure;
    if (l->rows++ == 0)
        fprintf(l->out, "%6s  %-19s  %-22s %8s %7s %11s %9s %9s  %-s\n", "run", "started", "test",
                "rate", "workers", "completed/s", "p50 ms", "p99 ms", "verdict, labels");
    fprintf(l->out, "%6lld", (long long)row->id);
    fprintf(l->out, "  %-19.19s", row->entry.started);
    print_word(l->out, 22, row->entry.test);
    print_cell(l->out, 8, 0, figure[ARCHIVE_RATE]);
    print_cell(l->out, 7, 0, figure[ARCHIVE_WORKERS]);
    print_cell(l->out, 11, 2, figure[ARCHIVE_COMPLETED_PER_S]);
    print_cell(l->out, 9, 2, figure[ARCHIVE_P50_MS]);
    print_cell(l->out, 9, 2, figure[ARCHIVE_P99_MS]);
    print_word(l->out, 0, row->entry.verdict);
    print_capacity(l->out, row);
    print_labels(l->out, row->labels);
    fputs("\n", l->out);
}

/* Output as CSV. */

/* Quotes a text as in RFC 4180. */
static void print_quoted(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', out);
}

static void print_csv_heading(FILE *out)
{
    fputs("id,series,kind,started,added,test,version,host,verdict", out);
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        fprintf(out, ",%s", archive_figure_name(i));
    fputs(",labels\n", out);
}

static void print_csv_row(void *arg, const struct archive_row *row)
{
    struct listing *l = arg;
    const struct archive_entry *e = &row->entry;
    const char *const text[] = {e->started, row->added, e->test, e->version, e->host, e->verdict};
    fprintf(l->out, "%lld,%lld,%s", (long long)row->id, (long long)row->series,
            archive_kind_name(e->kind));
    for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
        putc(',', l->out);
        print_quoted(l->out, text[i]);
    }
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        if (isnan(e->figure[i]))
            putc(',', l->out);
        else
            fprintf(l->out, ",%.15g", e->figure[i]);
    putc(',', l->out);
    print_quoted(l->out, row->labels);
    putc('\n', l->out);
}

/* Output as JSON: an array with one object per line. */

static void print_json_row(void *arg, const struct archive_row *row)
{
    struct listing *l = arg;
    const struct archive_entry *e = &row->entry;
    json_t *object = value_object();
    value_set(object, "id", json_integer(row->id));
    value_set(object, "series", json_integer(row->series));
    value_set(object, "kind", value_text(archive_kind_name(e->kind)));
    value_set(object, "started", value_text(e->started));
    value_set(object, "added", value_text(row->added));
    value_set(object, "test", value_text(e->test));
    value_set(object, "version", value_text(e->version));
    value_set(object, "host", value_text(e->host));
    value_set(object, "verdict", value_text(e->verdict));
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        value_set(object, archive_figure_name(i), value_real(e->figure[i]));
    value_set(object, "labels", json_loads(row->labels, 0, NULL));
    fputs(l->rows++ > 0 ? ",\n" : "", l->out);
    json_dumpf(object, l->out, REPORT_JSON_FLAGS);
    json_decref(object);
}

int archive_list(FILE *out, struct archive *archive, const struct archive_filter *filter,
                 enum archive_format format)
{
    struct listing listing = {.out = out};
    int status;
    if (format == ARCHIVE_JSON) {
        fputs("[", out);
        status = archive_each(archive, filter, print_json_row, &listing);
        fputs("]\n", out);
    } else if (format == ARCHIVE_CSV) {
        print_csv_heading(out);
        status = archive_each(archive, filter, print_csv_row, &listing);
    } else {
        status = archive_each(archive, filter, print_row, &listing);
        if (status == 0 && listing.rows == 0)
            fputs("no run\n", out);
    }
    return status;
}
