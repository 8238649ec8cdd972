/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow log of MySQL and MariaDB. For each statement that has ended it has lines that begin with
 * "# " (user, time, duration), then perhaps "use DATABASE;" and "SET timestamp=SECONDS;", then the
 * statement.
 */
#include <ctype.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"
#include "workloads/replay/log/mysql_heading.h"
#include "workloads/replay/sql_scan.h"

/* Longer durations, in seconds, are taken for errors of the log. */
#define MOST_SECONDS 1e8

static const struct log_reason administration = {"commands of an administrator", NULL};

struct slow {
    struct log_time time; /* time in the last "# Time:"; tick_ns is 0 before the first one */
    char database[LOG_EVENT_DATABASE_BYTES];
    struct log_text text;
};

/* Information from the lines before a statement. */
struct record {
    bool has_session, has_duration;
    uint64_t session;
    int64_t duration_ns;   /* −1 if it is not known */
    struct log_time stamp; /* time in SET timestamp; tick_ns is 0 if it is missing */
    bool began;            /* the statement has begun */
    bool command;          /* it has a command of the protocol instead of a statement */
    bool ended, part;      /* the command ends the session; the command belongs to a statement */
    bool nowhere;          /* the session is in no database, which only MariaDB logs */
    bool cut;              /* a line of the statement was too long */
};

static bool is_start(const char *line)
{
    return strncmp(line, "# User@Host:", 12) == 0 || strncmp(line, "# Time:", 7) == 0;
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

/* Returns the value after `name` in a line of names and values; NULL if there is no such name. */
static const char *value_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at != NULL ? at + strlen(name) + strspn(at + strlen(name), " ") : NULL;
}

static void read_session(const char *line, const char *name, struct record *r)
{
    const char *value = value_of(line, name);
    if (value == NULL || !isdigit((unsigned char)*value))
        return;
    r->session = strtoull(value, NULL, 10);
    r->has_session = true;
}

static void read_schema(struct slow *s, const char *line, struct record *r)
{
    const char *at = strstr(line, "Schema: ");
    if (at == NULL)
        return;
    at += strlen("Schema: ");
    /* The name of a database may have blanks. */
    const char *end = strstr(at, "  QC_hit:");
    size_t length = end != NULL ? (size_t)(end - at) : strcspn(at, " ");
    r->nowhere = length == 0;
    if (length >= sizeof(s->database))
        length = 0;
    memcpy(s->database, at, length);
    s->database[length] = '\0';
}

