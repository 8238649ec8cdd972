/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_time.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/util.h"

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

struct zone {
    char name[6];
    int16_t east_minutes;
};

/* The names are sorted only for readers. */
static const struct zone zones[] = {
    {"ACDT", 630},  {"ACST", 570}, {"ADT", -180}, {"AEDT", 660},  {"AEST", 600},  {"AKDT", -480},
    {"AKST", -540}, {"ART", -180}, {"AST", -240}, {"AWST", 480},  {"BRST", -120}, {"BRT", -180},
    {"BST", 60},    {"CAT", 120},  {"CDT", -300}, {"CEST", 120},  {"CET", 60},    {"CLST", -180},
    {"CLT", -240},  {"COT", -300}, {"CST", -360}, {"EAT", 180},   {"EDT", -240},  {"EEST", 180},
    {"EET", 120},   {"EST", -300}, {"GMT", 0},    {"HDT", -540},  {"HKT", 480},   {"HST", -600},
    {"ICT", 420},   {"IDT", 180},  {"IST", 330},  {"JST", 540},   {"KST", 540},   {"MDT", -360},
    {"MESZ", 120},  {"MEZ", 60},   {"MSD", 240},  {"MSK", 180},   {"MST", -420},  {"NDT", -150},
    {"NST", -210},  {"NZDT", 780}, {"NZST", 720}, {"PDT", -420},  {"PET", -300},  {"PHT", 480},
    {"PKT", 300},   {"PST", -480}, {"SAST", 120}, {"SGT", 480},   {"SST", -660},  {"TRT", 180},
    {"UCT", 0},     {"UTC", 0},    {"UYT", -180}, {"UYST", -120}, {"UZT", 300},   {"VET", -240},
    {"WAST", 120},  {"WAT", 60},   {"WEST", 60},  {"WET", 0},     {"WIB", 420},   {"WIT", 540},
    {"WITA", 480},  {"YEKT", 300}, {"Z", 0},      {"ZULU", 0}};

/* Returns true if the zone is known. */
static bool find_zone(const char *name, size_t length, int64_t *east_s)
{
    for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
        if (zones[i].name[0] == name[0] && strncmp(zones[i].name, name, length) == 0 &&
            zones[i].name[length] == '\0') {
            *east_s = zones[i].east_minutes * INT64_C(60);
            return true;
        }
    return false;
}

/* Reads "+2", "+02", "+0530" or "+05:30". Returns false if this is no offset: the text continues
 * with a letter or with too many digits. */
static bool read_offset(const char **text, bool with_colon, int64_t *east_s)
{
    const char *p = *text;
    const bool west = *p == '-';
    int digits = 0, number = 0, minutes = 0;
    if (*p != '+' && *p != '-')
        return false;
    for (p++; isdigit((unsigned char)*p) && digits < 5; p++, digits++)
        number = 10 * number + (*p - '0');
    if (digits > 2) {
        minutes = number % 100;
        number /= 100;
    } else if (with_colon && *p == ':' && isdigit((unsigned char)p[1]) &&
               isdigit((unsigned char)p[2])) {
        minutes = 10 * (p[1] - '0') + (p[2] - '0');
        p += 3;
    }
    if (digits == 0 || digits > 4 || isalnum((unsigned char)*p) || number > 15 || minutes > 59)
        return false;
    *east_s = (west ? -1 : 1) * (number * INT64_C(3600) + minutes * INT64_C(60));
    *text = p;
    return true;
}

/*
 * Reads "Z", "UTC", "CEST", "+02", "+0530", "GMT+3" and, if `with_colon`, also "+05:30"; a blank
 * may precede the zone. Moves *text past it and returns the seconds by which the zone is east of
 * UTC. If an abbreviation has several meanings, the most common one is used. Returns 0 if there is
 * no zone or it is unknown. Without `with_colon` a colon ends the zone, because a log_line_prefix
 * may continue with a colon.
 */
static int64_t read_zone(const char **text, bool with_colon)
{
    const char *p = *text;
    int64_t east_s = 0;
    p += *p == ' ' && p[1] != ' ';
    if (read_offset(&p, with_colon, &east_s)) {
        *text = p;
        return east_s;
    }
    const char *name = p;
    while (isupper((unsigned char)*p))
        p++;
    const size_t length = (size_t)(p - name);
    if (length == 0 || length > 5 || islower((unsigned char)*p))
        return 0;
    /* "LOG: " after a time without a zone is no zone. */
    if (!find_zone(name, length, &east_s) && *p == ':' && (p[1] == ' ' || p[1] == '\0'))
        return 0;
    if (strncmp(name, "GMT", length) == 0 || strncmp(name, "UTC", length) == 0)
        read_offset(&p, with_colon, &east_s);
    *text = p;
    return east_s;
}

/* Moves the time to UTC. Returns false if it is before 1970 then. */
static bool put_zone(const char **text, bool with_colon, struct log_time *time)
{
    time->ns -= read_zone(text, with_colon) * NS_PER_SEC;
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
