/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The common start time of several processes, as written in --start-at:
 *
 *     2026-01-31T23:59:00Z     a time in UTC, optionally with decimals of a second
 *     @1770000000.5            seconds since 1970 in UTC
 *     +10s:FILE                that long after the last modification of FILE
 *
 * All of these are times of CLOCK_REALTIME, the wall clock of the machine; so is the modification
 * time of FILE.
 */
/* clang-format on */
#ifndef START_AT_H
#define START_AT_H

#include <stdint.h>

/* Check function for option rows: returns NULL if `text` has one of the forms above, otherwise
 * what is allowed. */
const char *start_at_check(const char *text);

/* Converts a text that start_at_check() accepts to nanoseconds of CLOCK_REALTIME. Returns −1
 * after a logged message if FILE cannot be examined. */
int start_at_read(const char *text, int64_t *wall_ns);

#endif
