/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_csv.h"

#include <string.h>

#include "base/outfile.h"
#include "base/util.h"

void report_csv_init(struct report_csv *csv, FILE *out)
{
    *csv = (struct report_csv){.out = out};
}

void report_csv_fini(struct report_csv *csv)
{
    interval_columns_fini(&csv->columns);
}

void report_csv_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    fputc('"', out);
}

static void print_header(const struct report_csv *csv)
{
    for (size_t i = 0; i < csv->columns.count; i++) {
        fputs(i > 0 ? "," : "", csv->out);
        report_csv_text(csv->out, csv->columns.column[i].name);
    }
    fputs(REPORT_CSV_LINE_END, csv->out);
}

void report_csv_figure(FILE *out, const json_t *value)
{
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "1" : "0", out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.15g", json_real_value(value));
}

void report_csv_row(struct report_csv *csv, const json_t *interval)
{
    if (csv->columns.count == 0) {
        interval_columns_init(&csv->columns, interval);
        print_header(csv);
    }
    for (size_t i = 0; i < csv->columns.count; i++) {
        fputs(i > 0 ? "," : "", csv->out);
        report_csv_figure(csv->out, interval_value(interval, csv->columns.column[i].path));
    }
    fputs(REPORT_CSV_LINE_END, csv->out);
}

static void visit_row(void *arg, const json_t *interval)
{
    report_csv_row(arg, interval);
}

int report_csv_write(const char *path, const char *name, const struct report_document *document)
{
    struct outfile file;
    struct report_csv csv;
    if (outfile_open(&file, path) != 0)
        return -1;
    report_csv_init(&csv, file.stream);
    int status = report_document_each(document, name, visit_row, &csv);
    report_csv_fini(&csv);
    if (status == 0)
        return outfile_commit(&file);
    outfile_abandon(&file);
    return -1;
}
