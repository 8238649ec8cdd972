/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client asks for, held against what the owner allows, and the command line that does it. No
 * text of a client becomes a part of that line: names are looked up, numbers are printed anew, and
 * objectives are read before (options/slo.h).
 */
#ifndef JOB_PLAN_H
#define JOB_PLAN_H

#include <jansson.h>
#include <stdint.h>

#include "service/jobs/catalogue.h"
#include "service/jobs/target_list.h"

enum job_kind { KIND_RUN, KIND_CAPACITY, KIND_SWEEP, KIND_PREPARE, KIND_CLEANUP, JOB_KINDS };

/* "run" and the like. */
const char *job_kind_name(enum job_kind kind);

#define SWEEP_VALUES_MAX 50

struct job_plan {
    const struct target *target;
    const struct catalogue_test *test;
    enum job_kind kind;
    double rate, workers, seconds, warmup;
    const char *slo;  /* objectives, in the client's words; NULL: none */
    const char *vary; /* sweep: "rate" or "workers" */
    double value[SWEEP_VALUES_MAX];
    size_t values;
    const json_t *parameters; /* the client's; NULL: none */
};

/*
 * Reads a request, which must outlive the plan. NULL, or a sentence that says what is wrong; the
 * caller frees it.
 */
char *job_plan_read(struct job_plan *plan, const json_t *request, const struct target_list *targets,
                    const struct catalogue *catalogue);

/* How long it may take until it is ended, in seconds. */
double job_plan_deadline(const struct job_plan *plan);

/*
 * Calls `add` for each word of its command line, behind the program's name. `archive`: the folder;
 * `out`: that of a capacity or a sweep; `id`: the job's number. The report is not among them.
 */
void job_plan_words(const struct job_plan *plan, const char *archive, const char *out, int64_t id,
                    void (*add)(void *arg, const char *word), void *arg);

/* Calls `add` for the options by which a target is reached. */
void target_words(const struct target *target, void (*add)(void *arg, const char *word), void *arg);

#endif
