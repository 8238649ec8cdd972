/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the wait events of the sessions of the workers (--wait-events). There is a thread and a
 * connection for each server. The controlling thread calls the functions.
 */
#ifndef WAIT_SAMPLER_H
#define WAIT_SAMPLER_H

#include <stdbool.h>

#include "options/settings.h"
#include "result/waits/wait_shares.h"
#include "stats/wait_source.h"
#include "stats/waits.h"

struct wait_sampler;

/*
 * Starts to sample. Returns NULL if there is nothing to sample: the reason was logged. `source` is
 * NULL if the workload has no sessions. The other objects must outlive the sampler.
 */
struct wait_sampler *wait_sampler_start(const struct settings *settings, struct waits *waits,
                                        const struct wait_source *source, void *server);
/*
 * Ends the sampling. Returns false if a thread waits for a server that does not answer: it is
 * left alone, and everything that it may use must be kept. Does nothing the second time.
 */
bool wait_sampler_stop(struct wait_sampler *sampler);
/* After the stop, when all requests have been recorded: returns the shares, or NULL if nothing
 * could be sampled. The caller frees them. */
struct wait_shares *wait_sampler_shares(struct wait_sampler *sampler, double elapsed_s);
/* Frees the sampler. Only if wait_sampler_stop() has returned true. NULL is allowed. */
void wait_sampler_destroy(struct wait_sampler *sampler);

#endif
