/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The general log of MySQL and MariaDB: TIME ID COMMAND ARGUMENT. Lines without a time continue the
 * argument. MariaDB omits the time if it is in the same second as that of the previous record.
 */
#include <ctype.h>

#include "workloads/replay/log/log_format.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"
#include "workloads/replay/log/mysql_heading.h"
#include "workloads/replay/sql_scan.h"

enum what { IS_STATEMENT, IS_DATABASE, IS_START, IS_USER, IS_END, IS_PART, IS_LEFT_OUT };

static const struct log_reason fetches = {"fetches from cursors", NULL},
                               bulk_executions = {"bulk executions", NULL},
                               user_changes = {"changes of the user", NULL},
                               resets = {"resets of a connection", NULL},
                               administration = {"commands of an administrator", NULL},
                               replication = {"commands of replicas", NULL},
                               delayed_inserts = {"delayed inserts", NULL},
                               no_time = {"records before the first time of the log",
                                          "give the log from its beginning on"},
                               after_literal = {"records after a statement that ends within a "
                                                "literal, to which they may belong",
                                                NULL},
                               unknown_commands = {"commands of an unknown kind", NULL};

/* Widths of the columns of old servers: "051007 21:55:24" and "Connect    ". */
#define TIME_COLUMNS 15
#define NAME_COLUMNS 11

static const struct command {
    const char *name;
    enum what what;
    const struct log_reason *left_out;
} commands[] = {
    {"Query", IS_STATEMENT, NULL},
    {"Execute", IS_STATEMENT, NULL}, /* parameters are inserted */
    {"Init DB", IS_DATABASE, NULL},
    {"Connect", IS_START, NULL},
    {"Quit", IS_END, NULL},
    {"Prepare", IS_PART, NULL},
    {"Close stmt", IS_PART, NULL},
    {"Reset stmt", IS_PART, NULL},
    {"Ping", IS_PART, NULL},
    {"Long Data", IS_PART, NULL},
    {"Statistics", IS_PART, NULL},
    {"Set option", IS_PART, NULL},
    {"Field List", IS_PART, NULL},
    {"Sleep", IS_PART, NULL},
    {"Time", IS_PART, NULL},
    {"Debug", IS_PART, NULL},
    {"Daemon", IS_PART, NULL},
    {"Error", IS_PART, NULL},
    {"Fetch", IS_LEFT_OUT, &fetches},
    {"Bulk_execute", IS_LEFT_OUT, &bulk_executions},
    {"Change user", IS_USER, &user_changes},
    {"Reset connection", IS_LEFT_OUT, &resets},
    {"Reset Connection", IS_LEFT_OUT, &resets},
    {"Kill", IS_LEFT_OUT, &administration},
    {"Refresh", IS_LEFT_OUT, &administration},
    {"Shutdown", IS_LEFT_OUT, &administration},
    {"Processlist", IS_LEFT_OUT, &administration},
    {"Create DB", IS_LEFT_OUT, &administration},
    {"Drop DB", IS_LEFT_OUT, &administration},
    {"Connect Out", IS_LEFT_OUT, &replication},
    {"Binlog Dump", IS_LEFT_OUT, &replication},
    {"Binlog Dump GTID", IS_LEFT_OUT, &replication},
    {"Table Dump", IS_LEFT_OUT, &replication},
    {"Register Slave", IS_LEFT_OUT, &replication},
    {"Register Replica", IS_LEFT_OUT, &replication},
    {"Delayed insert", IS_LEFT_OUT, &delayed_inserts},
};

static const struct command unknown = {"", IS_LEFT_OUT, &unknown_commands};

struct general {
    struct log_time time; /* the last time in the log; tick_ns is 0 before the first one */
    bool blanks;          /* blanks replace the tabs of the log */
    struct log_text text;
    /* Reason why a part of the text may be missing; NULL if it is whole. */
    const struct log_reason *missing;
    bool is_last; /* the log or the server ends after the text */
    bool over;    /* a line of another program has followed the text */
    bool open;    /* the last statement has ended within a literal or a comment */
};

struct heading {
    struct log_time time; /* tick_ns is 0 if the line has no time */
    uint64_t session;
    const struct command *command;
    const char *argument;
    bool blanks; /* blanks instead of a tab separate the argument */
};

/* Returns true for the end of a line, with or without a carriage return. */
static bool is_end(const char *text)
{
    return text[strspn(text, "\r")] == '\0';
}

/* Length of the command's name if `text` is in columns, which old servers fill with blanks: names
 * are cut after 11 characters. After a time, one blank is enough. Returns 0 if the text is no such
 * command. */
static size_t length_in_columns(const struct command *command, const char *text, bool has_time)
{
    const size_t length = min_u64(strlen(command->name), NAME_COLUMNS);
    if (strncmp(command->name, text, length) != 0)
        return 0;
    const size_t blanks = strspn(text + length, " ");
    const bool apart = blanks >= (has_time || length == NAME_COLUMNS ? 1 : 2);
    return apart || is_end(text + length + blanks) ? length : 0;
}

