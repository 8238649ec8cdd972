/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/builtin.h"

#include <string.h>

#include "base/log.h"
#include "engine/worker_api.h"
#include "options/cmdline.h"
#include "report/workload_report.h"

static void *thread_start(void *self, const struct workload_worker *worker);
static int thread_run(void *arg);
static int thread_end(void *arg);
static void print_mode(void *self, FILE *out);
static void set_presentation(void *self, struct presentation *presentation);

static const struct workload_ops workload_ops = {
    .thread_start = thread_start, .thread_run = thread_run, .thread_end = thread_end};
static const struct workload_report workload_report = {.print_mode = print_mode,
                                                       .set_presentation = set_presentation};

/* heading of the options: only one test is chosen, so it need not name the test */
#define GROUP "test options"

int builtin_add_options(const struct builtin_ops *ops, struct options *set)
{
    return options_add(set, GROUP, ops->rows, ops->row_count);
}

void builtin_print_help(const struct builtin_ops *ops, const struct options *set, FILE *out)
{
    fprintf(out, "%s options:\n", ops->name);
    options_help(set, GROUP, false, out);
    fputc('\n', out);
}

int builtin_init(struct builtin *builtin, const struct builtin_ops *ops, const struct options *set,
                 struct settings *settings)
{
    *builtin = (struct builtin){ops, xcalloc(1, ops->test_bytes)};
    options_store(set, ops->rows, ops->row_count, builtin->test);
    return ops->configure != NULL ? ops->configure(builtin->test, set, settings) : 0;
}

void builtin_fini(struct builtin *builtin)
{
    free(builtin->test);
    *builtin = (struct builtin){0};
}

int builtin_command(struct builtin *builtin, const char *command)
{
    const struct builtin_ops *ops = builtin->ops;
    if (strcmp(command, "prepare") == 0 && ops->prepare != NULL)
        return ops->prepare(builtin->test);
    if (strcmp(command, "cleanup") == 0 && ops->cleanup != NULL)
        return ops->cleanup(builtin->test);
    cmdline_refuse_command(ops->name, command);
    return -1;
}

int builtin_begin(struct builtin *builtin)
{
    return builtin->ops->begin != NULL ? builtin->ops->begin(builtin->test) : 0;
}

int builtin_end(struct builtin *builtin)
{
    return builtin->ops->end != NULL ? builtin->ops->end(builtin->test) : 0;
}

struct workload builtin_workload(struct builtin *builtin)
{
    return (struct workload){.ops = &workload_ops,
                             .report = &workload_report,
                             .self = builtin,
                             .overlaps = builtin->ops->loop != NULL};
}

static int thread_end(void *arg)
{
    struct builtin_thread *thread = arg;
    int rc = thread->ops->thread_end != NULL ? thread->ops->thread_end(thread) : 0;
    free(thread->state);
    free(thread);
    return rc;
}

static void *thread_start(void *self, const struct workload_worker *worker)
{
    const struct builtin *builtin = self;
    struct builtin_thread *thread = xcalloc(1, sizeof(*thread));
    *thread = (struct builtin_thread){
        .ops = builtin->ops,
        .test = builtin->test,
        .state = xcalloc(1, max_i64(1, (int64_t)builtin->ops->thread_bytes)),
        .worker = worker};
    if (builtin->ops->thread_start == NULL || builtin->ops->thread_start(thread) == 0)
        return thread;
    thread_end(thread);
    return NULL;
}

static int thread_run(void *arg)
{
    struct builtin_thread *thread = arg;
    if (thread->ops->loop != NULL)
        return thread->ops->loop(thread);
    while (worker_next())
        if (UNLIKELY(thread->ops->event(thread) != 0))
            return -1;
    return 0;
}

static void print_mode(void *self, FILE *out)
{
    const struct builtin *builtin = self;
    if (builtin->ops->print_mode != NULL)
        builtin->ops->print_mode(builtin->test, out);
}

static void set_presentation(void *self, struct presentation *presentation)
{
    const struct builtin *builtin = self;
    presentation->interval_figures = builtin->ops->interval_figures;
    presentation->summary_figures = builtin->ops->summary_figures;
    presentation->throughput_figures = builtin->ops->throughput_figures;
    presentation->arg = builtin->test;
}
