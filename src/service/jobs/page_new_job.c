/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page that starts a job. People first choose the target and the test; then the page shows the
 * form with the parameters that these have. */
#include <string.h>

#include "base/util.h"
#include "service/jobs/handle_jobs.h"
#include "service/jobs/job_desk.h"
#include "service/jobs/job_plan.h"
#include "service/serve/site.h"

static void print_option(FILE *out, const char *name, const char *chosen)
{
    fputs("<option", out);
    if (chosen != NULL && strcmp(name, chosen) == 0)
        fputs(" selected", out);
    fputs(">", out);
    site_text(out, name);
    fputs("</option>\n", out);
}

static void print_choice(struct exchange *x, const char *target, const char *test)
{
    const struct job_desk *desk = x->service->jobs;
    fputs("<form action=\"/jobs/new\" class=\"filter\">\n<label>Target <select name=\"target\">\n",
          x->out);
    for (size_t i = 0; i < desk->targets->count; i++)
        print_option(x->out, desk->targets->target[i].name, target);
    fputs("</select></label>\n<label>Test <select name=\"test\">\n", x->out);
    for (size_t i = 0; i < desk->catalogue->count; i++)
        print_option(x->out, desk->catalogue->test[i].name, test);
    fputs("</select></label>\n<button>Choose</button>\n</form>\n", x->out);
}

static void print_number(FILE *out, const char *name, const char *label, double least, double most,
                         const char *value)
{
    fprintf(out,
            "<label>%s <input type=\"number\" step=\"any\" data-number=\"%s\" min=\"%.10g\" "
            "max=\"%.10g\" value=\"%s\"></label>\n",
            label, name, least, most, value);
}

static void print_kinds(FILE *out, const struct target *target)
{
    fputs("<label>Kind <select data-text=\"kind\">\n", out);
    for (int i = 0; i < JOB_KINDS; i++)
        if (target->schema != NULL || (i != KIND_PREPARE && i != KIND_CLEANUP))
            print_option(out, job_kind_name((enum job_kind)i), "run");
    fputs("</select></label>\n", out);
}

static void print_figures(FILE *out, const struct target *t)
{
    print_kinds(out, t);
    print_number(out, "rate", "Requests per second", 0.001, t->max_rate, "");
    print_number(out, "workers", "Workers", 1, t->max_workers, "1");
    print_number(out, "seconds", "Seconds", 1, t->max_seconds, "");
    print_number(out, "warmup", "Warm-up, seconds", 0, t->max_seconds, "0");
    fputs("<label>Objectives <input data-text=\"slo\" placeholder=\"p99&lt;20ms\"></label>\n"
          "<label>Sweep over <select data-text=\"vary\"><option value=\"\">-</option>"
          "<option>rate</option><option>workers</option></select></label>\n"
          "<label>Values of the sweep <input data-list=\"values\" placeholder=\"100,200,400\">"
          "</label>\n",
          out);
    if (t->production)
        fputs("<label>In production. Repeat the name of the target <input data-text=\"confirm\" "
              "autocomplete=\"off\" required></label>\n",
              out);
}

static void print_standard(FILE *out, const struct parameter *p)
{
    char *allowed = NULL;
    char *text = p->standard != NULL ? parameter_value(p, p->standard, &allowed) : NULL;
    site_text(out, text != NULL ? text : "");
    free(text);
    free(allowed);
}

static void print_parameter(FILE *out, const struct parameter *p)
{
    const bool list = p->type == PARAMETER_CHOICE || p->type == PARAMETER_BOOLEAN;
    size_t i;
    json_t *choice;
    fputs("<label>", out);
    site_text(out, p->help != NULL ? p->help : p->name);
    fprintf(out, " <%s data-parameter=\"%s\" data-type=\"%s\"", list ? "select" : "input", p->name,
            parameter_type_name(p->type));
    if (list) {
        fputs("><option value=\"\">standard</option>\n", out);
        if (p->type == PARAMETER_BOOLEAN)
            fputs("<option>true</option><option>false</option>\n", out);
        json_array_foreach(p->choices, i, choice)
            print_option(out, json_string_value(choice), NULL);
        fputs("</select></label>\n", out);
        return;
    }
    fprintf(out, " type=\"number\" step=\"%s\" min=\"%.17g\" max=\"%.17g\" placeholder=\"",
            p->type == PARAMETER_INTEGER ? "1" : "any", p->least, p->most);
    print_standard(out, p);
    fputs("\"></label>\n", out);
}

static void print_job(struct exchange *x, const struct target *target,
                      const struct catalogue_test *test)
{
    if (target->production && !test->read_only) {
        fputs("<p>Only read-only tests are allowed on a production target.</p>\n", x->out);
        return;
    }
    if (!target_allows(target, test->name)) {
        fputs("<p>This test is not allowed on this target.</p>\n", x->out);
        return;
    }
    fprintf(x->out, "<form id=\"start\" class=\"filter\" data-target=\"%s\" data-test=\"%s\">\n",
            target->name, test->name);
    print_figures(x->out, target);
    for (size_t i = 0; i < test->parameters; i++)
        print_parameter(x->out, &test->parameter[i]);
    fputs("<button>Start</button>\n<p id=\"said\" role=\"alert\"></p>\n</form>\n"
          "<noscript><p>Starting needs JavaScript.</p></noscript>\n",
          x->out);
}

static void print_page(struct exchange *x, const char *target_name, const char *test_name)
{
    const struct job_desk *desk = x->service->jobs;
    print_choice(x, target_name, test_name);
    if (target_name == NULL || test_name == NULL)
        return;
    const struct target *target = target_list_find(desk->targets, target_name);
    const struct catalogue_test *test = catalogue_find(desk->catalogue, test_name);
    if (target != NULL && test != NULL)
        print_job(x, target, test);
    else
        fputs("<p>There is no such target or test.</p>\n", x->out);
}

void page_new_job(struct exchange *x)
{
    site_begin(x, "Start a job", "/jobs", NULL);
    if (x->service->jobs != NULL)
        print_page(x, exchange_query(x, "target"), exchange_query(x, "test"));
    else
        fputs("<p>This service takes no jobs.</p>\n", x->out);
    site_end(x);
}
