/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_state.h"

struct gauges run_gauges(const struct run *run)
{
    return (struct gauges){.threads_running = atomic_load(&run->pool.running),
                           .queue_length = run->queue != NULL ? queue_length(run->queue) : 0,
                           .concurrency = worker_pool_serving(&run->pool)};
}
