/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages for people about runs, and the page to log in. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json_value.h"
#include "report/page/html.h"
#include "service/serve/filter.h"
#include "service/serve/handlers.h"
#include "service/serve/site.h"
#include "tools/capacity/capacity_record.h"
#include "tools/capacity/capacity_text.h"
#include "tools/html_text.h"
#include "tools/report_again.h"

/* The list of runs, the newest first. */

struct list {
    char **row; /* HTML */
    size_t rows;
};

/* Writes a cell. On a narrow screen the row is a card, which shows the name of each figure. */
static void print_number(FILE *out, const char *name, int decimals, double value)
{
    fprintf(out, "<td class=\"number\" data-name=\"%s\">", name);
    if (isnan(value))
        fputs("-</td>", out);
    else
        fprintf(out, "%.*f</td>", decimals, value);
}

static void print_labels(FILE *out, const char *labels)
{
    const char *name;
    json_t *value, *all = json_loads(labels, 0, NULL);
    json_object_foreach(all, name, value)
    {
        fputs(" <span class=\"label\">", out);
        site_text(out, name);
        fputs("=", out);
        site_text(out, json_is_string(value) ? json_string_value(value) : "");
        fputs("</span>", out);
    }
    json_decref(all);
}

/* The capacity that a search has found is shown next to the labels. It does not belong into the
 * column "rate", which shows requested rates. */
static void print_capacity(FILE *out, const struct archive_row *row)
{
    const double *figure = row->entry.figure;
    if (row->entry.kind == ARCHIVE_PROBE)
        fputs(" <span class=\"muted\">probe</span>", out);
    if (row->entry.kind != ARCHIVE_CAPACITY)
        return;
    if (isnan(figure[ARCHIVE_CAPACITY_PER_S]))
        fputs(" <span class=\"muted\">capacity</span>", out);
    else
        fprintf(out, " <b>capacity %.15g/s</b> (%.15g to %.15g)",
                capacity_digits(figure[ARCHIVE_CAPACITY_PER_S]),
                capacity_digits(figure[ARCHIVE_CAPACITY_LOW_PER_S]),
                capacity_digits(figure[ARCHIVE_CAPACITY_HIGH_PER_S]));
}

/* Writes the boxes that put the run on side A or B of a comparison. */
static void print_boxes(FILE *out, long long id)
{
    for (const char *side = "ab"; *side != '\0'; side++)
        fprintf(out,
                "<td class=\"tick\" data-name=\"%c\"><input type=\"checkbox\" name=\"%c\" "
                "value=\"%lld\" aria-label=\"run %lld on side %c\"></td>",
                toupper(*side), *side, id, id, toupper(*side));
}

/* Writes "2026-01-31 23:59:59". The text comes from a report and may be anything. */
static void print_started(FILE *out, const char *text)
{
    char *started = checked_alloc(strndup(text, 19));
    if (strlen(started) > 10 && started[10] == 'T')
        started[10] = ' ';
    site_text(out, started);
    free(started);
}

/* Writes "A, B" for "A,B", so that the line can be broken. */
static void print_verdict(FILE *out, const char *text)
{
    for (size_t length; *text != '\0'; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        char *finding = checked_alloc(strndup(text, length));
        site_text(out, finding);
        free(finding);
        fputs(text[length] == ',' ? ", " : "", out);
    }
}

static void print_row(FILE *out, const struct archive_row *row)
{
    const double *figure = row->entry.figure;
    const long long id = row->id;
    const bool valid = strcmp(row->entry.verdict, "VALID") == 0;
    fputs("<tr>", out);
    print_boxes(out, id);
    fprintf(out, "<th scope=\"row\"><a href=\"/runs/%lld\">%lld</a></th><td class=\"started\">", id,
            id);
    print_started(out, row->entry.started);
    fputs("</td><td class=\"test\">", out);
    site_text(out, row->entry.test);
    fputs("</td>", out);
    print_number(out, "rate", 0, figure[ARCHIVE_RATE]);
    print_number(out, "workers", 0, figure[ARCHIVE_WORKERS]);
    print_number(out, "completed/s", 2, figure[ARCHIVE_COMPLETED_PER_S]);
    print_number(out, "p50 ms", 2, figure[ARCHIVE_P50_MS]);
    print_number(out, "p95 ms", 2, figure[ARCHIVE_P95_MS]);
    print_number(out, "p99 ms", 2, figure[ARCHIVE_P99_MS]);
    fprintf(out, "<td class=\"%s\">", valid ? "good" : "bad");
    print_verdict(out, row->entry.verdict);
    fputs("</td><td class=\"labels\">", out);
    print_capacity(out, row);
    print_labels(out, row->labels);
    fputs("</td></tr>\n", out);
}

