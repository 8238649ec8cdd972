/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The databases that jobs of a service may go to, from a file that only its owner can read. */
#ifndef JOBS_TARGET_LIST_H
#define JOBS_TARGET_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TARGET_SECONDS_MAX 86400

struct target {
    const char *name;
    bool production;       /* read-only tests, and the name must be typed */
    const char *driver;    /* mysql, pgsql, sqlite, null */
    const json_t *options; /* of the driver: texts by name */
    const char *identity;  /* that the server must have; NULL: none is looked at */
    const char *schema;    /* set aside for prepare and cleanup; NULL: none */
    double max_rate, max_workers, max_seconds;
    const json_t *tests;   /* names of those that are allowed; NULL: all */
    const char *guard_slo; /* a run that misses these objectives … */
    const char *webhook;   /* that is told when a job has ended; NULL: nobody is */
    double guard_seconds;  /* … for that long is ended; NULL: none is */
};

struct target_list {
    struct target *target;
    size_t count;
    json_t *root; /* has the texts */
};

/* NULL after a logged message. target_list_destroy() takes NULL. */
struct target_list *target_list_load(const char *path);
void target_list_destroy(struct target_list *targets);

/* NULL: there is none of that name. */
const struct target *target_list_find(const struct target_list *targets, const char *name);
bool target_allows(const struct target *target, const char *test);

#endif
