/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads times as the logs of servers write them. A time with a time zone is returned in UTC, so
 * that a change to summer time is no jump and logs with different zones can be merged. A time
 * without a zone is returned as if it were in UTC. A time before 1970 or after 2099 is refused, so
 * that two times can be added without overflow.
 */
#ifndef LOG_TIME_H
#define LOG_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_TIME_MOST_NS (INT64_C(4102531200) * 1000000000) /* the first day of 2100 is over */

struct log_time {
    int64_t ns;
    int64_t tick_ns; /* resolution of the time: the value of its last digit */
};

/* Each function moves *text past the time and returns true, or leaves *text unchanged and returns
 * false. */

/* Reads "2026-11-24T03:37:07.123456Z", "…+02:00", with 'T' or a blank, with or without a fraction.
 * After a blank a time zone may follow: "UTC", "CEST", "+02", "GMT+3". */
bool log_time_iso(const char **text, struct log_time *time);
/* Reads "261124  3:36:58" of MariaDB, with or without a fraction. */
bool log_time_short(const char **text, struct log_time *time);
/* Reads "1795491418.123", seconds since 1970. */
bool log_time_epoch(const char **text, struct log_time *time);

#endif
