/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/start_at.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "base/util.h"

/* limit of the seconds: the range of 64-bit nanoseconds, less some time for a run */
#define SECONDS_MAX 9e9

struct start_at {
    int64_t ns;       /* since 1970, or after the modification of the file */
    const char *file; /* NULL unless the form is +SECONDS:FILE */
};

/* Reads digits with optional decimals, but nothing else that strtod() accepts. The result is
 * exact to the nanosecond. */
static bool read_seconds(const char **text, int64_t *ns)
{
    char *end;
    const char *from = *text;
    if (!isdigit((unsigned char)*from))
        return false;
    errno = 0;
    const long long whole = strtoll(from, &end, 10);
    if (errno != 0 || (double)whole > SECONDS_MAX)
        return false;
    *ns = (int64_t)whole * NS_PER_SEC;
    if (*end == '.') {
        int64_t unit_ns = NS_PER_SEC;
        for (end++; isdigit((unsigned char)*end); end++)
            *ns += (*end - '0') * (unit_ns /= 10);
        if (end[-1] == '.')
            return false;
    }
    *text = end;
    return true;
}

static bool read_date(const char *text, struct start_at *at)
{
    struct tm tm = {0};
    int64_t seconds_ns;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:", &tm);
    if (rest == NULL || !read_seconds(&rest, &seconds_ns) || strcmp(rest, "Z") != 0 ||
        seconds_ns >= 61 * NS_PER_SEC)
        return false;
    const time_t minute = timegm(&tm);
    if (minute < 0 || (double)minute > SECONDS_MAX)
        return false;
    at->ns = (int64_t)minute * NS_PER_SEC + seconds_ns;
    return true;
}

static bool read_after_file(const char *text, struct start_at *at)
{
    if (!read_seconds(&text, &at->ns))
        return false;
    text += *text == 's';
    at->file = text + 1;
    return *text == ':' && *at->file != '\0';
}

static bool read_form(const char *text, struct start_at *at)
{
    *at = (struct start_at){0};
    if (*text == '+')
        return read_after_file(text + 1, at);
    if (*text != '@')
        return read_date(text, at);
    text++;
    return read_seconds(&text, &at->ns) && *text == '\0';
}

const char *start_at_check(const char *text)
{
    struct start_at at;
    return read_form(text, &at) ? NULL
                                : "a time such as 2026-01-31T23:59:00Z, @SECONDS since 1970, or "
                                  "+SECONDS:FILE, seconds after the last change of FILE";
}

int start_at_read(const char *text, int64_t *wall_ns)
{
    struct start_at at;
    struct stat about;
    read_form(text, &at);
    *wall_ns = at.ns;
    if (at.file == NULL)
        return 0;
    if (stat(at.file, &about) != 0) {
        log_errno(LOG_FATAL, "--start-at: cannot examine '%s'", at.file);
        return -1;
    }
    *wall_ns += (int64_t)about.st_mtim.tv_sec * NS_PER_SEC + about.st_mtim.tv_nsec;
    return 0;
}
