/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow log of MySQL and MariaDB. For each statement that has ended it has lines that begin with
 * "# " (user, time, duration), then perhaps "use DATABASE;" and "SET timestamp=SECONDS;", then the
 * statement.
 */
#include <strings.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"
#include "workloads/replay/log/mysql_heading.h"
#include "workloads/replay/log/mysql_slow_record.h"
#include "workloads/replay/sql_scan.h"

static const struct log_reason administration = {"commands of an administrator", NULL};

static const struct log_reason after_part = {
    "records after a statement without its end, which may belong to it", NULL};

/* At most so many lines like the first ones of records are added to a statement that has no end:
 * the server may have written only a part of it, or quotes as in another SQL mode. */
#define MOST_JOINED 100

struct slow {
    struct slow_context context;
    struct log_text text;
    bool by_time;         /* the first record had only a "# Time:", so times are of that clock */
    int64_t zone_ns;      /* offset that makes a "# Time:" in seconds a time in UTC */
    struct log_time last; /* time of the last record; tick_ns is 0 before the first one */
};

/* A statement and the lines before it. */
struct record {
    struct slow_record notes;
    bool began;       /* the statement has begun */
    bool over;        /* the statement has ended, and a line of another program followed */
    bool interrupted; /* lines of another program are within the statement */
    bool cut;         /* a line of the statement was too long */
    bool returns;     /* lines of the record end in "\r\n" */
    bool followed;    /* another record follows the statement */
    unsigned joined;  /* lines like the first ones of other records that were added to the text */
};

static bool begins_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

static bool is_start(const char *line)
{
    return begins_with(line, "# User@Host:") || begins_with(line, "# Time:") ||
           begins_with(line, "# Query_time:");
}

/* True for lines with which a record begins if the lines of is_start() are missing. */
static bool is_rare_start(const char *line)
{
    return begins_with(line, "# Thread_id:") || begins_with(line, "# Schema:") ||
           begins_with(line, "# Client:");
}

static bool looks_like(const char *line, const char *prefix)
{
    (void)prefix;
    return is_start(line);
}

static void *create(const char *prefix, size_t most_bytes)
{
    (void)prefix;
    struct slow *s = xcalloc(1, sizeof(*s));
    s->text.most_bytes = most_bytes;
    return s;
}

static void destroy(void *state)
{
    struct slow *s = state;
    log_text_fini(&s->text);
    free(s);
}

static bool find_start(struct log_lines *lines)
{
    while (log_lines_next(lines)) {
        if (is_start(lines->line) || is_rare_start(lines->line)) {
            log_lines_keep(lines);
            log_lines_begin(lines);
            return true;
        }
        mysql_log_trim(lines);
        if (mysql_log_is_heading(lines))
            mysql_log_skip_heading(lines);
        else if (lines->length > 0)
            log_lines_skip(lines, &log_foreign_lines);
    }
    return false;
}

/* Offset of the clock in SET timestamp from that in "# Time:". Both are of about the same moment,
 * and zones differ by quarters of an hour. */
static int64_t find_zone(int64_t stamp_ns, int64_t time_ns)
{
    const int64_t quarter_ns = 900 * NS_PER_SEC;
    const int64_t ns = (stamp_ns - time_ns + 100 * quarter_ns + quarter_ns / 2) / quarter_ns;
    return ns >= 0 && ns <= 200 ? (ns - 100) * quarter_ns : 0;
}

/*
 * MySQL's "# Time:" has microseconds. Other servers write it once in a second, by the local clock,
 * and SET timestamp in UTC; old ones write either of them only for some records. All returned times
 * are of the clock of the first record, so that a change between the two is no jump.
 */
