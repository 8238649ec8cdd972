/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated runs of a queue, as windows of an audit, for the calibration of episodes.h. */
#ifndef EPISODES_SIM_H
#define EPISODES_SIM_H

#include <math.h>

#include "base/rand_stream.h"
#include "base/util.h"
#include "result/audit.h"
#include "result/episodes.h"
#include "tools/selftest/queue_sim.h"

#define SIM_WINDOWS 200

/* A run of `requests` requests on average. The mean service time is 1 s. */
struct sim {
    unsigned servers;
    double load;     /* arrival rate × mean service time / servers */
    double requests; /* mean number of arrivals */
    /* Ratio of standard deviation and mean of the service times. At 0 they are constant, at 1
     * exponential, and at larger ratios lognormal. */
    double deviation;
    /* Service times are multiplied by exp(x − σ²/2), where x is a normal autoregressive process
     * with this standard deviation σ, whose correlation falls to 1/e in `memory_s`. */
    double wander, memory_s;
    /* A hump between these shares of the run, in which the service times, or, with `surge`, the
     * arrival rate, are multiplied so that the load is hump_load. If `to` is 0, there is no
     * hump. */
    double from, to, hump_load;
    bool surge;
    /* All requests need the same row, one after the other, for the service time. The load is that
     * of the row, and a worker is in service from its start until the row is free again. */
    bool row;
};

#define SIM_SERVERS_MAX 64

/* Requests that wait for a row: the times at which the last ones were done with it. */
struct sim_row {
    int64_t done_ns[SIM_SERVERS_MAX];
    unsigned next; /* the oldest of the last `servers` requests */
};

/* Serves a request by the row. Returns the time at which a worker begins; *service_ns becomes the
 * time that the worker needs. */
static inline int64_t sim_row_serve(struct sim_row *row, unsigned servers, int64_t arrival_ns,
                                    int64_t *service_ns)
{
    int64_t *oldest = &row->done_ns[row->next];
    const int64_t last_ns = row->done_ns[(row->next + servers - 1) % servers];
    const int64_t start_ns = max_i64(arrival_ns, *oldest);
    *oldest = max_i64(start_ns, last_ns) + *service_ns;
    *service_ns = *oldest - start_ns;
    row->next = (row->next + 1) % servers;
    return start_ns;
}

static inline double sim_normal(struct rand_stream *stream)
{
    const double r = sqrt(2 * rand_stream_exponential(stream));
    return r * cos(2 * M_PI * rand_stream_double(stream));
}

static inline double sim_service(const struct sim *sim, struct rand_stream *stream)
{
    if (sim->deviation == 0)
        return 1;
    if (sim->deviation == 1)
        return rand_stream_exponential(stream);
    const double variance = log(1 + sim->deviation * sim->deviation);
    return exp(sqrt(variance) * sim_normal(stream) - variance / 2);
}

static inline struct audit_window *sim_window(struct audit *audit, int64_t at_ns, int64_t length_ns)
{
    return &audit->windows[min_i64(at_ns / length_ns, SIM_WINDOWS - 1)];
}

/* Simulates the run. Returns its length in nanoseconds. The caller frees audit->windows. */
static inline int64_t sim_run(const struct sim *sim, struct rand_stream *stream,
                              struct audit *audit)
{
    struct queue_sim queue = {.servers = sim->servers};
    struct sim_row row = {0};
    const double rate = sim->row ? sim->load : sim->load * sim->servers;
    const double length_s = sim->requests / rate;
    const int64_t end_ns = seconds_to_ns(length_s), window_ns = end_ns / SIM_WINDOWS + 1;
    int64_t arrived[SIM_WINDOWS] = {0};
    double x = sim->wander * sim_normal(stream), at = 0;
    *audit = (struct audit){.windows = xcalloc(SIM_WINDOWS, sizeof(*audit->windows)),
                            .count = SIM_WINDOWS};
    for (int i = 0; i < SIM_WINDOWS; i++) {
        struct audit_window *w = &audit->windows[i];
        const double middle = (i + 0.5) / SIM_WINDOWS;
        const bool hump = sim->surge && middle >= sim->from && middle < sim->to;
        w->from_ns = i * window_ns;
        w->to_ns = (i + 1) * window_ns;
        w->asked = ns_to_seconds(window_ns) * rate * (hump ? sim->hump_load / sim->load : 1);
    }
    for (;;) {
        const bool hump = at >= sim->from * length_s && at < sim->to * length_s;
        const double factor = hump ? sim->hump_load / sim->load : 1;
        const double gap = rand_stream_exponential(stream) / (rate * (sim->surge ? factor : 1));
        if ((at += gap) >= length_s)
            break;
        if (sim->wander > 0) {
            const double kept = exp(-gap / sim->memory_s);
            x = kept * x + sim->wander * sqrt(1 - kept * kept) * sim_normal(stream);
        }
        const double service = sim_service(sim, stream) * (sim->surge ? 1 : factor) *
                               exp(x - sim->wander * sim->wander / 2);
        const int64_t arrival_ns = seconds_to_ns(at);
        int64_t service_ns = seconds_to_ns(service);
        const int64_t start_ns = sim->row
                                     ? sim_row_serve(&row, sim->servers, arrival_ns, &service_ns)
                                     : queue_sim_serve(&queue, arrival_ns, service_ns);
        arrived[min_i64(arrival_ns / window_ns, SIM_WINDOWS - 1)]++;
        if (start_ns >= end_ns)
            continue;
        struct audit_window *w = sim_window(audit, start_ns + service_ns, window_ns);
        w->completed++;
        w->served++;
        w->service_sum_ns += (double)service_ns;
    }
    for (int i = 0; i < SIM_WINDOWS; i++) {
        const int64_t before = i > 0 ? audit->windows[i - 1].in_system : 0;
        audit->windows[i].in_system = before + arrived[i] - (int64_t)audit->windows[i].completed;
    }
    return end_ns;
}

#endif
