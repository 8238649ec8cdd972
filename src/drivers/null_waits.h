/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements of the null driver that have phases with labels (--null-waits), so that the sampling
 * of waits can be compared with a known answer.
 */
#ifndef NULL_WAITS_H
#define NULL_WAITS_H

#include <stdbool.h>

#define NULL_PHASES 16

struct null_phase {
    char label[64];
    double mean_ns;
    bool exponential;
    double probability; /* that a statement has the phase, 0 to 1 */
};

struct null_waits {
    struct null_phase phase[NULL_PHASES];
    unsigned count;
};

/* Checks a value of --null-waits. Returns NULL if the value is valid, otherwise the allowed
 * values. */
const char *null_waits_check(const char *value);
/* Sets the phases from a valid value; there are none if the value is NULL. */
void null_waits_init(struct null_waits *waits, const char *value);

#endif