static struct log_time end_time(struct slow *s, const struct slow_record *r)
{
    struct log_time time = s->context.time;
    const bool has_stamp = r->stamp.tick_ns > 0, in_seconds = time.tick_ns == NS_PER_SEC;
    const bool fresh = s->context.fresh || s->last.tick_ns == 0;
    if (s->last.tick_ns == 0)
        s->by_time = !has_stamp;
    if (has_stamp && in_seconds && (fresh || s->zone_ns == 0))
        s->zone_ns = find_zone(r->stamp.ns, time.ns);
    if (has_stamp && (in_seconds || time.tick_ns == 0)) {
        time = r->stamp;
        time.ns -= s->by_time ? s->zone_ns : 0;
    } else if (!fresh) {
        time = s->last;
    } else if (in_seconds && !s->by_time) {
        time.ns += s->zone_ns;
    }
    time.ns = max_i64(0, min_i64(time.ns, LOG_TIME_MOST_NS));
    s->context.fresh = false;
    s->last = time;
    return time;
}

/* True if the text ends with a semicolon, as the server writes one after each statement. */
static bool has_semicolon(const struct slow *s, const struct record *r)
{
    return r->began && s->text.length > 0 && s->text.data[s->text.length - 1] == ';';
}

/*
 * True if the last semicolon is in a comment or a literal. Then it may belong to the statement: the
 * file may have been cut off after it, or a comment of the statement looks like the next record.
 */
static bool hides_semicolon(const struct slow *s)
{
    const char *p = s->text.data, *end = p + s->text.length;
    while (p < end - 1) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_MYSQL);
        p = past == p ? p + 1 : past;
    }
    return p == end;
}

/* True for statements without a semicolon within them. Others, such as one that creates a
 * procedure, may have several. A log that ends after such a semicolon may have been cut off there.
 */
