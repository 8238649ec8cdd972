/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/percentiles.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* Parses "99.9" to 99 900 000 digit by digit, so that nothing is rounded. Returns −1 if the text
 * is malformed or above 100. */
static int64_t parse_percentage(const char *text, size_t length)
{
    int64_t value = 0, unit = PERCENT;
    bool fraction = false;
    for (size_t i = 0; i < length; i++) {
        bool digit = isdigit((unsigned char)text[i]);
        if (!digit && (fraction || text[i] != '.' || i == 0 || i + 1 == length))
            return -1;
        if (!digit) {
            fraction = true;
            continue;
        }
        if (fraction)
            unit /= 10;
        value = fraction ? value + (text[i] - '0') * unit : value * 10 + (text[i] - '0') * unit;
        if (value > 100 * PERCENT || unit == 0)
            return -1;
    }
    return length > 0 ? value : -1;
}

static bool contains(const int64_t *values, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

int percentiles_parse(const char *text, int64_t *percentile, int max)
{
    int count = 0;
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int64_t value = parse_percentage(text, length);
        text += length;
        if (value == 0 && count == 0 && *text == '\0')
            return 0;
        if (value <= 0 || count == max || contains(percentile, count, value))
            return -1;
        percentile[count++] = value;
        if (*text == '\0')
            return count;
    }
}

/* Copies `text` without a "p" before a number, as in "p99". Returns false if it is too long. */
static bool without_p(char *to, size_t bytes, const char *text)
{
    size_t used = 0;
    bool begins = true;
    for (; *text != '\0'; text++) {
        bool p = begins && (*text == 'p' || *text == 'P');
        begins = *text == ',';
        if (!p && used + 1 >= bytes)
            return false;
        if (!p)
            to[used++] = *text;
    }
    to[used] = '\0';
    return true;
}

const char *percentiles_check(const char *text)
{
    static _Thread_local char advice[256];
    int64_t percentile[MAX_PERCENTILES];
    char plain[128];
    if (percentiles_parse(text, percentile, MAX_PERCENTILES) >= 0)
        return NULL;
    if (without_p(plain, sizeof(plain), text) &&
        percentiles_parse(plain, percentile, MAX_PERCENTILES) > 0) {
        snprintf(advice, sizeof(advice), "percentages without the letter p: --percentile=%s",
                 plain);
        return advice;
    }
    return "0 for none, or up to 16 different percentages above 0 and up to 100 with at most "
           "6 decimals, separated by commas";
}

const char *percentile_label(int64_t percentile, char *buf, size_t bytes)
{
    buf[0] = 'p';
    percentile_name(percentile, buf + 1, bytes - 1);
    return buf;
}

int64_t percentile_of_label(const char *label)
{
    int64_t percentile;
    return label[0] == 'p' && percentiles_parse(label + 1, &percentile, 1) == 1 ? percentile : -1;
}

const char *percentile_name(int64_t percentile, char *buf, size_t bytes)
{
    int length =
        snprintf(buf, bytes, "%" PRId64 ".%06" PRId64, percentile / PERCENT, percentile % PERCENT);
    if (length < 0 || (size_t)length >= bytes)
        return buf;
    while (buf[length - 1] == '0')
        buf[--length] = '\0';
    if (buf[length - 1] == '.')
        buf[length - 1] = '\0';
    return buf;
}