static void add_row(void *arg, const struct archive_row *row)
{
    struct list *list = arg;
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    print_row(out, row);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    list->row = xrealloc(list->row, (list->rows + 1) * sizeof(*list->row));
    list->row[list->rows++] = text;
}

static void print_table(FILE *out, const struct list *list)
{
    static const char *const columns[] = {"run",     "started, UTC", "test",   "rate",
                                          "workers", "completed/s",  "p50 ms", "p95 ms",
                                          "p99 ms",  "verdict",      "labels"};
    fputs("<form action=\"/compare\" id=\"runs\">\n<p class=\"muted\">To compare runs, tick one "
          "for side A and one for side B, or several repetitions with the same settings for "
          "each.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Runs\">"
          "<table class=\"cards\">\n<thead><tr><th scope=\"col\">A</th><th scope=\"col\">B</th>",
          out);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        fprintf(out, "<th scope=\"col\" class=\"sorts\">%s</th>", columns[i]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = list->rows; i > 0; i--)
        fputs(list->row[i - 1], out);
    fputs("</tbody></table></div>\n<p class=\"compare\"><button id=\"compare\">Compare A with "
          "B</button> <span id=\"ticked\" role=\"status\"></span></p>\n</form>\n",
          out);
}

/* Writes a link to the address of this page with another value of `skip`. */
static void print_turn(struct exchange *x, const char *name, int64_t skip)
{
    fputs("<a href=\"/?", x->out);
    for (size_t i = 0; i < x->queries; i++)
        if (strcmp(x->query[i].name, "skip") != 0 && x->query[i].value[0] != '\0') {
            site_url_text(x->out, x->query[i].name);
            fputs("=", x->out);
            site_url_text(x->out, x->query[i].value);
            fputs("&amp;", x->out);
        }
    fprintf(x->out, "skip=%lld\">%s</a>\n", (long long)skip, name);
}

static void print_pager(struct exchange *x, const struct archive_filter *f, size_t rows,
                        int64_t count)
{
    fprintf(x->out, "<p>%lld to %lld of %lld\n", (long long)f->skip + 1,
            (long long)f->skip + (long long)rows, (long long)count);
    if (f->skip > 0)
        print_turn(x, "newer", max_i64(0, f->skip - f->limit));
    if (f->skip + (int64_t)rows < count)
        print_turn(x, "older", f->skip + f->limit);
    fputs("</p>\n", x->out);
}

static void print_first_visit(struct exchange *x)
{
    fputs("<p>No run is here yet. A run adds itself:</p>\n<pre>sysrate --archive=", x->out);
    site_text(x->out, x->service->folder);
    fputs(" TEST run</pre>\n<p>Or give a report that a run wrote with <code>--json</code>:</p>\n",
          x->out);
}

static void print_upload(struct exchange *x)
{
    if (x->role < ROLE_RUN)
        return;
    fputs("<h2>Add a report</h2>\n<form id=\"upload\">\n<label>JSON report <input type=\"file\" "
          "id=\"report\" accept=\".json,application/json\" required></label>\n<label>Label <span "
          "class=\"hint\">NAME=VALUE</span> <input "
          "id=\"label\"></label>\n<button>Add</button>\n<p "
          "id=\"said\" role=\"status\"></p>\n</form>\n<noscript><p>Adding needs JavaScript; "
          "<code>sysrate archive add</code> does not.</p></noscript>\n",
          x->out);
}

static void print_runs(struct exchange *x, const struct archive_filter *f, const struct list *list,
                       int64_t count)
{
    site_begin(x, "Runs", "/", NULL);
    if (count == 0 && x->queries == 0) {
        print_first_visit(x);
    } else {
        site_filter_form(x, "/", true);
        if (list->rows > 0)
            print_table(x->out, list);
        else
            fputs("<p>No run is like that.</p>\n", x->out);
        if (list->rows > 0)
            print_pager(x, f, list->rows, count);
    }
    print_upload(x);
    site_end(x);
}

