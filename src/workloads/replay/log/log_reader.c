/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_reader.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/log_overlap.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/mysql_heading.h"
#include "workloads/replay/log/pgsql_prefix.h"

/* Number of lines that are examined to detect the format. */
#define LOOK_LINES 2000
#define LOOK_BYTES ((size_t)16 << 20)

/* Reads either a list of files that follow each other or, with other readers, files that have to be
 * merged. */
struct log_reader {
    enum log_format format;
    const struct log_format_ops *ops;
    const char *prefix; /* log_line_prefix, or NULL */
    void *state;
    struct log_lines lines;
    struct log_reader *parts[LOG_PARTS];
    unsigned part_count;
    /* The following are used if the reader is one of the parts. */
    char *file;
    struct log_event ahead; /* the next event, if `has_ahead` */
    bool has_ahead, ended;
};

static const struct log_format_ops *const formats[] = {
    [LOG_FORMAT_UNKNOWN] = NULL,
    [LOG_FORMAT_MYSQL_GENERAL] = &mysql_general_log,
    [LOG_FORMAT_MYSQL_SLOW] = &mysql_slow_log,
    [LOG_FORMAT_PGSQL_CSV] = &pgsql_csv_log,
    [LOG_FORMAT_PGSQL_STDERR] = &pgsql_stderr_log,
    [LOG_FORMAT_PGSQL_JSON] = &pgsql_json_log,
};

static enum log_format format_of_line(const char *line, const char *prefix)
{
    for (unsigned f = LOG_FORMAT_UNKNOWN + 1; f < ARRAY_SIZE(formats); f++)
        if (formats[f]->looks_like(line, prefix))
            return (enum log_format)f;
    return LOG_FORMAT_UNKNOWN;
}

/* Returns the format that most of the first lines look like. Lines of other programs may be among
 * them. */
static enum log_format detect(const char *files, const char *prefix)
{
    struct log_lines lines;
    unsigned found[ARRAY_SIZE(formats)] = {0};
    size_t bytes = 0;
    if (!log_lines_open_to_look(&lines, files))
        return LOG_FORMAT_UNKNOWN;
    for (int i = 0; i < LOOK_LINES && bytes < LOOK_BYTES && log_lines_next(&lines); i++) {
        bytes += lines.length;
        found[lines.carrier.foreign ? LOG_FORMAT_UNKNOWN : format_of_line(lines.line, prefix)]++;
    }
    log_lines_close(&lines);
    unsigned best = LOG_FORMAT_UNKNOWN;
    found[best] = 0;
    for (unsigned f = best + 1; f < ARRAY_SIZE(formats); f++)
        best = found[f] > found[best] ? f : best;
    if (best == LOG_FORMAT_UNKNOWN)
        log_text(LOG_FATAL,
                 "%s: unknown log format (known: general or slow log of MySQL or MariaDB, csvlog, "
                 "jsonlog, stderr log or syslog of PostgreSQL with lc_messages=C; see --log-format "
                 "and --log-line-prefix)",
                 files);
    return (enum log_format)best;
}

/* Returns false after a logged message if neither the prefix nor syslog, which may have written the
 * lines, have the time and the process. */
static bool prefix_suffices(const char *files, const char *prefix)
{
    struct log_lines lines;
    size_t bytes = 0;
    bool suffices = pgsql_prefix_suffices(prefix, false, false);
    if (suffices || !log_lines_open_to_look(&lines, files))
        return suffices;
    for (int i = 0; i < LOOK_LINES && bytes < LOOK_BYTES && log_lines_next(&lines); i++) {
        const struct log_carrier *c = &lines.carrier;
        bytes += lines.length;
        suffices = suffices || (!c->foreign && pgsql_prefix_suffices(prefix, c->timed, c->named));
    }
    log_lines_close(&lines);
    if (!suffices)
        log_text(LOG_FATAL,
                 "invalid value for --log-line-prefix: '%.200s' (allowed: a log_line_prefix with "
                 "%%m, %%t or %%n, and with %%p or %%c; lines of syslog need neither)",
                 prefix);
    return suffices;
}

static struct log_reader *open_one(const char *files, enum log_format format, const char *prefix,
                                   size_t most_bytes)
{
    if (format == LOG_FORMAT_UNKNOWN)
        format = detect(files, prefix);
    struct log_lines lines;
    if (format == LOG_FORMAT_PGSQL_STDERR && prefix != NULL && !prefix_suffices(files, prefix))
        return NULL;
    if (format == LOG_FORMAT_UNKNOWN || !log_lines_open(&lines, files))
        return NULL;
    struct log_reader *r = xcalloc(1, sizeof(*r));
    *r = (struct log_reader){
        .format = format, .ops = formats[format], .prefix = prefix, .lines = lines};
    log_source_line_limit(r->lines.source, most_bytes);
    if (format != LOG_FORMAT_PGSQL_STDERR && format != LOG_FORMAT_PGSQL_JSON)
        r->lines.looks_like = r->ops->looks_like;
    r->state = r->ops->create(prefix, most_bytes);
    return r;
}

/* Opens each file on its own. Returns false after a logged message. */
static bool open_parts(struct log_reader *r, const char *files, enum log_format format,
                       const char *prefix, size_t most_bytes)
{
    for (const char *at = files; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *file = checked_alloc(strndup(at, strcspn(at, ",")));
        struct log_reader *part = open_one(file, format, prefix, most_bytes);
        if (part == NULL) {
            free(file);
            return false;
        }
        part->file = file;
        r->parts[r->part_count++] = part;
        if (strcmp(part->ops->driver, r->parts[0]->ops->driver) != 0) {
            log_text(LOG_FATAL, "the logs %s and %s are not of the same kind of server",
                     r->parts[0]->file, file);
            return false;
        }
    }
    r->format = r->parts[0]->format;
    return true;
}

