/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the time zone after a time in a log. */
#ifndef LOG_ZONE_H
#define LOG_ZONE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads "Z", "UTC", "CEST", "+02", "+0530", "GMT+3" and, if `with_colon`, also "+05:30"; a blank may
 * precede the zone. Moves *text past it and returns the seconds by which the zone is east of UTC.
 * Abbreviations are those that servers write for the zones of the world; if an abbreviation has
 * several meanings, the most common one is used. Returns 0 if there is no zone or it is unknown.
 * Without `with_colon` a colon ends the zone, because a log_line_prefix may continue with a colon.
 */
int64_t log_zone_read(const char **text, bool with_colon);

#endif
