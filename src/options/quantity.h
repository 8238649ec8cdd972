/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and times as users write them in options and files. A reader takes what stands at *text,
 * which then moves behind it. False: no such thing stands there, and *text is as it was.
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

/* The longest time, in seconds: about 31 years, so that the sum of several still fits into 64 bits
 * of nanoseconds. */
#define TIME_MAX_S 1e9

/*
 * A decimal number without a sign: "2", "0.5", ".5", and with an exponent, "1e3". No blank, no
 * hexadecimal, no "inf" or "nan", and nothing so large or small that a double has no such number.
 */
bool quantity_read(const char **text, double *value);

/* A number as for quantity_read(), but without an exponent. */
bool quantity_read_plain(const char **text, double *value);

/* True when `text` as a whole is a number as for quantity_read(), or one behind a minus. −0 becomes
 * 0. */
bool quantity_parse(const char *text, double *value);

/* Units of time: ns, us, ms, s, m, h. */
enum time_unit { UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_MINUTE, UNIT_HOUR };

/* The name of one of the units from `least` to `most`: how many ns it has. */
bool quantity_read_unit(const char **text, enum time_unit least, enum time_unit most,
                        double *unit_ns);

/* A number as for quantity_read(), with k, M or G behind it or not: a thousand, a million, 10^9. */
bool quantity_read_count(const char **text, double *value);

/* True when `text` as a whole is a number as for quantity_read_count(), or one behind a minus. −0
 * becomes 0. */
bool quantity_parse_count(const char *text, double *value);

/* A time up to TIME_MAX_S with a unit from ms to h, or without one: seconds. */
bool quantity_read_time(const char **text, double *seconds);

/* True when `text` as a whole is a time as for quantity_read_time(). */
bool quantity_parse_time(const char *text, double *seconds);

#endif
