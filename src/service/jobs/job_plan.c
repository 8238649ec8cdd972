/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_plan.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/util.h"

/* Time that a job may take in addition to the requested time: to connect, to complete requests in
 * service, to write the report. */
#define GRACE_SECONDS 90
#define SLO_BYTES_MAX 500

const char *job_kind_name(enum job_kind kind)
{
    static const char *const name[] = {"run", "capacity", "sweep", "prepare", "cleanup"};
    return name[kind];
}

static char *say(const char *fmt, ...) PRINTF_LIKE(1, 2);
static char *say(const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = checked_alloc(NULL);
    va_end(args);
    return text;
}

/* Functions that read or check a part of a request. Each returns NULL, or a sentence that says what
 * is wrong. */

static char *read_name(const json_t *request, const char *key, const char **name)
{
    *name = json_string_value(json_object_get(request, key));
    return *name != NULL ? NULL : say("%s: a name is needed", key);
}

static char *read_number(const json_t *request, const char *key, double least, double most,
                         double *value)
{
    const json_t *found = json_object_get(request, key);
    if (found == NULL && !isnan(*value))
        return NULL;
    if (!json_is_number(found) || !(json_number_value(found) >= least) ||
        !(json_number_value(found) <= most))
        return say("%s: a number from %g to %g is needed here", key, least, most);
    *value = json_number_value(found);
    return NULL;
}

static bool is_whole(double value)
{
    return value == floor(value);
}

static char *read_workers(struct job_plan *plan, const json_t *request)
{
    plan->workers = 1;
    char *wrong = read_number(request, "workers", 1, plan->target->max_workers, &plan->workers);
    return wrong != NULL || is_whole(plan->workers) ? wrong
                                                    : say("workers: a whole number is needed");
}

static char *check_keys(const json_t *request)
{
    static const char *const known[] = {"target",  "test",   "kind",      "rate",    "workers",
                                        "seconds", "warmup", "slo",       "confirm", "key",
                                        "vary",    "values", "parameters"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)request, key, value)
    {
        bool good = false;
        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
            good = good || strcmp(key, known[i]) == 0;
        if (!good)
            return say("%.40s: a job has no such key", key);
    }
    return NULL;
}

static char *read_target(struct job_plan *plan, const json_t *request,
                         const struct target_list *all)
{
    const char *name;
    char *wrong = read_name(request, "target", &name);
    if (wrong != NULL)
        return wrong;
    plan->target = target_list_find(all, name);
    return plan->target != NULL ? NULL : say("target: there is no target of this name");
}

static char *read_test(struct job_plan *plan, const json_t *request, const struct catalogue *all)
{
    const char *name;
    char *wrong = read_name(request, "test", &name);
    if (wrong != NULL)
        return wrong;
    plan->test = catalogue_find(all, name);
    if (plan->test == NULL)
        return say("test: there is no test of this name");
    return target_allows(plan->target, name) ? NULL : say("test: not allowed on this target");
}

static char *read_kind(struct job_plan *plan, const json_t *request)
{
    const json_t *given = json_object_get(request, "kind");
    const char *name = given != NULL ? json_string_value(given) : "run";
    for (int i = 0; name != NULL && i < JOB_KINDS; i++)
        if (strcmp(name, job_kind_name((enum job_kind)i)) == 0) {
            plan->kind = (enum job_kind)i;
            return NULL;
        }
    return say("kind: run, capacity, sweep, prepare or cleanup is needed");
}

static bool changes_tables(const struct job_plan *plan)
{
    return plan->kind == KIND_PREPARE || plan->kind == KIND_CLEANUP;
}

static char *check_class(const struct job_plan *plan, const json_t *request)
{
    const char *typed = json_string_value(json_object_get(request, "confirm"));
    const struct target *t = plan->target;
    if (changes_tables(plan) && t->schema == NULL)
        return say("kind: this target has no schema for prepare and cleanup");
    if (t->production && !plan->test->read_only)
        return say("test: only read-only tests are allowed on a production target");
    if (t->production && (typed == NULL || strcmp(typed, t->name) != 0))
        return say("confirm: the name of the target must be repeated here, because it is a "
                   "production target");
    return NULL;
}

static char *check_parameter(const struct catalogue_test *test, const char *name,
                             const json_t *value)
{
    const struct parameter *p = catalogue_parameter(test, name);
    char *allowed = NULL;
    if (p == NULL)
        return say("parameters: this test has no parameter %.40s", name);
    char *text = parameter_value(p, value, &allowed);
    char *wrong = text == NULL ? say("parameters: %s: %s is needed", p->name, allowed) : NULL;
    free(text);
    free(allowed);
    return wrong;
}

