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

/* The share of time that a server is busy. All functions below need a load < 1. */
double queue_load(const struct queue_model *m);

/* The probability that a request finds all servers of an M/M/c queue busy: Erlang's C formula. */
double queue_erlang_c(double offered_load, unsigned servers);

/* Mean response time. */
double queue_mean_response(const struct queue_model *m);
/* The probability that a response takes longer than `t` seconds. */
double queue_response_exceeds(const struct queue_model *m, double t);
/* The time that the share `p` (0 < p < 1) of the responses does not exceed. */
double queue_response_quantile(const struct queue_model *m, double p);

/*
 * Mean response time of a queue with one server and any service times (Pollaczek 1930, Khinchine
 * 1932); `service_square` is the mean of the squared service time.
 */
double queue_mg1_mean_response(double rate, double service_s, double service_square);

/*
 * The standard deviation, times the square root of n, of the mean of n consecutive waiting times of
 * an M/M/1 queue (they depend on each other, so it is far above that of a single one).
 */
double queue_mm1_mean_wait_deviation(const struct queue_model *m);

/*
 * Everything stands still for `stall_s` seconds, in which `stalled` of all `requests` arrive; these
 * are answered at its end, all others at once. Each of the stalled ones waits a time that is
 * uniform between 0 and stall_s.
 */
struct stall_model {
    double stall_s;
    double stalled, requests;
};

double stall_mean_response(const struct stall_model *m);
double stall_response_quantile(const struct stall_model *m, double p);
/* Standard errors of the two, given how many were stalled. */
double stall_mean_error(const struct stall_model *m);
double stall_quantile_error(const struct stall_model *m, double p);

#endif
