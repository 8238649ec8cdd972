/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a client's request against the rules of the owner and builds the command line for it. No
 * unchecked text of a client becomes part of the command line: names are looked up, numbers are
 * parsed and printed again, and objectives are parsed first (options/slo.h).
 */
#ifndef JOB_PLAN_H
#define JOB_PLAN_H

#include <jansson.h>
#include <stdint.h>

#include "options/slo.h"
#include "service/jobs/catalogue.h"
#include "service/jobs/target_list.h"

enum job_kind { KIND_RUN, KIND_CAPACITY, KIND_SWEEP, KIND_PREPARE, KIND_CLEANUP, JOB_KINDS };

/* Returns the name of a kind, for example "run". */
const char *job_kind_name(enum job_kind kind);

#define SWEEP_VALUES_MAX 50

struct job_plan {
    const struct target *target;
    const struct catalogue_test *test;
    enum job_kind kind;
    double rate, workers, seconds, warmup;
    struct slo slo;   /* objectives of the client and of the target */
    const char *vary; /* quantity that a sweep varies: "rate" or "workers" */
    double value[SWEEP_VALUES_MAX];
    size_t values;
    const json_t *parameters; /* parameters of the test from the client, or NULL */
};

/*
 * Reads a request into a plan. The request must outlive the plan. Returns NULL, or a sentence that
 * says what is wrong with the request; the caller frees it.
 */
char *job_plan_read(struct job_plan *plan, const json_t *request, const struct target_list *targets,
                    const struct catalogue *catalogue);

/* Returns the seconds after which the job is terminated. */
double job_plan_deadline(const struct job_plan *plan);

/*
 * Calls `add` for each word of the command line after the program's name. `archive` is the folder
 * of
 * the archive, `out` the output folder of a capacity search or a sweep, `id` the job's number.
 */
void job_plan_words(const struct job_plan *plan, const char *archive, const char *out, int64_t id,
                    void (*add)(void *arg, const char *word), void *arg);

/* Calls `add` for each option by which a target is reached. */
void target_words(const struct target *target, void (*add)(void *arg, const char *word), void *arg);

#endif