/* Returns true for Prepare, Close stmt …, which belong to a statement. */
static bool is_part(const char *command)
{
    static const char *const parts[] = {"Prepare", "Close stmt", "Reset stmt",
                                        "Ping",    "Long Data",  "Statistics"};
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strncmp(command, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

static void read_note(struct slow *s, const char *line, struct record *r)
{
    const char *at = line;
    if (log_skip(&at, "# Time: ")) {
        if (!log_time_iso(&at, &s->time))
            log_time_short(&at, &s->time);
    } else if (log_skip(&at, "# User@Host: ")) {
        read_session(at, "Id:", r);
    } else if (log_skip(&at, "# Thread_id: ")) {
        read_session(line, "Thread_id:", r);
        read_schema(s, line, r);
    } else if (log_skip(&at, "# Query_time: ")) {
        const double duration_s = strtod(at, NULL);
        /* If the clock was set back during the statement, the duration is wrong by many years. */
        r->duration_ns =
            duration_s >= 0 && duration_s < MOST_SECONDS ? seconds_to_ns(duration_s) : -1;
        r->has_duration = true;
    } else if (log_skip(&at, "# administrator command: ")) {
        r->command = true;
        r->ended = strncmp(at, "Quit", 4) == 0;
        r->part = is_part(at);
    }
}

static bool is_use(const char *line, size_t length)
{
    return strncmp(line, "use ", 4) == 0 && length > 5 && line[length - 1] == ';';
}

/* Reads "use `sbtest`;". */
static void read_use(struct slow *s, const char *line, size_t length)
{
    const char *name = line + 4;
    length -= 5;
    if (length >= 2 && *name == '`') {
        name++;
        length -= 2;
    }
    if (length >= sizeof(s->database))
        return;
    memcpy(s->database, name, length);
    s->database[length] = '\0';
}

/* Reads a line before the statement. Returns false if the line is the first of the statement. */
static bool read_before(struct slow *s, const struct log_lines *lines, struct record *r)
{
    const char *line = lines->line, *at = line;
    if (line[0] == '#')
        read_note(s, line, r);
    else if (is_use(line, lines->length) && r->stamp.tick_ns == 0)
        read_use(s, line, lines->length);
    else if (r->stamp.tick_ns == 0 && log_skip(&at, "SET timestamp="))
        log_time_epoch(&at, &r->stamp);
    else
        return false;
    return true;
}

static void add_line(struct slow *s, const struct log_lines *lines, struct record *r)
{
    if (r->began)
        log_text_add_line(&s->text, lines->line, lines->length);
    else
        log_text_set(&s->text, lines->line, lines->length);
    r->began = true;
    r->cut = r->cut || s->text.cut || lines->cut;
}

/* Returns true if the line begins another record. */
static bool ends_record(const struct log_lines *lines, const struct record *r)
{
    return (is_start(lines->line) && (r->has_duration || r->began)) ||
           mysql_log_is_heading(lines);
}

static bool find_start(struct log_lines *lines)
{
    while (log_lines_next(lines)) {
        if (is_start(lines->line)) {
            log_lines_keep(lines);
            log_lines_begin(lines);
            return true;
        }
        if (mysql_log_is_heading(lines))
            mysql_log_skip_heading(lines);
        else
            log_lines_skip(lines, &log_foreign_lines);
    }
    return false;
}

/* MySQL's "# Time:" has microseconds. MariaDB writes "# Time:" once in a second. Both are end
 * times, and so is MariaDB's SET timestamp. */
static struct log_time end_time(const struct slow *s, const struct record *r)
{
    return r->stamp.tick_ns > 0 && s->time.tick_ns % NS_PER_SEC == 0 ? r->stamp : s->time;
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

static void cut_semicolon(struct log_text *t)
{
    if (t->length > 0 && t->data[t->length - 1] == ';')
        t->data[--t->length] = '\0';
}

static void fill_event(struct slow *s, const struct record *r, struct log_event *event)
{
    const struct log_time time = end_time(s, r);
    event->session = r->session;
    event->time_ns = time.ns;
    event->tick_ns = time.tick_ns;
    event->at_end = true;
    event->duration_ns = r->duration_ns;
    memcpy(event->database, s->database, sizeof(s->database));
    if (r->ended) {
        event->kind = LOG_EVENT_END;
    } else if (r->command || r->cut) {
        event->kind = r->part ? LOG_EVENT_NONE : LOG_EVENT_LEFT_OUT;
        event->reason = r->command ? &administration : &log_too_long;
    } else if (sql_scan_begins(s->text.data, s->text.length, "execute", "immediate")) {
        log_event_leave_out(event, &mysql_told_twice);
    } else if (hides_semicolon(s)) {
        log_event_leave_out(event, &log_end_unknown);
    } else {
        cut_semicolon(&s->text);
        event->kind = LOG_EVENT_STATEMENT;
        event->nowhere = r->nowhere && s->database[0] == '\0';
        event->text = s->text.data;
        event->length = s->text.length;
    }
}

/* Returns the reason why the record cannot be replayed; NULL if it can. */
static const struct log_reason *why_not(const struct slow *s, const struct record *r)
{
    static const struct log_reason no_session =
        {"statements without a connection id", "MySQL 5.6 and later log it"},
        no_time = {"statements without a time", NULL},
        no_duration = {"statements without a line \"# Query_time:\"", NULL},
        no_text = {"statements without a semicolon at their end", NULL};
    if (!r->has_duration)
        return &no_duration;
    if (!r->command && !r->cut && !has_semicolon(s, r))
        return &no_text;
    if (s->time.tick_ns == 0 && r->stamp.tick_ns == 0)
        return &no_time;
    return r->has_session ? NULL : &no_session;
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct slow *s = state;
    struct record r = {0};
    if (!find_start(lines))
        return false;
    while (log_lines_next(lines)) {
        if (ends_record(lines, &r)) {
            log_lines_keep(lines);
            break;
        }
        if (r.began || !read_before(s, lines, &r))
            add_line(s, lines, &r);
    }
    const struct log_reason *reason = why_not(s, &r);
    if (reason == NULL)
        fill_event(s, &r, event);
    else
        log_event_leave_out(event, reason);
    return true;
}

const struct log_format_ops mysql_slow_log = {.name = "MySQL slow log",
                                              .driver = "mysql",
                                              .looks_like = looks_like,
                                              .create = create,
                                              .destroy = destroy,
                                              .next = next};
