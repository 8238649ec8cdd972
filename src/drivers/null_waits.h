/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements of the null driver that have phases with labels (--null-waits), so that the sampling
 * of waits can be compared with a known answer.
 */
#ifndef NULL_WAITS_H
#define NULL_WAITS_H

#include "drivers/driver.h"

#define NULL_PHASES 16

struct null_phase {
    char label[64];
    double mean_ns;
    bool exponential;
    double probability; /* that a statement has the phase, 0 to 1 */
};

/* The phases, and the sessions of all connections. */
struct null_waits {
    struct null_phase phase[NULL_PHASES];
    unsigned count;
    struct null_sessions *sessions;
};

/* A connection as the sampler sees it. */
struct null_session;

/* Checks a value of --null-waits. Returns NULL if the value is valid, otherwise the allowed
 * values. */
const char *null_waits_check(const char *value);
/* Sets the phases from a valid value. Free the memory with null_waits_fini(). */
void null_waits_init(struct null_waits *waits, const char *value);
void null_waits_fini(struct null_waits *waits);

struct null_session *null_session_create(struct null_waits *waits);
void null_session_destroy(struct null_waits *waits, struct null_session *session);
uint64_t null_session_id(const struct null_session *session);
/* Sets the phase in which the session is; −1 if it is in none. */
void null_session_set(struct null_session *session, int phase);

/* Calls `add` for each session that is in a phase. */
void null_waits_sample(const struct null_waits *waits, wait_session_add *add, void *arg);

#endif
