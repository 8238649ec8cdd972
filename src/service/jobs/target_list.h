/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The databases ("targets") on which jobs may run, read from a file that only its owner can read.
 * */
#ifndef JOBS_TARGET_LIST_H
#define JOBS_TARGET_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TARGET_SECONDS_MAX 86400

struct target {
    const char *name;
    bool production;       /* only read-only tests may run, and clients must repeat the name */
    const char *driver;    /* mysql, pgsql, sqlite, null */
    const json_t *options; /* options of the driver, texts by name */
    const char *identity;  /* required identity of the server; NULL if it is not checked */
    const char *schema;    /* schema reserved for prepare and cleanup; may be NULL */
    double max_rate, max_workers, max_seconds;
    const json_t *tests;   /* names of allowed tests; NULL if all tests are allowed */
    const char *webhook;   /* address that is called when a job has ended, or NULL */
    const char *guard_slo; /* a run that misses these objectives is aborted; may be NULL */
    double guard_seconds;  /* seconds for which a run may miss `guard_slo` */
};

struct target_list {
    struct target *target;
    size_t count;
    json_t *root; /* owns the texts */
};

/* Returns NULL after a logged message. target_list_destroy() ignores NULL. */
struct target_list *target_list_load(const char *path);
void target_list_destroy(struct target_list *targets);

/* Returns NULL if there is no target of this name. */
const struct target *target_list_find(const struct target_list *targets, const char *name);
/* True if the test of this name may run on the target. */
bool target_allows(const struct target *target, const char *test);

#endif
