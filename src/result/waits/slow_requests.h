/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The details of the slowest requests of a run and of a few others (--slowest). */
#ifndef SLOW_REQUESTS_H
#define SLOW_REQUESTS_H

#include <stdint.h>

#include "stats/slow/exemplars.h"
#include "stats/stats.h"

struct slow_requests {
    unsigned asked; /* number of slowest requests that were asked for */
    int64_t run_start_ns;
    struct exemplar_list kept;
    /* A thread of the statistics, by which classes, hosts and types are named. */
    const struct stats_thread *names;
};

/* Returns what was kept, in new memory. `names` must outlive the result. */
struct slow_requests *slow_requests_of(struct exemplars *exemplars,
                                       const struct stats_thread *names, int64_t run_start_ns,
                                       unsigned asked);
/* Frees the requests, which may be NULL. */
void slow_requests_free(struct slow_requests *slow);

/* Return names, or NULL if there is none. */
const char *slow_request_type(const struct slow_requests *slow, const struct exemplar *e);
const char *slow_request_class(const struct slow_requests *slow, const struct exemplar_step *step);
/* The host of a step; there is none if the run has one server. */
const char *slow_request_host(const struct slow_requests *slow, const struct exemplar_step *step);

#endif