/* Reads a command and its argument, separated by a tab or by blanks. */
static bool read_name(const char *text, struct heading *h)
{
    size_t longest = 0, length = strcspn(text, "\t\r");
    h->blanks = text[length] != '\t';
    h->argument = text + length + (text[length] == '\t');
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (strncmp(commands[i].name, text, length) == 0 && commands[i].name[length] == '\0') {
            h->command = &commands[i];
            return true;
        }
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        const size_t name = length_in_columns(&commands[i], text, h->time.tick_ns > 0);
        if (name <= longest)
            continue;
        longest = name;
        h->command = &commands[i];
        h->argument = text + name + strspn(text + name, " ");
        h->blanks = true;
    }
    return longest > 0;
}

/* Reads for example "     3 Query\tSELECT 1". A record with a time may have a command that this
 * program does not know. */
static bool read_command(const char *line, struct heading *h)
{
    line += strspn(line, " ");
    if (!isdigit((unsigned char)*line))
        return false;
    h->session = 0;
    for (; isdigit((unsigned char)*line); line++)
        h->session = 10 * h->session + (uint64_t)(*line - '0');
    if (*line != ' ')
        return false;
    line += strspn(line, " ");
    if (read_name(line, h))
        return true;
    h->command = &unknown;
    return h->time.tick_ns > 0 && !h->blanks && isalpha((unsigned char)*line);
}

/* Reads the first line of a record. If `blanks` is true, blanks may replace the time of a record
 * that has the time of the record before. A line of a statement cannot be such a record: no
 * statement could end before a number. */
static bool read_heading(const char *line, struct heading *h, bool blanks)
{
    h->time.tick_ns = 0;
    if (log_skip(&line, "\t\t"))
        return read_command(line, h);
    const size_t width = strspn(line, " \t");
    if (width >= TIME_COLUMNS && blanks)
        return read_command(line + width, h);
    if (!isdigit((unsigned char)*line) ||
        (!log_time_short(&line, &h->time) && !log_time_iso(&line, &h->time)) ||
        (*line != '\t' && *line != ' '))
        return false;
    return read_command(line + 1, h);
}

static bool looks_like(const char *line, const char *prefix)
{
    struct heading h;
    (void)prefix;
    return read_heading(line, &h, false);
}

static void *create(const char *prefix, size_t most_bytes)
{
    (void)prefix;
    struct general *g = xcalloc(1, sizeof(*g));
    g->text.most_bytes = most_bytes;
    return g;
}

static void destroy(void *state)
{
    struct general *g = state;
    log_text_fini(&g->text);
    free(g);
}

/* Reads the heading in the current line and follows the clock and the style of the log. */
static bool take_heading(struct general *g, const struct log_lines *lines, struct heading *h)
{
    if (!read_heading(lines->line, h, g->blanks))
        return false;
    if (h->time.tick_ns > 0)
        g->time = h->time;
    g->blanks |= h->blanks;
    return true;
}

/* Finds the first line of a record. Lines before it belong to no record. */
static bool find_heading(struct general *g, struct log_lines *lines, struct heading *h)
{
    while (log_lines_next(lines)) {
        if (take_heading(g, lines, h)) {
            log_lines_begin(lines);
            if (g->time.tick_ns > 0)
                return true;
            log_lines_skip(lines, &no_time);
        } else if (mysql_log_is_heading(lines) || mysql_log_is_port(lines)) {
            mysql_log_skip_heading(lines);
        } else if (!is_end(lines->line)) {
            log_lines_skip(lines, g->time.tick_ns > 0 ? &log_foreign_lines : &log_lines_before);
        }
    }
    return false;
}

/* Takes a line that is not the heading of a record. Lines of other programs, such as tail or the
 * server's error log, are skipped. If the statement seems to go on after them, it may not be
 * whole. */
static void take_line(struct general *g, struct log_lines *lines)
{
    if (mysql_log_is_foreign(lines->line)) {
        log_lines_skip(lines, &log_foreign_lines);
        g->over = true;
        /* A server that failed and starts again may have written only a part of the statement. */
        g->is_last |= strstr(lines->line, " mysqld_safe ") != NULL ||
                      strstr(lines->line, " starting as process ") != NULL;
    } else if (!g->over) {
        log_text_add_line(&g->text, lines->line, lines->length);
        log_lines_note_missing(lines, &g->missing);
    } else if (!is_end(lines->line) && g->missing == NULL) {
        g->missing = &log_interrupted;
    }
}

/*
 * The current line is like the first of the three that a server writes when it starts. If the
 * second one does not follow, the line may as well be a line of the statement. A server that failed
 * may have written only a part of the statement before.
 */
static void end_at_start(struct general *g, struct log_lines *lines)
{
    g->is_last = true;
    const bool more = log_lines_next(lines);
    if (more)
        log_lines_keep(lines);
    if ((!more || !mysql_log_is_port(lines)) && g->missing == NULL)
        g->missing = &log_before_start;
}

