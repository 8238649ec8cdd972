/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The routes for programs about runs of the archive. */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json_value.h"
#include "report/page/html.h"
#include "service/serve/filter.h"
#include "service/serve/handlers.h"
#include "service/serve/json_limits.h"
#include "tools/archive/archive_accept.h"
#include "tools/archive/archive_list.h"
#include "tools/capacity/capacity_record.h"

void api_runs(struct exchange *x)
{
    struct filter filter;
    if (filter_read(&filter, x) != 0)
        return;
    log_capture();
    if (archive_list(x->out, x->archive, &filter.archive, ARCHIVE_JSON) != 0)
        exchange_fail_heard(x, 500);
    free(log_captured());
}

static bool has_run(struct exchange *x)
{
    const struct archive_filter this = {.id = x->id};
    if (archive_count(x->archive, &this) > 0)
        return true;
    exchange_fail(x, 404, "there is no run %lld", (long long)x->id);
    return false;
}

void api_run(struct exchange *x)
{
    if (!has_run(x))
        return;
    log_capture();
    x->report = archive_stream_open(x->archive, x->id, &x->report_bytes);
    if (x->report == NULL)
        exchange_fail_heard(x, 500);
    free(log_captured());
}

/* Writes the page of a capacity search. Frees `text`. Returns −1 after a logged message. */
static int print_search(struct exchange *x, const char *name, char *text, size_t bytes)
{
    struct capacity_kept kept;
    int status = capacity_kept_read(&kept, name, text, bytes);
    x->policy = x->service->search_policy;
    if (status == 0)
        capacity_print_page(&kept.record, x->out);
    capacity_kept_fini(&kept);
    free(text);
    return status;
}

static int print_page(struct exchange *x)
{
    struct report_document document;
    char name[32];
    size_t bytes;
    char *text = archive_report(x->archive, x->id, &bytes);
    snprintf(name, sizeof(name), "run %lld", (long long)x->id);
    if (text != NULL && archive_is_capacity(text, bytes))
        return print_search(x, name, text, bytes);
    if (text == NULL || report_document_parse(&document, name, text, bytes) != 0)
        return -1;
    const struct html_run run = {name, &document};
    int status = html_print(x->out, &run, 1, NULL);
    report_document_fini(&document);
    return status;
}

void api_run_page(struct exchange *x)
{
    if (!has_run(x))
        return;
    x->type = "text/html; charset=utf-8";
    x->policy = x->service->report_policy;
    log_capture();
    if (print_page(x) != 0)
        exchange_fail_heard(x, html_available() ? 500 : 501);
    free(log_captured());
}

/* Adding of an uploaded report. */

static void answer_id(struct exchange *x, int64_t id)
{
    json_t *object = value_object();
    value_set(object, "id", json_integer(id));
    exchange_print_json(x, object);
    x->status = 201;
    if (asprintf(&x->location, "/api/v1/runs/%lld", (long long)id) < 0)
        checked_alloc(NULL);
}

/* The label "job" lists the runs of a job, so only jobs set it. Reports of jobs, also of other
 * services, are added without it. */
static void reserve_label(struct exchange *x, struct filter *filter)
{
    static const struct archive_label reserved = {"job", NULL};
    for (size_t i = 0; i < filter->archive.labels; i++)
        if (strcmp(filter->label[i].name, reserved.name) == 0)
            exchange_fail(x, 422, "label: 'job' is reserved for the runs of jobs");
    filter->label[filter->archive.labels++] = reserved;
}

void api_add_run(struct exchange *x)
{
    struct filter filter;
    const char *allowed =
        json_limits_check_report(x->body, x->body_bytes, (size_t)x->service->body_bytes_max);
    if (allowed != NULL)
        exchange_fail(x, 422, "the report is not as allowed: %s", allowed);
    if (x->error != NULL || filter_read(&filter, x) != 0)
        return;
    reserve_label(x, &filter);
    if (x->error != NULL)
        return;
    log_capture();
    int64_t id = ARCHIVE_ADD_REFUSED;
    if (archive_accept("the report", x->body, x->body_bytes) == 0)
        id = archive_add(x->archive, "the report", x->body, x->body_bytes, filter.label,
                         filter.archive.labels);
    char *heard = log_captured();
    if (id > 0)
        answer_id(x, id);
    else
        exchange_fail(x, id == ARCHIVE_ADD_REFUSED ? 422 : 500, "%s",
                      heard != NULL ? heard : "the report was not added");
    free(heard);
}
