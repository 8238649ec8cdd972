/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The moment at which several processes are to begin, as --start-at states it:
 *
 *     2026-01-31T23:59:00Z     a time in UTC, also with decimals of a second
 *     @1770000000.5            seconds since 1970 in UTC
 *     +10s:FILE                so long after FILE was changed last
 *
 * All of them are times of the machine's wall clock, CLOCK_REALTIME; the last of FILE's as well.
 */
/* clang-format on */
#ifndef START_AT_H
#define START_AT_H

#include <stdint.h>

/* The check of an option's row: NULL when `text` is one of the forms above, else what is allowed.
 */
const char *start_at_check(const char *text);

/* Of a text that start_at_check() finds good: nanoseconds of CLOCK_REALTIME. −1 after a logged
 * message: FILE cannot be looked at. */
int start_at_read(const char *text, int64_t *wall_ns);

#endif
