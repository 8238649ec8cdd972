/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/arrivals/arrival_trace.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/quantity.h"

#define LINE_BYTES 65536

/* Removes the comment and surrounding blanks from the line, in place. */
static char *strip(char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    size_t n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        line[--n] = '\0';
    return line;
}

static bool read_time(const char *text, int64_t *time_ns)
{
    double seconds;
    text += *text == '+';
    if (!quantity_read(&text, &seconds) || *text != '\0' || seconds > TIME_MAX_S)
        return false;
    *time_ns = seconds_to_ns(seconds);
    return true;
}

static void append(struct arrival_trace *trace, size_t *room, int64_t time_ns)
{
    if (trace->count == *room) {
        *room = *room == 0 ? 1024 : 2 * *room;
        trace->times_ns = xrealloc(trace->times_ns, *room * sizeof(*trace->times_ns));
    }
    trace->times_ns[trace->count++] = time_ns;
}

static int read_lines(struct arrival_trace *trace, FILE *file, const char *path)
{
    char *line = xcalloc(1, LINE_BYTES);
    size_t room = 0;
    int64_t last_ns = 0, time_ns;
    int rc = 0;
    for (unsigned number = 1; rc == 0 && fgets(line, LINE_BYTES, file) != NULL; number++) {
        /* A device such as /dev/zero has a line without an end. */
        const bool ended = strchr(line, '\n') != NULL || feof(file);
        const char *text = strip(number == 1 ? line + byte_order_mark(line) : line);
        if (ended && *text == '\0')
            continue;
        if (!ended) {
            log_text(LOG_FATAL, "%s:%u: not a line of text with fewer than %d bytes", path, number,
                     LINE_BYTES);
            rc = -1;
        } else if (!read_time(text, &time_ns)) {
            log_text(LOG_FATAL,
                     "%s:%u: '%.40s' is not a time (allowed: seconds from 0 to 1000000000)", path,
                     number, text);
            rc = -1;
        } else if (time_ns < last_ns) {
            log_text(LOG_FATAL, "%s:%u: '%.40s' is before the time of an earlier line", path,
                     number, text);
            rc = -1;
        } else {
            append(trace, &room, time_ns);
            last_ns = time_ns;
        }
    }
    free(line);
    return rc;
}

int arrival_trace_load(struct arrival_trace *trace, const char *path)
{
    *trace = (struct arrival_trace){.path = xstrdup(path)};
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        log_errno(LOG_FATAL, "cannot read --arrival-trace=%s", path);
        arrival_trace_fini(trace);
        return -1;
    }
    int rc = read_lines(trace, file, path);
    if (rc == 0 && ferror(file)) {
        log_errno(LOG_FATAL, "cannot read --arrival-trace=%s", path);
        rc = -1;
    } else if (rc == 0 && trace->count == 0) {
        log_text(LOG_FATAL, "--arrival-trace=%s has no arrival times", path);
        rc = -1;
    }
    fclose(file);
    if (rc == 0)
        trace->last_ns = trace->times_ns[trace->count - 1];
    else
        arrival_trace_fini(trace);
    return rc;
}

void arrival_trace_of_workload(struct arrival_trace *trace, const char *path, size_t count,
                               int64_t last_ns)
{
    *trace = (struct arrival_trace){.path = xstrdup(path), .count = count, .last_ns = last_ns};
}

void arrival_trace_fini(struct arrival_trace *trace)
{
    free(trace->times_ns);
    free(trace->path);
    *trace = (struct arrival_trace){0};
}

size_t arrival_trace_count(const struct arrival_trace *trace, int64_t until_ns)
{
    size_t low = 0, high = trace->count;
    if (trace->times_ns == NULL)
        return until_ns > trace->last_ns || trace->last_ns == 0
                   ? high
                   : (size_t)((double)high * (double)until_ns / (double)trace->last_ns);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->times_ns[middle] < until_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