static char *read_parameters(struct job_plan *plan, const json_t *request)
{
    const char *name;
    json_t *value;
    plan->parameters = json_object_get(request, "parameters");
    if (plan->parameters != NULL && !json_is_object(plan->parameters))
        return say("parameters: an object is needed");
    json_object_foreach((json_t *)plan->parameters, name, value)
    {
        char *wrong = check_parameter(plan->test, name, value);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

/* The objectives of the target are added to those of the request. */
static char *add_guard(struct job_plan *plan)
{
    struct slo guard;
    slo_parse(&guard, plan->target->guard_slo);
    for (unsigned i = 0; i < guard.count && plan->kind == KIND_CAPACITY; i++)
        if (guard.objective[i].kind == SLO_THROUGHPUT || guard.objective[i].kind == SLO_GOODPUT)
            return say("kind: this target has an objective for throughput (guard_slo), which a "
                       "capacity search cannot have");
    if (slo_add(&plan->slo, &guard))
        return NULL;
    return say("slo: at most %d objectives are allowed, together with those of the target: %s",
               SLO_MAX, plan->target->guard_slo);
}

static char *read_slo(struct job_plan *plan, const json_t *request)
{
    const json_t *given = json_object_get(request, "slo");
    const char *text = json_string_value(given);
    if (given == NULL)
        return plan->kind == KIND_CAPACITY ? say("slo: objectives are needed for a capacity search")
                                           : add_guard(plan);
    if (text == NULL || strlen(text) != json_string_length(given) || strlen(text) > SLO_BYTES_MAX ||
        slo_check(text) != NULL)
        return say("slo: objectives are needed, such as p99<20ms,errors<0.1%%");
    slo_parse(&plan->slo, text);
    return add_guard(plan);
}

static char *read_values(struct job_plan *plan, const json_t *request)
{
    const json_t *list = json_object_get(request, "values"), *value;
    const bool workers = plan->vary != NULL && strcmp(plan->vary, "workers") == 0;
    const double most = workers ? plan->target->max_workers : plan->target->max_rate;
    size_t i;
    if (plan->vary == NULL || (!workers && strcmp(plan->vary, "rate") != 0))
        return say("vary: rate or workers is needed for a sweep");
    if (json_array_size(list) == 0 || json_array_size(list) > SWEEP_VALUES_MAX)
        return say("values: 1 to %d numbers are needed for a sweep", SWEEP_VALUES_MAX);
    json_array_foreach(list, i, value)
    {
        plan->value[i] = json_is_number(value) ? json_number_value(value) : NAN;
        if (!(plan->value[i] > 0) || plan->value[i] > most ||
            (workers && !is_whole(plan->value[i])))
            return say("values: numbers up to %g are allowed on this target%s", most,
                       workers ? ", whole ones" : "");
        for (size_t k = 0; k < i; k++)
            if (plan->value[k] == plan->value[i])
                return say("values: %g occurs twice", plan->value[i]);
    }
    plan->values = json_array_size(list);
    return NULL;
}

static char *check_time(const struct job_plan *plan)
{
    const double runs = plan->kind == KIND_SWEEP ? (double)plan->values : 1;
    if (runs * (plan->seconds + plan->warmup) <= plan->target->max_seconds)
        return NULL;
    return say("seconds: a job on this target may take at most %g seconds in all, with warm-up",
               plan->target->max_seconds);
}

/* Reads rate, workers and times. A run needs a rate, unless a sweep varies the rate. For a capacity
 * search the rate is an upper bound, by default that of the target. */
static char *read_figures(struct job_plan *plan, const json_t *request)
{
    const struct target *t = plan->target;
    char *wrong = NULL;
    plan->rate = plan->kind == KIND_CAPACITY ? t->max_rate : NAN;
    plan->seconds = plan->kind == KIND_CAPACITY ? t->max_seconds : NAN;
    plan->vary = json_string_value(json_object_get(request, "vary"));
    if (changes_tables(plan))
        return read_workers(plan, request);
    if (plan->kind == KIND_SWEEP && (wrong = read_values(plan, request)) != NULL)
        return wrong;
    if (plan->kind == KIND_SWEEP && strcmp(plan->vary, "rate") == 0)
        plan->rate = plan->value[0];
    if ((wrong = read_number(request, "rate", 0.001, t->max_rate, &plan->rate)) == NULL &&
        (wrong = read_workers(plan, request)) == NULL &&
        (wrong = read_number(request, "seconds", 1, t->max_seconds, &plan->seconds)) == NULL)
        wrong = read_number(request, "warmup", 0, t->max_seconds, &plan->warmup);
    return wrong != NULL ? wrong : check_time(plan);
}

char *job_plan_read(struct job_plan *plan, const json_t *request, const struct target_list *targets,
                    const struct catalogue *catalogue)
{
    char *wrong;
    *plan = (struct job_plan){.kind = KIND_RUN};
    if ((wrong = check_keys(request)) == NULL &&
        (wrong = read_target(plan, request, targets)) == NULL &&
        (wrong = read_test(plan, request, catalogue)) == NULL &&
        (wrong = read_kind(plan, request)) == NULL &&
        (wrong = check_class(plan, request)) == NULL &&
        (wrong = read_parameters(plan, request)) == NULL &&
        (wrong = read_slo(plan, request)) == NULL)
        wrong = read_figures(plan, request);
    return wrong;
}

double job_plan_deadline(const struct job_plan *plan)
{
    const double runs = plan->kind == KIND_SWEEP ? (double)plan->values : 1;
    if (changes_tables(plan))
        return plan->target->max_seconds + GRACE_SECONDS;
    return runs * (plan->seconds + plan->warmup + GRACE_SECONDS);
}