/* Reads the lines that continue the argument. */
static void read_rest(struct general *g, struct log_lines *lines)
{
    struct heading next;
    while (log_lines_next(lines)) {
        if (mysql_log_is_heading(lines)) {
            end_at_start(g, lines);
            return;
        }
        if (read_heading(lines->line, &next, g->blanks)) {
            log_lines_keep(lines);
            return;
        }
        take_line(g, lines);
    }
    log_lines_note_missing(lines, &g->missing);
    g->is_last = true;
}

/* Reads the database from "root@localhost on sbtest using Socket". It may be "", and its name may
 * have blanks. */
static void read_database(const char *argument, struct log_event *event)
{
    static const char using[] = " using ";
    const char *on = strstr(argument, " on ");
    if (on == NULL)
        return;
    const char *name = on + 4, *end = strstr(on + 3, using);
    for (const char *p = end; p != NULL; p = strstr(p + 1, using))
        end = p;
    size_t length = end == NULL ? strcspn(name, "\r\n") : end > name ? (size_t)(end - name) : 0;
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length < sizeof(event->database))
        memcpy(event->database, name, length);
}

static void use_database(struct general *g, struct log_event *event)
{
    char *use = xcalloc(1, SQL_USE_BYTES(strlen(g->text.data)));
    sql_write_use(use, g->text.data);
    log_text_set(&g->text, use, strlen(use));
    free(use);
    event->kind = LOG_EVENT_STATEMENT;
}

/* Returns true for EXECUTE in SQL: the executed statement follows in the log as an Execute with its
 * parameters inserted. */
static bool is_told_twice(const struct general *g, const struct heading *h)
{
    return h->command->what == IS_STATEMENT &&
           sql_scan_begins(g->text.data, g->text.length, "execute", NULL);
}

static void fill_event(struct general *g, const struct heading *h, struct log_event *event)
{
    static const enum log_event_kind kinds[] = {
        [IS_STATEMENT] = LOG_EVENT_STATEMENT, [IS_END] = LOG_EVENT_END,
        [IS_LEFT_OUT] = LOG_EVENT_LEFT_OUT,   [IS_USER] = LOG_EVENT_LEFT_OUT,
        [IS_PART] = LOG_EVENT_NONE,           [IS_START] = LOG_EVENT_START};
    event->session = h->session;
    event->time_ns = g->time.ns;
    event->tick_ns = g->time.tick_ns;
    event->kind = h->command->what == IS_DATABASE ? LOG_EVENT_STATEMENT : kinds[h->command->what];
    if (h->command->what == IS_DATABASE)
        use_database(g, event);
    else if (g->missing == NULL && (h->command->what == IS_START || h->command->what == IS_USER))
        read_database(g->text.data, event);
    event->nowhere =
        g->missing == NULL && h->command->what == IS_USER && event->database[0] == '\0';
    event->reason = h->command->left_out;
    event->text = g->text.data;
    event->length = g->text.length;
    event->may_go_on = g->is_last;
    if (event->kind == LOG_EVENT_STATEMENT && (g->missing != NULL || is_told_twice(g, h))) {
        log_event_leave_out(event, g->missing != NULL ? g->missing : &mysql_told_twice);
    }
}

/* Skips the id of a prepared statement, which MySQL 5.0 and 5.1 write: "[1] SELECT 1". */
static void skip_statement_id(struct heading *h)
{
    const size_t digits = h->argument[0] == '[' ? strspn(h->argument + 1, "0123456789") : 0;
    if (strcmp(h->command->name, "Execute") == 0 && digits > 0 &&
        strncmp(h->argument + 1 + digits, "] ", 2) == 0)
        h->argument += digits + 3;
}

static bool next(void *state, struct log_lines *lines, struct log_event *event)
{
    struct general *g = state;
    struct heading h;
    if (!find_heading(g, lines, &h))
        return false;
    skip_statement_id(&h);
    log_text_set(&g->text, h.argument, (size_t)(lines->line + lines->length - h.argument));
    g->missing = lines->missing;
    g->is_last = false;
    g->over = false;
    read_rest(g, lines);
    if (g->text.cut)
        g->missing = &log_too_long;
    /* A line of a literal may look like the heading of another record, which any client may have
     * sent. A client may also have sent a statement without the end of its literal, so only one
     * record after it is left out. */
    const bool after_open = g->open;
    const bool open = h.command->what == IS_STATEMENT &&
                      sql_scan_is_open(g->text.data, g->text.length, SQL_SCAN_MYSQL);
    if (g->missing == NULL && (open || after_open))
        g->missing = open ? &log_open : &after_literal;
    g->open = open && !after_open && !lines->at_border;
    log_text_trim(&g->text);
    fill_event(g, &h, event);
    return true;
}

const struct log_format_ops mysql_general_log = {.name = "MySQL general log",
                                                 .driver = "mysql",
                                                 .looks_like = looks_like,
                                                 .create = create,
                                                 .destroy = destroy,
                                                 .next = next};
