/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload that only executes sessions, for injections. The text of a statement says how it
 * behaves. A text that begins with "fail" fails; "hang" runs until it is cancelled and then fails;
 * "sleep" runs until it is cancelled and then succeeds; "deaf" ignores cancellation; other texts
 * change 7 rows.
 */
#ifndef TEST_SESSIONS_H
#define TEST_SESSIONS_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/workload.h"

static bool refused;                /* makes session_open() fail */
static atomic_uint opened, cancels; /* number of open sessions; number of calls of
                                       session_cancel() */
static atomic_bool executing;

static inline const char *session_objection(void *self, const char *text)
{
    (void)self;
    return strcmp(text, "nonsense") == 0 ? "what has a sense" : NULL;
}

static inline void *session_open(void *self, char *failure, size_t bytes)
{
    (void)self;
    if (refused) {
        snprintf(failure, bytes, "nobody there");
        return NULL;
    }
    atomic_fetch_add(&opened, 1);
    return &opened;
}

static inline int session_execute(void *session, const char *text,
                                  struct injection_outcome *outcome, char *failure, size_t bytes)
{
    (void)session;
    bool hangs = strcmp(text, "hang") == 0, deaf = strcmp(text, "deaf") == 0;
    bool sleeps = strcmp(text, "sleep") == 0;
    atomic_store(&executing, true);
    while (deaf || ((hangs || sleeps) && atomic_load(&cancels) == 0))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    *outcome = (struct injection_outcome){.kind = INJECTION_OUTCOME_ROWS, .rows_changed = 7};
    if (!hangs && strncmp(text, "fail", 4) != 0)
        return 0;
    outcome->kind = INJECTION_OUTCOME_NONE;
    snprintf(failure, bytes, hangs ? "cancelled, all has changed" : "not done: %s", text);
    return -1;
}

static inline void session_cancel(void *session)
{
    (void)session;
    atomic_fetch_add(&cancels, 1);
}

static inline void session_close(void *session)
{
    (void)session;
    atomic_fetch_sub(&opened, 1);
}

static const struct workload_ops session_ops = {.session_objection = session_objection,
                                                .session_open = session_open,
                                                .session_execute = session_execute,
                                                .session_cancel = session_cancel,
                                                .session_close = session_close};

#endif
