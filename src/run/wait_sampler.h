/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the wait events of the sessions of the workers (--wait-events). Each server has a thread
 * and a connection of its own. All functions are called by the controlling thread.
 */
#ifndef WAIT_SAMPLER_H
#define WAIT_SAMPLER_H

#include <stdbool.h>

#include "options/settings.h"
#include "result/waits/wait_record.h"
#include "result/waits/wait_span.h"
#include "stats/wait_source.h"
#include "stats/waits.h"

struct wait_sampler;

/*
 * Starts to sample. Returns NULL after logging the reason if there is nothing to sample. `source`
 * is NULL if the workload has no sessions. The other objects must outlive the sampler.
 */
struct wait_sampler *wait_sampler_start(const struct settings *settings, struct waits *waits,
                                        const struct wait_source *source, void *server);
/*
 * Ends the sampling. Returns false if a thread still waits for a server that does not answer: this
 * thread is not joined, and everything that it may use must be kept. The time in which the server
 * did not answer is recorded. Further calls do not wait again.
 */
bool wait_sampler_stop(struct wait_sampler *sampler);
/* Fills in the samples that were joined until now. If the server does not answer, or if this
 * process did not run, the time until now counts. */
void wait_sampler_moment(struct wait_sampler *sampler, struct wait_moment *moment);
/* Divides the service of the requests in a span of time (CLOCK_MONOTONIC), to within WAIT_SLOT_NS
 * / 2.
 */
void wait_sampler_span(struct wait_sampler *sampler, int64_t from_ns, int64_t to_ns,
                       struct wait_span *span);
/* Returns all that was sampled, in new memory. Call it after wait_sampler_stop(), when all requests
 * have been recorded. */
struct wait_record *wait_sampler_record(struct wait_sampler *sampler, double elapsed_s);
/* Frees the sampler, which may be NULL. Call it only if wait_sampler_stop() has returned true. */
void wait_sampler_destroy(struct wait_sampler *sampler);

#endif
