/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/arrivals/session_plan.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/quantity.h"

#define LENGTH_MAX 1e9
#define CV_MIN 0.1
#define CV_MAX 10

static const char BAD_LENGTH[] =
    "a number of requests from 1 to 1000000000, geometric(MEAN) with a mean from 1 to 1000000000, "
    "or unlimited";
static const char BAD_THINK[] =
    "a time (ms, s, m or h), exp(TIME), or lognormal(MEAN,CV) with a coefficient of variation from "
    "0.1 to 10";

static bool skip(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

const char *session_length_parse(struct session_length *length, const char *text)
{
    double mean;
    if (strcmp(text, "unlimited") == 0) {
        *length = (struct session_length){.kind = LENGTH_UNLIMITED};
        return NULL;
    }
    const bool geometric = skip(&text, "geometric(");
    if (!quantity_read_count(&text, &mean) || (geometric && !skip(&text, ")")) || *text != '\0' ||
        mean < 1 || mean > LENGTH_MAX || (!geometric && mean != floor(mean)))
        return BAD_LENGTH;
    *length = (struct session_length){.kind = geometric ? LENGTH_GEOMETRIC : LENGTH_CONSTANT,
                                      .mean = mean};
    return NULL;
}

const char *think_law_parse(struct think_law *law, const char *text)
{
    struct think_law read = {.kind = THINK_CONSTANT};
    if (skip(&text, "exp("))
        read.kind = THINK_EXPONENTIAL;
    else if (skip(&text, "lognormal("))
        read.kind = THINK_LOGNORMAL;
    if (!quantity_read_time(&text, &read.mean_s) ||
        (read.kind == THINK_LOGNORMAL && !(skip(&text, ",") && quantity_read(&text, &read.cv) &&
                                           read.cv >= CV_MIN && read.cv <= CV_MAX)) ||
        (read.kind != THINK_CONSTANT && !skip(&text, ")")) || *text != '\0')
        return BAD_THINK;
    *law = read;
    return NULL;
}

const char *session_length_check(const char *text)
{
    struct session_length length;
    return session_length_parse(&length, text);
}

const char *think_law_check(const char *text)
{
    struct think_law law;
    return think_law_parse(&law, text);
}

/* Without sessions, the other options of sessions would be ignored, and another system would be
 * measured. */
static int refuse_without_sessions(const struct options *set)
{
    static const char *const own[] = {"session-length", "think", "sessions", "session-connection"};
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        if (options_get(set, own[i])->given) {
            log_text(LOG_FATAL, "--%s needs sessions, which arrive at --session-rate", own[i]);
            return -1;
        }
    return 0;
}

static int check_others(const struct options *set)
{
    const char *other = NULL;
    if (options_string(set, "arrival-trace") != NULL)
        other = "--arrival-trace";
    else if (options_choice(set, "pacing") != 0)
        other = "--pacing=terminals";
    else if (options_choice(set, "queue-full") != 0)
        other = "--queue-full=drop";
    if (other == NULL)
        return 0;
    log_text(LOG_FATAL, "--session-rate and %s exclude each other", other);
    return -1;
}

int session_plan_load(struct session_plan *plan, const struct options *set)
{
    *plan = (struct session_plan){0};
    arrival_plan_load_rate(&plan->arrivals, set, "session-rate");
    plan->on = arrival_plan_mean_rate(&plan->arrivals, 0) > 0;
    if (!plan->on)
        return refuse_without_sessions(set);
    plan->most = options_int(set, "sessions");
    plan->keep = options_choice(set, "session-connection") != 0;
    plan->length_text = options_string(set, "session-length");
    plan->think_text = options_string(set, "think");
    session_length_parse(&plan->length, plan->length_text);
    think_law_parse(&plan->think, plan->think_text);
    return check_others(set);
}

void session_plan_fini(struct session_plan *plan)
{
    arrival_plan_fini(&plan->arrivals);
}