static bool has_one_semicolon(const struct slow *s)
{
    static const char *const words[] = {"insert", "update", "delete", "replace", "load", "with"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (sql_scan_begins(s->text.data, s->text.length, words[i], NULL))
            return true;
    return false;
}

/* Moves *p past the next word of the statement. Returns its length, or 0 at the end. */
static size_t next_word(const char **p, const char *end)
{
    while (*p < end) {
        const char *past = sql_skip_opaque(*p, end, SQL_SCAN_MYSQL);
        const size_t length = past == *p ? sql_word_length(*p, end) : 0;
        *p = past == *p ? *p + (length > 0 ? length : 1) : past;
        if (length > 0)
            return length;
    }
    return 0;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* True for a statement that creates a procedure, of which a block has no end. */
static bool has_open_block(const struct slow *s)
{
    const char *p = s->text.data, *end = p + s->text.length;
    if (!sql_scan_begins(p, s->text.length, "create", NULL) &&
        !sql_scan_begins(p, s->text.length, "alter", NULL) &&
        !sql_scan_begins(p, s->text.length, "begin", "not"))
        return false;
    int open = 0;
    bool after_end = false;
    for (size_t n = next_word(&p, end); n > 0; n = next_word(&p, end)) {
        const char *word = p - n;
        const bool ends = is_word(word, n, "end");
        if (after_end &&
            (is_word(word, n, "if") || is_word(word, n, "while") || is_word(word, n, "repeat")))
            open++; /* The end was not that of a block which is counted. */
        else if (!after_end && (is_word(word, n, "begin") || is_word(word, n, "case") ||
                                is_word(word, n, "loop")))
            open++;
        open -= ends;
        after_end = ends;
    }
    return open > 0;
}

/* True if the text is a whole statement with its semicolon. */
static bool is_whole(struct slow *s, const struct record *r)
{
    log_text_trim(&s->text);
    return has_semicolon(s, r) && !hides_semicolon(s) && !has_open_block(s);
}

/*
 * Returns true if the line begins another record. If the statement has no end yet, the line may as
 * well be within one of its literals, comments or blocks, and what looks like further records, too.
 * Such lines are added to the statement, which is then left out.
 */
static bool ends_record(struct slow *s, struct log_lines *lines, struct record *r)
{
    const bool heading = mysql_log_is_heading(lines);
    if (!heading && !(is_start(lines->line) && (r->notes.has_duration || r->began)) &&
        !(is_rare_start(lines->line) && r->began))
        return false;
    if (!r->began || r->over || r->cut || r->joined == MOST_JOINED || is_whole(s, r))
        return true;
    r->joined++;
    if (begins_with(lines->line, "# Query_time:"))
        log_lines_skip(lines, &after_part);
    return false;
}

/* A line of another program, such as tail or the server's error log, ends the statement if the
 * statement has its semicolon. Further lines then show that it was not the end. */
static void take_foreign(struct slow *s, struct log_lines *lines, struct record *r)
{
    log_lines_skip(lines, &log_foreign_lines);
    if (!r->began || r->over || r->interrupted)
        return;
    log_text_trim(&s->text);
    r->over = has_semicolon(s, r) && !hides_semicolon(s);
    r->interrupted |= !r->over;
}

static void add_line(struct slow *s, struct log_lines *lines, struct record *r)
{
    if (r->returns && lines->length > 0 && lines->line[lines->length - 1] == '\r')
        lines->line[--lines->length] = '\0';
    if (r->over) {
        r->interrupted |= lines->length > 0;
        return;
    }
    if (r->began)
        log_text_add_line(&s->text, lines->line, lines->length);
    else
        log_text_set(&s->text, lines->line, lines->length);
    r->began = true;
    r->cut = r->cut || s->text.cut || lines->cut;
}

/* Reads a line before the statement. Returns false if the line is the first of the statement. A
 * part of the log may have lines that end in "\r\n". */
static bool read_before(struct slow *s, const struct log_lines *lines, struct record *r)
{
    const bool returns = lines->length > 0 && lines->line[lines->length - 1] == '\r';
    char *end = lines->line + lines->length - returns;
    if (returns)
        *end = '\0';
    const bool read =
        slow_record_read(&s->context, lines->line, (size_t)(end - lines->line), &r->notes);
    if (returns && !read)
        *end = '\r';
    r->returns |= returns && read;
    return read;
}

static void read_record(struct slow *s, struct log_lines *lines, struct record *r)
{
    while (log_lines_next(lines)) {
        if (ends_record(s, lines, r)) {
            r->followed = !mysql_log_is_heading(lines);
            log_lines_keep(lines);
            break;
        }
        if (mysql_log_is_foreign(lines->line))
            take_foreign(s, lines, r);
        else if (r->began || !read_before(s, lines, r))
            add_line(s, lines, r);
    }
    if (r->began)
        log_text_trim(&s->text);
}

/* True for a text that TiDB has cut: its length follows. */
static bool is_cut_by_tidb(const struct log_text *t)
{
    const char *at = t->length > 0 ? strstr(t->data, "(len:") : NULL;
    for (const char *p = at; p != NULL; p = strstr(p + 1, "(len:"))
        at = p;
    return at != NULL && strcmp(at + 5 + strspn(at + 5, "0123456789"), ");") == 0;
}

/* True if TiDB has replaced values: by "?" or "...", or with marks around each of them. */
static bool is_redacted_by_tidb(const struct log_text *t)
{
    static const char mark[] = "\xE2\x80\xB9"; /* U+2039 */
    const char *p = t->data, *end = p + t->length;
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_MYSQL);
        if (past == p && (*p == '?' || begins_with(p, "...") || begins_with(p, mark)))
            return true;
        p = past == p ? p + 1 : past;
    }
    return false;
}

static const struct log_reason *why_not_by_tidb(const struct slow *s, const struct record *r)
{
    static const struct log_reason internal = {"statements that TiDB itself executed", NULL},
                                   cut = {"statements that TiDB has cut",
                                          "increase tidb_query_log_max_len"},
                                   arguments = {"prepared statements of TiDB, whose text has no "
                                                "parameters",
                                                "let clients send statements as text"},
                                   redacted = {"statements without their values",
                                               "set tidb_redact_log=OFF"};
    if (r->notes.internal)
        return &internal;
    if (is_cut_by_tidb(&s->text))
        return &cut;
    if (strstr(s->text.data, " [arguments: ") != NULL)
        return &arguments;
    return is_redacted_by_tidb(&s->text) ? &redacted : NULL;
}

