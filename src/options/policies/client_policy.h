/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy of the clients: how long they wait for a request (--timeout), and what happens to a
 * statement that they no longer wait for (--timeout-action). */
#ifndef CLIENT_POLICY_H
#define CLIENT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"

enum timeout_action { TIMEOUT_CANCEL, TIMEOUT_ABANDON };

struct client_policy {
    bool on;            /* true if any of the options is in effect */
    int64_t timeout_ns; /* 0: clients wait without a limit */
    enum timeout_action action;
};

/* Check function for the row of --timeout: returns NULL if `text` is 0 or a time of at least 1 ms,
 * otherwise the allowed values. */
const char *client_timeout_check(const char *text);

/* Loads the policy from options that were checked. */
void client_policy_load(struct client_policy *policy, const struct options *set);

/* For the workload `name`, which has no such policy: returns −1 after a logged message if an option
 * of the policy was given. */
int client_policy_refuse(const struct options *set, const char *name);

#endif
