/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages for people: the list of jobs, and the page of one job. */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "service/jobs/handle_jobs.h"
#include "service/jobs/job_desk.h"
#include "service/jobs/job_json.h"
#include "service/serve/site.h"

#define LIST_MAX 100

static void print_none(struct exchange *x)
{
    fputs("<p>This service takes no jobs. Its owner lets it: <code>sysrate serve --targets=FILE "
          "--tests=FILE</code>.</p>\n",
          x->out);
}

static void print_stop(struct exchange *x, const struct job *job)
{
    if (x->role < ROLE_RUN || job->state > JOB_RUNNING)
        return;
    if (job->cancel)
        fputs("stopping", x->out);
    else
        fprintf(x->out,
                "<button type=\"button\" class=\"stop\" data-job=\"%lld\" aria-label=\"Stop job "
                "%lld\">Stop</button>",
                (long long)job->id, (long long)job->id);
}

static void print_cell(struct exchange *x, const char *text)
{
    fputs("<td>", x->out);
    site_text(x->out, text != NULL ? text : "");
    fputs("</td>", x->out);
}

static const char *class_of(enum job_state state)
{
    return state == JOB_DONE ? "good" : state == JOB_FAILED || state == JOB_LOST ? "bad" : "";
}

static void print_row(void *arg, const struct job *job)
{
    struct exchange *x = arg;
    fprintf(x->out,
            "<tr><th scope=\"row\"><a href=\"/jobs/%lld\">%lld</a></th><td class=\"%s\">%s</td>",
            (long long)job->id, (long long)job->id, class_of(job->state),
            job_state_name(job->state));
    print_cell(x, job->kind);
    print_cell(x, job->target);
    print_cell(x, job->test);
    print_cell(x, job->who);
    print_cell(x, job->queued);
    print_cell(x, job->reason);
    fputs("<td>", x->out);
    print_stop(x, job);
    fputs("</td></tr>\n", x->out);
}

static void print_queue(struct exchange *x)
{
    const struct jobs_filter newest = {.limit = LIST_MAX};
    if (x->role >= ROLE_RUN)
        fputs("<p><a href=\"/jobs/new\">Start a job</a></p>\n", x->out);
    fputs("<div id=\"jobs\" class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Jobs\"><table>\n<thead><tr><th scope=\"col\">job</th><th "
          "scope=\"col\">state</th><th scope=\"col\">kind</th><th scope=\"col\">target</th><th "
          "scope=\"col\">test</th><th scope=\"col\">who</th><th scope=\"col\">asked for</th><th "
          "scope=\"col\">why</th><th scope=\"col\"><span "
          "class=\"unseen\">stop</span></th></tr></thead>\n<tbody>\n",
          x->out);
    log_capture();
    if (jobs_each(x->archive, &newest, print_row, x) < 0)
        exchange_fail_heard(x, 500);
    free(log_captured());
    fputs("</tbody></table></div>\n<p id=\"said\" role=\"alert\"></p>\n", x->out);
}

void page_jobs(struct exchange *x)
{
    site_begin(x, "Jobs", "/jobs", NULL);
    if (x->service->jobs != NULL)
        print_queue(x);
    else
        print_none(x);
    site_end(x);
}

/* The page of one job. */

static void print_fact(struct exchange *x, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(x->out, "<tr><th scope=\"row\">%s</th>", name);
    print_cell(x, text);
    fputs("</tr>\n", x->out);
}

static void print_facts(void *arg, const struct job *job)
{
    struct exchange *x = arg;
    fprintf(x->out, "<div id=\"job\" data-job=\"%lld\" data-open=\"%d\">\n<table>\n",
            (long long)job->id, job->state <= JOB_RUNNING);
    print_fact(x, "state", job_state_name(job->state));
    print_fact(x, "why", job->reason);
    print_fact(x, "kind", job->kind);
    print_fact(x, "target", job->target);
    print_fact(x, "test", job->test);
    print_fact(x, "asked for by", job->who);
    print_fact(x, "asked for", job->queued);
    print_fact(x, "began", job->started);
    print_fact(x, "ended", job->ended);
    print_fact(x, "request", job->request);
    print_fact(x, "result", job->result);
    fputs("</table>\n<p>", x->out);
    print_stop(x, job);
    fputs("</p>\n<p id=\"live\" role=\"status\"></p>\n<p id=\"said\" role=\"alert\"></p>\n</div>\n",
          x->out);
}

static void print_runs(struct exchange *x)
{
    size_t i;
    json_t *run, *runs = job_json_runs(x->archive, x->id);
    if (json_array_size(runs) > 0)
        fprintf(x->out,
                "<h2>Runs</h2>\n<p><a href=\"/?label=job%%3D%lld\">In the list</a></p>\n<ul>\n",
                (long long)x->id);
    json_array_foreach(runs, i, run)
        fprintf(x->out, "<li><a href=\"/runs/%lld\">run %lld</a></li>\n",
                (long long)json_integer_value(run), (long long)json_integer_value(run));
    if (json_array_size(runs) > 0)
        fputs("</ul>\n", x->out);
    json_decref(runs);
}

void page_job(struct exchange *x)
{
    char title[32];
    snprintf(title, sizeof(title), "Job %lld", (long long)x->id);
    site_begin(x, title, "", NULL);
    log_capture();
    if (x->service->jobs == NULL ||
        jobs_each(x->archive, &(struct jobs_filter){.id = x->id}, print_facts, x) < 1)
        exchange_fail(x, 404, "There is no job %lld.", (long long)x->id);
    print_runs(x);
    free(log_captured());
    site_end(x);
}