/* Returns the reason why the text cannot be replayed; NULL if it can. */
static const struct log_reason *why_not_text(const struct slow *s, const struct record *r)
{
    static const struct log_reason no_statement = {"records without a statement", NULL},
                                   no_semicolon = {"statements without a semicolon at their end",
                                                   NULL},
                                   no_end = {"statements with lines that look like a record, or "
                                             "without the end of a block",
                                             NULL},
                                   throttled = {
                                       "notes about statements that the server did not log",
                                       "set log_throttle_queries_not_using_indexes=0"};
    if (r->cut)
        return &log_too_long;
    if (r->interrupted)
        return &log_interrupted;
    if (!r->began)
        return &no_statement;
    if (!has_semicolon(s, r))
        return &no_semicolon;
    if (r->joined > 0 || has_open_block(s))
        return &no_end;
    if (sql_scan_begins(s->text.data, s->text.length, "execute", "immediate"))
        return &mysql_told_twice;
    if (hides_semicolon(s))
        return &log_end_unknown;
    if (begins_with(s->text.data, "throttle: "))
        return &throttled;
    return r->notes.tidb ? why_not_by_tidb(s, r) : NULL;
}

/* Returns the reason why the record cannot be replayed; NULL if it can. */
static const struct log_reason *why_not(const struct slow *s, const struct record *r)
{
    static const struct log_reason
        no_duration = {"records without a line \"# Query_time:\"", NULL},
        no_session = {"statements without a connection id",
                      "MySQL 5.6 and later log it, or give --log-sessions=user@host"},
        no_user = {"statements without a connection id and a user", NULL},
        no_time = {"statements without a time",
                   "give the log from its beginning on; MySQL 5.1 and later log SET timestamp"};
    if (!r->notes.has_duration)
        return &no_duration;
    const struct log_reason *reason = why_not_text(s, r);
    if (reason != NULL)
        return reason;
    if (!r->notes.has_session)
        return r->notes.has_user ? &no_session : &no_user;
    return s->context.time.tick_ns == 0 && r->notes.stamp.tick_ns == 0 ? &no_time : NULL;
}

static void take_command(const struct slow_record *r, struct log_event *event)
{
    if (r->ended)
        event->kind = r->has_session ? LOG_EVENT_END : LOG_EVENT_NONE;
    else if (!r->part)
        log_event_leave_out(event, &administration);
}

static void take_statement(struct slow *s, const struct record *record, struct log_event *event)
{
    const struct slow_record *r = &record->notes;
    const struct log_time time = end_time(s, r);
    event->may_go_on = !record->followed && !has_one_semicolon(s);
    s->text.data[--s->text.length] = '\0'; /* the semicolon */
    event->kind = LOG_EVENT_STATEMENT;
    event->time_ns = time.ns;
    event->tick_ns = time.tick_ns;
    event->at_end = true;
    event->one_in = s->context.rate_limit;
    event->failed = r->failed;
    event->duration_ns = r->duration_ns;
    memcpy(event->database, s->context.database, sizeof(event->database));
    event->nowhere = r->nowhere && event->database[0] == '\0';
    event->text = s->text.data;
    event->length = s->text.length;
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct slow *s = state;
    struct record r = {.notes.duration_ns = -1};
    if (!find_start(lines))
        return false;
    s->context.rate_limit = 0; /* a record without a limit is no sample */
    read_record(s, lines, &r);
    lines->by_session = s->context.by_session;
    if (lines->by_user && !r.notes.has_session && r.notes.has_user) {
        r.notes.session = r.notes.user;
        r.notes.has_session = true;
    }
    event->session = r.notes.session;
    const struct log_reason *reason = r.notes.command ? NULL : why_not(s, &r);
    if (r.notes.command)
        take_command(&r.notes, event);
    else if (reason != NULL)
        log_event_leave_out(event, reason);
    else
        take_statement(s, &r, event);
    return true;
}

const struct log_format_ops mysql_slow_log = {.name = "MySQL slow log",
                                              .driver = "mysql",
                                              .looks_like = looks_like,
                                              .create = create,
                                              .destroy = destroy,
                                              .next = next};
