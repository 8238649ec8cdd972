/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response times from queueing theory, with which `sysrate selftest` compares measurements. First
 * come, first served; Poisson arrivals; steady state. Times are in seconds, probabilities from 0 to
 * 1.
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

/* Functions for queues. The load, rate · service_s / servers, must be below 1. */

/* Mean response time. */
double queue_mean_response(const struct queue_model *m);
/* Quantile of the response time: the share `p` (0 < p < 1) of the responses is not longer. */
double queue_response_quantile(const struct queue_model *m, double p);

/* Parts of these functions, public for their test. */

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
 * Model of a stall of `freeze_s` seconds, in which `stalled` of all `requests` arrive. These are
 * answered at the end of the stall, all other requests at once. The wait of a stalled request is
 * uniform between 0 and freeze_s.
 */
struct freeze_model {
    double freeze_s;
    double stalled, requests;
};

/* Mean and quantile (for the share `p`) of all response times, in seconds. */
double freeze_mean_response(const struct freeze_model *m);
double freeze_response_quantile(const struct freeze_model *m, double p);
/* Standard errors of the mean and the quantile, given the number of stalled requests. */
double freeze_mean_error(const struct freeze_model *m);
double freeze_quantile_error(const struct freeze_model *m, double p);

#endif
