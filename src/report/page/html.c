/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page/html.h"

#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "options/percentiles.h"
#include "report/json/report_json_value.h"
#include "report/json/report_restore.h"
#include "report/json/report_settings.h"
#include "report/page/embedded_page.h"
#include "report/page/page_columns.h"
#include "report/page/page_json.h"
#include "report/json/figures.h"

/* Returns the part of the histograms that the page draws. */
static json_t *page_histogram(const json_t *histogram)
{
    json_t *result = value_object(), *censored = value_object(), *sums = value_object();
    for (unsigned i = 0; i < FIGURE_TIMES_DRAWN; i++) {
        const char *name = figure_time_name(i);
        json_object_set(result, name, json_object_get(histogram, name));
        json_object_set(censored, name,
                        json_object_get(json_object_get(histogram, "censored"), name));
        json_object_set(sums, name, json_object_get(json_object_get(histogram, "sums"), name));
    }
    value_set(result, "censored", censored);
    value_set(result, "sums", sums);
    return result;
}

/* Returns copies of the hosts without their histograms. */
static json_t *page_hosts(const json_t *hosts)
{
    json_t *array = value_array(), *host;
    size_t i;
    json_array_foreach(hosts, i, host)
    {
        json_t *copy = checked_alloc(json_copy(host));
        json_object_del(copy, "histogram");
        json_object_del(copy, "sums");
        value_append(array, copy);
    }
    return array;
}

/* Returns the percentiles in the overview of the page, whether the run printed them or not. */
static json_t *page_glance(const json_t *summary)
{
    static const int64_t percentile[] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT};
    return report_percentiles(summary, percentile, ARRAY_SIZE(percentile));
}

/* Returns the members of the report except the intervals, with the name of the run added.
 * Histograms of parts of the run are left out. */
static json_t *page_head(const struct html_run *run)
{
    json_t *head = checked_alloc(json_copy(run->document->head)), *checkpoints = value_array(),
           *part;
    json_t *summary = checked_alloc(json_copy(json_object_get(head, "summary")));
    size_t i;

    json_object_del(head, "spool");
    value_set(head, "glance", page_glance(summary));
    value_set(head, "name", value_text(run->name));
    if (json_object_get(summary, "histogram") != NULL)
        value_set(summary, "histogram", page_histogram(json_object_get(summary, "histogram")));
    if (json_object_get(summary, "hosts") != NULL)
        value_set(summary, "hosts", page_hosts(json_object_get(summary, "hosts")));
    value_set(head, "summary", summary);
    json_array_foreach(json_object_get(head, "checkpoints"), i, part)
    {
        json_t *copy = checked_alloc(json_copy(part));
        json_object_del(copy, "histogram");
        json_object_del(copy, "statements");
        json_object_del(copy, "hosts");
        value_append(checkpoints, copy);
    }
    value_set(head, "checkpoints", checkpoints);
    return head;
}

int html_add_run(FILE *out, const struct html_run *run)
{
    struct page_columns columns = {0};
    int status = report_document_each(run->document, run->name, page_columns_add, &columns);
    if (status == 0) {
        json_t *head = page_head(run);
        fputs("<script type=\"application/json\" class=\"run\">{", out);
        page_json_write(head, JSON_EMBED, out);
        fputc(',', out);
        page_columns_write(&columns, out);
        fputs("}</script>\n", out);
        json_decref(head);
    }
    page_columns_fini(&columns);
    return status;
}

/* Writes the names of the options that report_settings() leaves out; the page does not use them
 * to distinguish runs. */
static void write_no_settings(FILE *out)
{
    json_t *names = report_settings_others();
    fputs("<script type=\"application/json\" id=\"no-settings\">", out);
    page_json_write(names, 0, out);
    fputs("</script>\n", out);
    json_decref(names);
}

bool html_available(void)
{
    return embedded_page_head.length > 0;
}

int html_check(void)
{
    if (html_available())
        return 0;
    log_text(LOG_FATAL, "--html: this sysrate was built without pages (configure --without-html)");
    return -1;
}

/* The HTML text `top` is inserted after this tag. */
static const char body[] = "<body>\n";

int html_begin(FILE *out, const char *top)
{
    const struct embedded_text head = embedded_page_head;
    if (html_check() != 0)
        return -1;
    const unsigned char *at = memmem(head.bytes, head.length, body, strlen(body));
    const size_t before = at != NULL ? (size_t)(at - head.bytes) + strlen(body) : head.length;
    fwrite(head.bytes, 1, before, out);
    fputs(top != NULL ? top : "", out);
    fwrite(head.bytes + before, 1, head.length - before, out);
    write_no_settings(out);
    return 0;
}

void html_end(FILE *out)
{
    fwrite(embedded_page_tail.bytes, 1, embedded_page_tail.length, out);
}

int html_print(FILE *out, const struct html_run *runs, size_t count, const char *top)
{
    if (html_begin(out, top) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (html_add_run(out, &runs[i]) != 0)
            return -1;
    html_end(out);
    return 0;
}

int html_write(const char *path, const struct html_run *runs, size_t count)
{
    struct outfile file;
    if (html_check() != 0 || outfile_open(&file, path) != 0)
        return -1;
    if (html_print(file.stream, runs, count, NULL) == 0)
        return outfile_commit(&file);
    outfile_abandon(&file);
    return -1;
}

int html_write_report(const char *path, const struct report_json *json)
{
    struct report_document document;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = checked_alloc(open_memstream(&text, &bytes));
    report_json_print(json, stream);
    if (fclose(stream) != 0)
        checked_alloc(NULL);
    if (report_document_parse(&document, path, text, bytes) != 0)
        return -1;
    struct html_run run = {"run", &document};
    int status = html_write(path, &run, 1);
    report_document_fini(&document);
    return status;
}
