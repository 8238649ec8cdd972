/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy of the clients: how long they wait for a request (--timeout), what happens to a
 * statement that they no longer wait for (--timeout-action), and which attempts they repeat
 * (--retry, --retry-on). --retry is a list of parts, separated by blanks:
 *
 *     3              at most 3 attempts in all, from 2 to 100
 *     50ms           the pause before each further attempt; 0 if it is not given
 *     exp(50ms)      the mean pause before the second attempt; it doubles with each attempt
 *     budget 10%     further attempts are at most this share of the requests; no limit if not given
 *
 * Each pause is drawn uniformly between half and one and a half of its mean.
 */
#ifndef CLIENT_POLICY_H
#define CLIENT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"

enum timeout_action { TIMEOUT_CANCEL, TIMEOUT_ABANDON };

enum { RETRY_ON_TIMEOUT = 1, RETRY_ON_ERROR = 2, RETRY_ON_DEADLOCK = 4, RETRY_ON_POOL = 8 };

struct retry_policy {
    unsigned attempts; /* most attempts at a request; 0 if --retry is not given */
    bool doubles;      /* the mean pause doubles with each attempt */
    int64_t pause_ns;  /* mean pause before the second attempt */
    double budget;     /* further attempts per request, from 0 to 1; below 0 if unlimited */
};

struct client_policy {
    bool on;            /* true if any of the options is in effect */
    int64_t timeout_ns; /* 0: clients wait without a limit */
    enum timeout_action action;
    struct retry_policy retry;
    unsigned retry_on; /* sum of RETRY_ON_ constants */
};

/* Check function for the row of --timeout: returns NULL if `text` is 0 or a time of at least 1 ms,
 * otherwise the allowed values. */
const char *client_timeout_check(const char *text);
/* The same for the rows of --retry and --retry-on. */
const char *client_retry_check(const char *text);
const char *client_retry_on_check(const char *text);

/* Loads the policy from options that were checked. */
void client_policy_load(struct client_policy *policy, const struct options *set);

/* Sets what a report shows of a policy. `retry` is NULL if there were no further attempts. */
void client_policy_restore(struct client_policy *policy, double timeout_s, const char *retry);

#endif
