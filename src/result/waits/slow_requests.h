/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The details of the slowest requests of a run and of a few others (--slowest). */
#ifndef SLOW_REQUESTS_H
#define SLOW_REQUESTS_H

#include <stdint.h>

#include "options/settings.h"
#include "result/waits/wait_record.h"
#include "stats/slow/exemplars.h"
#include "stats/stats.h"

/* Names of the types, classes or hosts of requests. Owned by struct slow_requests. */
struct slow_names {
    char **name;
    unsigned count;
};

struct slow_requests {
    unsigned asked; /* number of slowest requests that were asked for */
    int64_t run_start_ns;
    struct exemplar_list kept;
    struct slow_names types, classes, hosts; /* the kept requests have their numbers */
};

/* Returns what was kept, in new memory, with the numbers that workers have in the whole run.
 * `names` is a thread of the statistics, by which types, classes and hosts are named. */
struct slow_requests *slow_requests_of(struct exemplars *exemplars,
                                       const struct stats_thread *names,
                                       const struct settings *settings, int64_t run_start_ns);
/*
 * Adds the requests of a rank. `whole` keeps all requests of both. Its slowest requests are as many
 * of the slowest ones of both as were asked for; the rest are among its others. `map` translates
 * the numbers of labels and details; NULL if there are none.
 */
void slow_requests_merge(struct slow_requests *whole, const struct slow_requests *rank,
                         const struct wait_map *map);
/* Frees the requests, which may be NULL. */
void slow_requests_free(struct slow_requests *slow);

/* Return names, or NULL if there is none. */
const char *slow_request_type(const struct slow_requests *slow, const struct exemplar *e);
const char *slow_request_class(const struct slow_requests *slow, const struct exemplar_step *step);
/* The host of a step; there is none if the run has one server. */
const char *slow_request_host(const struct slow_requests *slow, const struct exemplar_step *step);

#endif
