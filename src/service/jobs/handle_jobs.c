/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/handle_jobs.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json_value.h"
#include "service/jobs/config.h"
#include "service/jobs/job_desk.h"
#include "service/jobs/job_json.h"
#include "service/jobs/job_plan.h"

#define OPEN_MAX 100 /* jobs that may be queued or running */
#define LIST_MAX 200 /* jobs in the list */

static bool has_jobs(struct exchange *x)
{
    if (x->service->jobs != NULL)
        return true;
    exchange_fail(x, 404,
                  "this service takes no jobs (sysrate serve --targets=FILE "
                  "--tests=FILE)");
    return false;
}

void api_targets(struct exchange *x)
{
    json_t *all = value_array();
    if (has_jobs(x))
        for (size_t i = 0; i < x->service->jobs->targets->count; i++)
            value_append(all, target_json(&x->service->jobs->targets->target[i]));
    exchange_print_json(x, all);
}

void api_tests(struct exchange *x)
{
    json_t *all = value_array();
    if (has_jobs(x))
        for (size_t i = 0; i < x->service->jobs->catalogue->count; i++)
            value_append(all, catalogue_test_json(&x->service->jobs->catalogue->test[i]));
    exchange_print_json(x, all);
}

static void append_job(void *arg, const struct job *job)
{
    value_append(arg, job_json(job));
}

void api_jobs(struct exchange *x)
{
    const struct jobs_filter newest = {.limit = LIST_MAX};
    json_t *all = value_array();
    log_capture();
    if (has_jobs(x) && jobs_each(x->archive, &newest, append_job, all) < 0)
        exchange_fail_heard(x, 500);
    free(log_captured());
    exchange_print_json(x, all);
}

/* Adding of a job. */

static bool has_room(struct exchange *x)
{
    const int64_t open = jobs_each(x->archive, &(struct jobs_filter){.open = true}, NULL, NULL);
    if (open < 0)
        exchange_fail_heard(x, 500);
    if (open >= 0 && open < OPEN_MAX)
        return true;
    exchange_fail(x, 503, "%d jobs are waiting already", OPEN_MAX);
    return false;
}

static bool read_key(struct exchange *x, const json_t *body, const char **key)
{
    const json_t *given = json_object_get(body, "key");
    *key = json_string_value(given);
    if (given == NULL || (*key != NULL && config_is_name(*key)))
        return true;
    exchange_fail(x, 422, "key: letters, digits, _, . and - are allowed, at most 64");
    return false;
}

static void print_job(struct exchange *x, int64_t id)
{
    json_t *one = value_array();
    if (jobs_each(x->archive, &(struct jobs_filter){.id = id}, append_job, one) < 0)
        exchange_fail_heard(x, 500);
    else
        exchange_print_json(x, json_incref(json_array_get(one, 0)));
    json_decref(one);
}

/* Returns the request without its key in a canonical form: equal requests give equal texts. The
 * caller frees the text. */
static char *request_text(const json_t *body)
{
    json_t *copy = json_copy((json_t *)body);
    json_object_del(copy, "key");
    char *text = checked_alloc(json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(copy);
    return text;
}

static void add_job(struct exchange *x, const struct job_plan *plan, const json_t *body)
{
    struct job job = {.who = x->who,
                      .kind = job_kind_name(plan->kind),
                      .target = plan->target->name,
                      .test = plan->test->name};
    bool known;
    log_capture();
    if (!read_key(x, body, &job.key) || !has_room(x)) {
        free(log_captured());
        return;
    }
    char *request = request_text(body);
    job.request = request;
    int64_t id = jobs_add(x->archive, &job, &known);
    free(request);
    if (id < 0) {
        exchange_fail_heard(x, id == JOBS_REFUSED ? 409 : 500);
    } else {
        job_worker_wake(x->service->jobs->worker);
        x->status = known ? 200 : 201;
        if (asprintf(&x->location, "/api/v1/jobs/%lld", (long long)id) < 0)
            checked_alloc(NULL);
        print_job(x, id);
    }
    free(log_captured());
}

void api_add_job(struct exchange *x)
{
    struct job_plan plan;
    json_t *body = has_jobs(x) ? exchange_json(x) : NULL;
    if (body == NULL)
        return;
    char *wrong =
        job_plan_read(&plan, body, x->service->jobs->targets, x->service->jobs->catalogue);
    if (wrong != NULL)
        exchange_fail(x, 422, "%s", wrong);
    else
        add_job(x, &plan, body);
    free(wrong);
    json_decref(body);
}

/* A job that exists. */

static void keep_job(void *arg, const struct job *job)
{
    *(json_t **)arg = job_json(job);
}

/* Returns the job x->id as a new reference, or NULL after exchange_fail(). */
static json_t *find_job(struct exchange *x)
{
    json_t *job = NULL;
    if (!has_jobs(x))
        return NULL;
    log_capture();
    if (jobs_each(x->archive, &(struct jobs_filter){.id = x->id}, keep_job, &job) < 0)
        exchange_fail_heard(x, 500);
    free(log_captured());
    if (job == NULL)
        exchange_fail(x, 404, "there is no job %lld", (long long)x->id);
    return job;
}

void api_job(struct exchange *x)
{
    json_t *job = find_job(x);
    if (job == NULL)
        return;
    log_capture();
    json_t *runs = job_json_runs(x->archive, x->id);
    json_t *live = job_worker_live(x->service->jobs->worker, x->id);
    if (runs == NULL)
        exchange_fail_heard(x, 500);
    free(log_captured());
    value_set(job, "runs", runs != NULL ? runs : json_null());
    value_set(job, "live", live != NULL ? live : json_null());
    exchange_print_json(x, job);
}

void api_cancel_job(struct exchange *x)
{
    json_t *job = find_job(x);
    if (job == NULL)
        return;
    json_decref(job);
    log_capture();
    bool ended;
    const int status = jobs_cancel(x->archive, x->id, &ended);
    if (status != 0) {
        exchange_fail_heard(x, status == JOBS_REFUSED ? 409 : 500);
    } else {
        job_worker_wake(x->service->jobs->worker);
        if (ended)
            job_notifier_add(x->service->jobs->notifier, x->id);
        print_job(x, x->id);
    }
    free(log_captured());
}