struct log_reader *log_reader_open(const char *files, enum log_format format, const char *prefix,
                                   size_t most_bytes)
{
    if (strchr(files, ',') == NULL || !log_files_overlap(files))
        return open_one(files, format, prefix, most_bytes);
    struct log_reader *r = xcalloc(1, sizeof(*r));
    if (open_parts(r, files, format, prefix, most_bytes))
        return r;
    log_reader_close(r);
    return NULL;
}

void log_reader_close(struct log_reader *r)
{
    if (r == NULL)
        return;
    for (unsigned i = 0; i < r->part_count; i++)
        log_reader_close(r->parts[i]);
    if (r->ops != NULL) {
        r->ops->destroy(r->state);
        log_lines_close(&r->lines);
    }
    free(r->file);
    free(r);
}

/* A NUL byte in a statement shows that the log is damaged. Some drivers would send only the text
 * before the NUL. */
static void leave_out_nul(struct log_event *event)
{
    const bool has_text = event->kind == LOG_EVENT_STATEMENT ||
                          (event->kind == LOG_EVENT_FAILURE && event->text != NULL);
    if (!has_text || memchr(event->text, '\0', event->length) == NULL)
        return;
    log_event_leave_out(event, &log_has_nul);
}

/* The next file may begin with the rest of a statement that is the last one of a file. */
static void leave_out_before_rest(struct log_reader *r, struct log_event *event)
{
    if (event->kind == LOG_EVENT_STATEMENT && event->may_go_on && log_lines_peek(&r->lines) &&
        r->lines.length > 0 && !mysql_log_is_heading(&r->lines) &&
        !r->ops->looks_like(r->lines.line, r->prefix))
        log_event_leave_out(event, &log_in_part);
}

/* Reads the next event. Returns false at the end of the log. */
static bool next_of(struct log_reader *r, struct log_event *event)
{
    do {
        *event = (struct log_event){.duration_ns = -1};
        if (!r->ops->next(r->state, &r->lines, event)) {
            if (!r->lines.at_border)
                return false;
            continue;
        }
        if (event->line == 0) {
            event->line = r->lines.record_line;
            event->file = r->lines.record_file;
        }
        leave_out_nul(event);
        leave_out_before_rest(r, event);
    } while (event->kind == LOG_EVENT_NONE);
    return true;
}

/* Reads the next event of each part, and returns the part whose event is the earliest; NULL at the
 * end of all of them. */
static struct log_reader *first_part(struct log_reader *r)
{
    struct log_reader *first = NULL;
    for (unsigned i = 0; i < r->part_count; i++) {
        struct log_reader *p = r->parts[i];
        if (!p->has_ahead && !p->ended) {
            p->has_ahead = next_of(p, &p->ahead);
            p->ended = !p->has_ahead;
            if (p->ended)
                log_tally_merge(&r->lines.skipped, &p->lines.skipped);
        }
        if (p->has_ahead && (first == NULL || p->ahead.time_ns < first->ahead.time_ns))
            first = p;
    }
    return first;
}

bool log_reader_next(struct log_reader *r, struct log_event *event)
{
    if (r->part_count == 0)
        return next_of(r, event);
    struct log_reader *first = first_part(r);
    if (first == NULL)
        return false;
    *event = first->ahead;
    first->has_ahead = false;
    /* Sessions of two servers may have the same numbers. */
    event->session ^= log_hash(first->file, strlen(first->file));
    return true;
}

enum log_format log_reader_format(const struct log_reader *r)
{
    return r->format;
}

const char *log_format_name(enum log_format format)
{
    return formats[format]->name;
}

const char *log_format_driver(enum log_format format)
{
    return formats[format]->driver;
}

const struct log_tally *log_reader_skipped(const struct log_reader *r)
{
    return &r->lines.skipped;
}

bool log_reader_failed(const struct log_reader *r)
{
    bool failed = r->part_count == 0 && log_source_failed(r->lines.source);
    for (unsigned i = 0; i < r->part_count; i++)
        failed |= log_reader_failed(r->parts[i]);
    return failed;
}

struct log_bytes log_reader_bytes(const struct log_reader *r)
{
    struct log_bytes bytes = {.part = {0}};
    if (r->part_count == 0)
        bytes.part[0] = log_source_bytes(r->lines.source);
    for (unsigned i = 0; i < r->part_count; i++)
        bytes.part[i] = log_source_bytes(r->parts[i]->lines.source);
    return bytes;
}

void log_reader_limit(struct log_reader *r, const struct log_bytes *bytes)
{
    if (r->part_count == 0)
        log_source_limit(r->lines.source, bytes->part[0]);
    for (unsigned i = 0; i < r->part_count; i++)
        log_source_limit(r->parts[i]->lines.source, bytes->part[i]);
}

void log_reader_sessions_by_user(struct log_reader *r)
{
    r->lines.by_user = true;
    for (unsigned i = 0; i < r->part_count; i++)
        r->parts[i]->lines.by_user = true;
}

bool log_reader_limits_sessions(const struct log_reader *r)
{
    bool by_session = r->lines.by_session;
    for (unsigned i = 0; i < r->part_count; i++)
        by_session |= r->parts[i]->lines.by_session;
    return by_session;
}
