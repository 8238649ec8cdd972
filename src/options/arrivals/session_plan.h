/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Sessions: users that arrive, send a number of requests with think times in between, and leave.
 * The laws of a session, as written in --session-length and --think:
 *
 *     5                    each session has 5 requests
 *     geometric(5)         the number of requests is geometric, 1 or more, with mean 5
 *     unlimited            a session lasts until the end of the run
 *
 *     200ms                each think time is 200 ms
 *     exp(1s)              think times are exponential with mean 1 s
 *     lognormal(1s,2)      think times are lognormal with mean 1 s and a standard deviation of
 *                          2 means
 */
/* clang-format on */
#ifndef SESSION_PLAN_H
#define SESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "options/arrivals/arrival_plan.h"
#include "options/options.h"

enum length_kind { LENGTH_CONSTANT, LENGTH_GEOMETRIC, LENGTH_UNLIMITED };

struct session_length {
    enum length_kind kind;
    double mean; /* ≥ 1; unused if the length is unlimited */
};

enum think_kind { THINK_CONSTANT, THINK_EXPONENTIAL, THINK_LOGNORMAL };

struct think_law {
    enum think_kind kind;
    double mean_s;
    double cv; /* THINK_LOGNORMAL: standard deviation / mean */
};

/* All fields are 0 if there are no sessions. */
struct session_plan {
    bool on;                      /* sessions send the requests */
    struct arrival_plan arrivals; /* arrivals of the sessions of all ranks */
    struct session_length length;
    struct think_law think;
    int64_t most;            /* number of sessions of all ranks after which none begins; 0 means
                                no limit */
    bool keep;               /* all requests of a session are served by one worker */
    const char *length_text; /* as given; these strings belong to the options */
    const char *think_text;
};

/* Parse the text of --session-length and of --think. Return NULL, or what is allowed. */
const char *session_length_parse(struct session_length *length, const char *text);
const char *think_law_parse(struct think_law *law, const char *text);
/* The same without a result, for rows of options. */
const char *session_length_check(const char *text);
const char *think_law_check(const char *text);

/*
 * Fills *plan from the options. Returns −1 after a logged message if options exclude each other.
 * The caller must call session_plan_fini() in either case.
 */
int session_plan_load(struct session_plan *plan, const struct options *set);
void session_plan_fini(struct session_plan *plan);

#endif
