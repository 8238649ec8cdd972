/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the theory of queues says about response times: the truth that `sysrate selftest` holds
 * measurements against. First come, first served; Poisson arrivals; steady state. Times are in
 * seconds, probabilities in 0 … 1.
 */
#ifndef QUEUEING_H
#define QUEUEING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A queue with Poisson arrivals: M/M/c (exponential service), or M/D/1 when `fixed` (all services
 * take the same time; servers must be 1).
 */
struct queue_model {
    double rate;      /* arrivals per second */
    double service_s; /* mean service time */
    unsigned servers;
    bool fixed;
};

/* Queues: the load, rate · service_s / servers, must be below 1. */

/* Mean response time. */
double queue_mean_response(const struct queue_model *m);
/* The time that the share `p` (0 < p < 1) of the responses does not exceed. */
double queue_response_quantile(const struct queue_model *m, double p);

/* What these are made of, for their test. */

/*
 * The probability that a request finds all servers of an M/M/c queue busy: Erlang's C formula.
 * `offered_load` is rate · service_s.
 */
double queue_erlang_c(double offered_load, unsigned servers);
/* The probability that a response takes longer than `t` seconds. */
double queue_response_exceeds(const struct queue_model *m, double t);
/*
 * Mean response time of a queue with one server and any service times (Pollaczek 1930, Khinchine
 * 1932); `service_square` is the mean of the squared service time.
 */
double queue_mg1_mean_response(double rate, double service_s, double service_square);

/*
 * Everything stands still for `freeze_s` seconds, in which `stalled` of all `requests` arrive.
 * These are answered at its end, all others at once. Each of the stalled ones waits a time that is
 * uniform between 0 and freeze_s.
 */
struct freeze_model {
    double freeze_s;
    double stalled, requests;
};

/* Mean of all response times, and the time that the share `p` of them does not exceed; seconds. */
double freeze_mean_response(const struct freeze_model *m);
double freeze_response_quantile(const struct freeze_model *m, double p);
/* The standard errors of these two, given how many requests were stalled. */
double freeze_mean_error(const struct freeze_model *m);
double freeze_quantile_error(const struct freeze_model *m, double p);

#endif
