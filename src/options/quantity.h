/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses numbers and times in options and files. A "read" function parses the beginning of *text
 * and advances *text past it. If there is no such value, it returns false and leaves *text
 * unchanged.
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

/* The longest time, in seconds: about 31 years, so that a sum of several times fits into 64 bits
 * of nanoseconds. */
#define TIME_MAX_S 1e9

/* Reads a decimal number without a sign: "2", "0.5", ".5" or, with an exponent, "1e3". Blanks,
 * hexadecimal numbers, "inf", "nan" and numbers beyond the range of a double are rejected. */
bool quantity_read(const char **text, double *value);

/* Reads a number as quantity_read() does, but without an exponent. */
bool quantity_read_plain(const char **text, double *value);

/* Parses the whole of `text` as a number as for quantity_read(), with an optional minus sign. −0
 * becomes 0. */
bool quantity_parse(const char *text, double *value);

/* Units of time: ns, us, ms, s, m, h. */
enum time_unit { UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_MINUTE, UNIT_HOUR };

/* Reads the name of a unit from `least` to `most`, and sets *unit_ns to the unit in nanoseconds. */
bool quantity_read_unit(const char **text, enum time_unit least, enum time_unit most,
                        double *unit_ns);

/*
 * Reads a number as quantity_read() does, with an optional suffix k (10^3), M (10^6) or G (10^9).
 */
bool quantity_read_count(const char **text, double *value);

/* Parses the whole of `text` as a number as for quantity_read_count(), with an optional minus
 * sign. −0 becomes 0. */
bool quantity_parse_count(const char *text, double *value);

/* Reads a time of up to TIME_MAX_S, with a unit from ms to h or, without a unit, in seconds. */
bool quantity_read_time(const char **text, double *seconds);

/* Parses the whole of `text` as a time as for quantity_read_time(). */
bool quantity_parse_time(const char *text, double *seconds);

#endif
