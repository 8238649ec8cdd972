/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/policies/client_policy.h"

#include <string.h>

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

#define ATTEMPTS_MAX 100
#define PAUSE_MAX_S 3600

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " ");
}

static bool skip_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    skip_blanks(text);
    return true;
}

static bool read_pause(const char **text, struct retry_policy *retry)
{
    double seconds;
    retry->doubles = skip_word(text, "exp(");
    if (!quantity_read_time(text, &seconds) || seconds > PAUSE_MAX_S)
        return false;
    retry->pause_ns = seconds_to_ns(seconds);
    skip_blanks(text);
    return !retry->doubles || skip_word(text, ")");
}

static bool read_budget(const char **text, struct retry_policy *retry)
{
    double percent;
    if (!quantity_read_plain(text, &percent) || !skip_word(text, "%"))
        return false;
    retry->budget = percent / 100;
    return percent <= 100;
}

static bool parse_retry(struct retry_policy *retry, const char *text)
{
    double attempts;
    *retry = (struct retry_policy){.budget = -1};
    skip_blanks(&text);
    if (!quantity_read_plain(&text, &attempts) || attempts < 2 || attempts > ATTEMPTS_MAX ||
        attempts != (unsigned)attempts || (*text != ' ' && *text != '\0'))
        return false;
    retry->attempts = (unsigned)attempts;
    skip_blanks(&text);
    if (*text != '\0' && *text != 'b' && !read_pause(&text, retry))
        return false;
    if (skip_word(&text, "budget ") && !read_budget(&text, retry))
        return false;
    return *text == '\0';
}

const char *client_retry_check(const char *text)
{
    struct retry_policy retry;
    return parse_retry(&retry, text) ? NULL
                                     : "attempts from 2 to 100, optionally a pause up to 1h such "
                                       "as 50ms or exp(50ms), and "
                                       "a budget up to 100 %, such as '3 exp(50ms) budget 10%'";
}

/* Parses a list of kinds of errors. Returns 0 if it is malformed. */
static unsigned parse_retry_on(const char *text)
{
    static const char *const names[] = {"timeout", "error", "deadlock", "pool"};
    unsigned kinds = 0;
    for (size_t length;; text += length + 1) {
        size_t i = 0;
        length = strcspn(text, ",");
        while (i < ARRAY_SIZE(names) &&
               (strlen(names[i]) != length || strncmp(text, names[i], length) != 0))
            i++;
        if (i == ARRAY_SIZE(names))
            return 0;
        kinds |= 1U << i;
        if (text[length] == '\0')
            return kinds;
    }
}

const char *client_retry_on_check(const char *text)
{
    return parse_retry_on(text) != 0 ? NULL : "a list of timeout, error, deadlock, pool";
}

void client_policy_load(struct client_policy *policy, const struct options *set)
{
    *policy = (struct client_policy){
        .timeout_ns = options_get(set, "timeout")->integer,
        .action = (enum timeout_action)options_choice(set, "timeout-action")};
    if (options_string(set, "retry") != NULL)
        parse_retry(&policy->retry, options_string(set, "retry"));
    policy->retry_on = parse_retry_on(options_string(set, "retry-on"));
    policy->on = policy->timeout_ns > 0 || policy->retry.attempts > 0;
}

void client_policy_restore(struct client_policy *policy, double timeout_s, const char *retry)
{
    *policy = (struct client_policy){0};
    if (timeout_s >= SHORTEST_S && timeout_s <= LONGEST_S)
        policy->timeout_ns = seconds_to_ns(timeout_s);
    if (retry == NULL || !parse_retry(&policy->retry, retry))
        policy->retry = (struct retry_policy){0};
    policy->on = policy->timeout_ns > 0 || policy->retry.attempts > 0;
}
