/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/policies/client_policy.h"

#include "base/log.h"
#include "base/util.h"
#include "options/quantity.h"

#define SHORTEST_S 0.001
#define LONGEST_S 3600

const char *client_timeout_check(const char *text)
{
    double seconds = 0;
    quantity_parse_time(text, &seconds);
    return seconds == 0 || (seconds >= SHORTEST_S && seconds <= LONGEST_S)
               ? NULL
               : "0 for none, or a time from 1ms to 1h";
}

void client_policy_load(struct client_policy *policy, const struct options *set)
{
    *policy = (struct client_policy){
        .timeout_ns = options_get(set, "timeout")->integer,
        .action = (enum timeout_action)options_choice(set, "timeout-action")};
    policy->on = policy->timeout_ns > 0;
}

int client_policy_refuse(const struct options *set, const char *name)
{
    static const char *const options[] = {"timeout", "timeout-action"};
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        if (options_get(set, options[i])->given) {
            log_text(LOG_FATAL, "--%s cannot be used with %s (allowed: scripts)", options[i], name);
            return -1;
        }
    return 0;
}