void page_runs(struct exchange *x)
{
    struct filter filter;
    struct list list = {0};
    if (filter_read(&filter, x) == 0) {
        log_capture();
        int64_t count = archive_count(x->archive, &filter.archive);
        if (count < 0 || archive_each(x->archive, &filter.archive, add_row, &list) != 0)
            exchange_fail_heard(x, 500);
        else
            print_runs(x, &filter.archive, &list, count);
        free(log_captured());
    }
    for (size_t i = 0; i < list.rows; i++)
        free(list.row[i]);
    free(list.row);
}

/* The page of a run is that of `sysrate report` with the navigation bar, and with number and labels
 * of the run in its heading. If sysrate was built without such pages, it is the text of the
 * report. */

static int print_text(struct exchange *x, const struct report_document *document, const char *name)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    int status = report_again(out, document, name);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    site_begin(x, name, "", NULL);
    fputs("<pre>", x->out);
    html_text_print(x->out, text);
    fputs("</pre>\n", x->out);
    site_end(x);
    free(text);
    return status;
}

/* The page reads the member "archived" of a report. */
static void add_labels(void *arg, const struct archive_row *row)
{
    json_t *labels = json_loads(row->labels, 0, NULL);
    value_set(arg, "labels", labels != NULL ? labels : value_object());
}

static int print_run(struct exchange *x, const struct report_document *document, const char *name)
{
    const struct html_run run = {name, document};
    const struct archive_filter this = {.id = x->id};
    char title[32];
    if (!html_available())
        return print_text(x, document, name);
    json_t *archived = value_object();
    snprintf(title, sizeof(title), "Run %lld", (long long)x->id);
    value_set(archived, "title", value_text(title));
    int status = archive_each(x->archive, &this, add_labels, archived);
    value_set(document->head, "archived", archived);
    x->type = "text/html; charset=utf-8";
    x->policy = x->service->report_policy;
    char *places = site_places(x->service);
    status = status == 0 ? html_print(x->out, &run, 1, places) : status;
    free(places);
    return status;
}

/* Shows the result of a capacity search. Frees `text`. */
static void print_search(struct exchange *x, const char *name, char *text, size_t bytes)
{
    struct capacity_kept kept;
    if (capacity_kept_read(&kept, name, text, bytes) == 0) {
        char *title;
        checked_alloc(
            asprintf(&title, "Run %lld: capacity of %s", (long long)x->id, kept.record.test) < 0
                ? NULL
                : title);
        site_begin(x, title, "", capacity_chart_style);
        free(title);
        fprintf(x->out, "<p>Result of a search (<a href=\"/api/v1/runs/%lld\">JSON</a>)</p>\n",
                (long long)x->id);
        capacity_print_charts(&kept.record, x->out);
        site_end(x);
    } else {
        exchange_fail_heard(x, 500);
    }
    capacity_kept_fini(&kept);
    free(text);
}

static void load_and_print(struct exchange *x)
{
    struct report_document document;
    char name[32];
    size_t bytes;
    char *text = archive_report(x->archive, x->id, &bytes);
    snprintf(name, sizeof(name), "run %lld", (long long)x->id);
    if (text != NULL && archive_is_capacity(text, bytes)) {
        print_search(x, name, text, bytes);
        return;
    }
    if (text == NULL || report_document_parse(&document, name, text, bytes) != 0) {
        exchange_fail_heard(x, 500);
        return;
    }
    if (print_run(x, &document, name) != 0)
        exchange_fail_heard(x, 500);
    report_document_fini(&document);
}

void page_run(struct exchange *x)
{
    const struct archive_filter this = {.id = x->id};
    if (archive_count(x->archive, &this) == 0) {
        exchange_fail(x, 404, "There is no run %lld in this archive.", (long long)x->id);
        return;
    }
    log_capture();
    load_and_print(x);
    free(log_captured());
}

void page_login(struct exchange *x)
{
    site_begin(x, "Log in", "/login", NULL);
    if (x->service->tokens != NULL)
        site_login_form(x);
    else
        fputs("<p>This service wants no token.</p>\n", x->out);
    site_end(x);
}
