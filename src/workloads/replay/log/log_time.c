/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_time.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "workloads/replay/log/log_zone.h"

/* Reads a number of exactly `digits` digits; with `padded`, blanks may replace leading digits. */
static bool read_digits(const char **text, int digits, bool padded, int *value)
{
    const char *p = *text;
    *value = 0;
    for (int i = 0; i < digits; i++, p++) {
        if (padded && *p == ' ' && i < digits - 1 && *value == 0)
            continue;
        if (!isdigit((unsigned char)*p))
            return false;
        *value = 10 * *value + (*p - '0');
    }
    *text = p;
    return true;
}

static bool skip(const char **text, char c)
{
    if (**text != c)
        return false;
    ++*text;
    return true;
}

static bool read_clock(const char **text, bool padded, struct tm *tm)
{
    return read_digits(text, 2, padded, &tm->tm_hour) && skip(text, ':') &&
           read_digits(text, 2, false, &tm->tm_min) && skip(text, ':') &&
           read_digits(text, 2, false, &tm->tm_sec) && tm->tm_hour < 24 && tm->tm_min < 60 &&
           tm->tm_sec <= 60;
}

static bool is_day(const struct tm *tm)
{
    return tm->tm_year >= 70 && tm->tm_year < 200 && tm->tm_mon >= 0 && tm->tm_mon < 12 &&
           tm->tm_mday >= 1 && tm->tm_mday <= 31;
}

/* Reads ".123456", up to nine digits; further digits are skipped. */
static void read_fraction(const char **text, struct log_time *time)
{
    if (**text != '.' || !isdigit((unsigned char)(*text)[1]))
        return;
    for (++*text; isdigit((unsigned char)**text); ++*text) {
        if (time->tick_ns == 1)
            continue;
        time->tick_ns /= 10;
        time->ns += (**text - '0') * time->tick_ns;
    }
}

/* Moves the time to UTC. Returns false if it is before 1970 then. */
static bool put_zone(const char **text, bool with_colon, struct log_time *time)
{
    time->ns -= log_zone_read(text, with_colon) * NS_PER_SEC;
    return time->ns >= 0;
}

bool log_time_iso(const char **text, struct log_time *time)
{
    const char *p = *text;
    struct tm tm = {0};
    int year;
    if (!read_digits(&p, 4, false, &year) || !skip(&p, '-') ||
        !read_digits(&p, 2, false, &tm.tm_mon) || !skip(&p, '-') ||
        !read_digits(&p, 2, false, &tm.tm_mday) || (*p != 'T' && *p != ' '))
        return false;
    const bool strict = *p++ == 'T';
    tm.tm_year = year - 1900;
    tm.tm_mon--;
    if (!is_day(&tm) || !read_clock(&p, false, &tm))
        return false;
    *time = (struct log_time){timegm(&tm) * NS_PER_SEC, NS_PER_SEC};
    read_fraction(&p, time);
    if (!put_zone(&p, strict, time))
        return false;
    *text = p;
    return true;
}

bool log_time_short(const char **text, struct log_time *time)
{
    const char *p = *text;
    struct tm tm = {0};
    int year;
    if (!read_digits(&p, 2, false, &year) || !read_digits(&p, 2, false, &tm.tm_mon) ||
        !read_digits(&p, 2, false, &tm.tm_mday) || !skip(&p, ' '))
        return false;
    while (p[0] == ' ' && p[1] != '\0' && p[2] != ':')
        p++;
    tm.tm_year = 100 + year;
    tm.tm_mon--;
    if (!is_day(&tm) || !read_clock(&p, true, &tm))
        return false;
    *time = (struct log_time){timegm(&tm) * NS_PER_SEC, NS_PER_SEC};
    read_fraction(&p, time);
    *text = p;
    return true;
}

bool log_time_epoch(const char **text, struct log_time *time)
{
    const char *p = *text;
    int64_t seconds = 0;
    int digits = 0;
    for (; isdigit((unsigned char)*p) && digits < 10; p++, digits++)
        seconds = 10 * seconds + (*p - '0');
    if (digits < 9 || isdigit((unsigned char)*p) || seconds >= LOG_TIME_MOST_NS / NS_PER_SEC)
        return false;
    *time = (struct log_time){seconds * NS_PER_SEC, NS_PER_SEC};
    read_fraction(&p, time);
    *text = p;
    return true;
}
