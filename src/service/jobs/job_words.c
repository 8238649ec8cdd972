/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the command line of a job. */
#include <stdarg.h>
#include <string.h>

#include "base/util.h"
#include "service/jobs/job_plan.h"

/* At the end of a run, requests in service may take 10 more seconds. */
#define FORCED_SHUTDOWN "--forced-shutdown=10"
/* A probe of a capacity search takes a sixtieth of the time of the search, within these bounds. */
#define PROBE_MIN_S 0.5
#define PROBE_MAX_S 10.0

struct words {
    void (*add)(void *arg, const char *word);
    void *arg;
};

static void put(const struct words *words, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(const struct words *words, const char *fmt, ...)
{
    char *word;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&word, fmt, args) < 0)
        word = checked_alloc(NULL);
    va_end(args);
    words->add(words->arg, word);
    free(word);
}

static void put_options(const struct words *words, const json_t *options)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value)
        put(words, "--%s=%s", name, json_string_value(value));
}

static void put_target(const struct words *words, const struct target *target)
{
    put_options(words, target->options);
    if (target->schema != NULL)
        put(words, "--%s-db=%s", target->driver, target->schema);
}

void target_words(const struct target *target, void (*add)(void *arg, const char *word), void *arg)
{
    put_target(&(struct words){add, arg}, target);
}

static void put_parameter(const struct words *words, const struct parameter *p,
                          const json_t *parameters)
{
    const json_t *given = json_object_get(parameters, p->name);
    const json_t *value = given != NULL ? given : p->standard;
    char *allowed = NULL;
    char *text = value != NULL ? parameter_value(p, value, &allowed) : NULL;
    if (text != NULL)
        put(words, "--%s=%s", p->name, text);
    free(text);
    free(allowed);
}

static void put_test(const struct words *words, const struct job_plan *plan)
{
    put(words, "%s", plan->test->script);
    put_target(words, plan->target);
    put_options(words, plan->test->options);
    for (size_t i = 0; i < plan->test->parameters; i++)
        put_parameter(words, &plan->test->parameter[i], plan->parameters);
}

static void put_archive(const struct words *words, const struct job_plan *plan, const char *archive,
                        int64_t id)
{
    put(words, "--archive=%s", archive);
    put(words, "--label=job=%lld", (long long)id);
    put(words, "--label=target=%s", plan->target->name);
}

static void put_objectives(const struct words *words, const struct job_plan *plan)
{
    for (unsigned i = 0; i < plan->slo.count; i++)
        put(words, "--slo=%s", plan->slo.objective[i].text);
}

/* Options of a run, also of each run of a sweep. */
static void put_run(const struct words *words, const struct job_plan *plan)
{
    const struct target *t = plan->target;
    put(words, "--time=%.17g", plan->seconds);
    put(words, "--warmup-time=%.17g", plan->warmup);
    put(words, "--report-interval=1");
    put(words, FORCED_SHUTDOWN);
    put_objectives(words, plan);
    if (t->guard_slo != NULL)
        put(words, "--slo-abort=%.17g", t->guard_seconds);
}

static void put_values(const struct words *words, const struct job_plan *plan)
{
    const bool workers = strcmp(plan->vary, "workers") == 0;
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    for (size_t i = 0; i < plan->values; i++)
        fprintf(out, "%s%.17g", i > 0 ? "," : "", plan->value[i]);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    put(words, "--vary=%s=%s", workers ? "threads" : "tx-rate", text);
    free(text);
}

static void put_sweep(const struct words *words, const struct job_plan *plan)
{
    put(words, "--");
    put_test(words, plan);
    if (strcmp(plan->vary, "workers") == 0)
        put(words, "--tx-rate=%.17g", plan->rate);
    else
        put(words, "--threads=%.0f", plan->workers);
    put_run(words, plan);
}

static void put_capacity(const struct words *words, const struct job_plan *plan)
{
    const double probe = plan->seconds / 60;
    put_objectives(words, plan);
    put(words, "--max-rate=%.17g", plan->rate);
    put(words, "--min-rate=%.17g", plan->rate > 20 ? 10 : plan->rate / 2);
    put(words, "--time-limit=%.17g", plan->seconds);
    put(words, "--probe-time=%.17g",
        probe < PROBE_MIN_S   ? PROBE_MIN_S
        : probe > PROBE_MAX_S ? PROBE_MAX_S
                              : probe);
    put(words, "--");
    put_test(words, plan);
    put(words, "--threads=%.0f", plan->workers);
    put(words, FORCED_SHUTDOWN);
}

static void put_single(const struct words *words, const struct job_plan *plan)
{
    put(words, "--threads=%.0f", plan->workers);
    if (plan->kind == KIND_RUN) {
        put(words, "--tx-rate=%.17g", plan->rate);
        put(words, "--report-format=json");
        put_run(words, plan);
    }
    put(words, "%s", job_kind_name(plan->kind));
}

void job_plan_words(const struct job_plan *plan, const char *archive, const char *out, int64_t id,
                    void (*add)(void *arg, const char *word), void *arg)
{
    const struct words words = {add, arg};
    const bool tool = plan->kind == KIND_CAPACITY || plan->kind == KIND_SWEEP;
    if (tool) {
        put(&words, "%s", job_kind_name(plan->kind));
        put(&words, "--out=%s", out);
    }
    if (plan->kind == KIND_SWEEP)
        put_values(&words, plan);
    if (tool || plan->kind == KIND_RUN)
        put_archive(&words, plan, archive, id);
    if (!tool)
        put_test(&words, plan);
    if (plan->kind == KIND_SWEEP)
        put_sweep(&words, plan);
    else if (plan->kind == KIND_CAPACITY)
        put_capacity(&words, plan);
    else
        put_single(&words, plan);
}
