/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_overlap.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "workloads/replay/log/log_source.h"
#include "workloads/replay/log/log_time.h"

/* Part of a line in which its time is searched, and of a file in which its last time is. */
#define LINE_BYTES 300
#define TAIL_BYTES ((size_t)64 << 10)

/* Records of one file may be out of order by this much. */
#define SLACK_NS (5 * NS_PER_SEC)

/* Returns the first time in the line, or −1. */
static int64_t time_in(const char *line)
{
    struct log_time time;
    for (const char *p = line; *p != '\0' && p - line < LINE_BYTES; p++) {
        const char *at = p;
        if (isdigit((unsigned char)*p) && (p == line || !isalnum((unsigned char)p[-1])) &&
            log_time_iso(&at, &time))
            return time.ns;
    }
    return -1;
}

/* Sets *first_ns to the time of the first line, or −1, and *last_ns to the last time of all lines.
 */
static void read_times(const char *file, bool all, int64_t *first_ns, int64_t *last_ns)
{
    struct log_source *source = log_source_open_to_look(file);
    char *line;
    size_t length;
    *first_ns = *last_ns = -1;
    if (source == NULL)
        return;
    for (int i = 0; (all || i == 0) && log_source_line(source, &line, &length); i++) {
        const int64_t ns = time_in(line);
        if (i == 0)
            *first_ns = ns;
        *last_ns = max_i64(*last_ns, ns);
    }
    log_source_close(source);
}

/* Returns the last time near the end of the file, or −1 if no line has a time, for example because
 * the file is compressed. */
static int64_t time_at_end(const char *file)
{
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    char *tail = xcalloc(1, TAIL_BYTES + 1);
    int64_t last_ns = -1;
    const off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    const off_t from = (off_t)max_i64(0, size - (int64_t)TAIL_BYTES);
    if (size > 0 && pread(fd, tail, TAIL_BYTES, from) > 0)
        for (char *line = tail, *end; *line != '\0'; line = end + 1) {
            end = strchrnul(line, '\n');
            const bool is_last = *end == '\0';
            *end = '\0';
            last_ns = max_i64(last_ns, time_in(line));
            if (is_last)
                break;
        }
    if (fd >= 0)
        close(fd);
    free(tail);
    return last_ns;
}

bool log_files_overlap(const char *files)
{
    int64_t newest_ns = -1;
    unsigned count = 0;
    bool overlap = false, all_timed = true;
    for (const char *at = files; at != NULL && count <= LOG_PARTS; count++) {
        const char *comma = strchr(at, ',');
        char *file = checked_alloc(strndup(at, strcspn(at, ",")));
        int64_t first_ns, last_ns = time_at_end(file), end_ns;
        read_times(file, last_ns < 0, &first_ns, &end_ns);
        all_timed &= first_ns >= 0;
        overlap |= first_ns >= 0 && first_ns < newest_ns - SLACK_NS;
        newest_ns = max_i64(newest_ns, max_i64(last_ns, end_ns));
        free(file);
        at = comma != NULL ? comma + 1 : NULL;
    }
    return overlap && all_timed && count <= LOG_PARTS;
}
