/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/mysql_slow_record.h"

#include <ctype.h>
#include <strings.h>

#include "workloads/replay/log/log_text.h"

/* Longer durations, in seconds, are taken for errors of the log. */
#define MOST_SECONDS 1e8

/* Returns the value after `name` in a line of names and values; NULL if there is no such name. */
static const char *value_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at != NULL ? at + strlen(name) + strspn(at + strlen(name), " ") : NULL;
}

static void read_session(const char *value, struct slow_record *r)
{
    if (value == NULL || !isdigit((unsigned char)*value))
        return;
    r->session = strtoull(value, NULL, 10);
    r->has_session = true;
}

/* Reads a database whose name may have blanks. The name ends before `end`, or with the line if
 * `end` is not in the line. */
static void read_database(struct slow_context *c, const char *name, const char *end)
{
    size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
    while (length > 0 && *name == ' ') {
        name++;
        length--;
    }
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length >= sizeof(c->database))
        length = 0;
    memcpy(c->database, name, length);
    c->database[length] = '\0';
}

static void read_user(struct slow_context *c, struct slow_record *r, const char *value)
{
    const char *id = strstr(value, " Id:");
    size_t length = id != NULL ? (size_t)(id - value) : strlen(value);
    (void)c;
    while (length > 0 && value[length - 1] == ' ')
        length--;
    r->user = log_hash(value, length);
    r->has_user = length > 0;
    read_session(value_of(value, " Id:"), r);
}

/* Old servers of Percona continue the line with "# User@Host:". */
static void read_time(struct slow_context *c, struct slow_record *r, const char *value)
{
    c->fresh = log_time_iso(&value, &c->time) || log_time_short(&value, &c->time) || c->fresh;
    const char *user = value_of(value, "# User@Host:");
    if (user != NULL)
        read_user(c, r, user);
}

static bool is_not_zero(const char *value)
{
    return value != NULL && strtol(value, NULL, 10) != 0;
}

/* Reads "test  Last_errno: 0  Killed: 0" or "test  QC_hit: No". */
static void read_schema(struct slow_context *c, struct slow_record *r, const char *value)
{
    static const char *const next[] = {"  QC_hit:", "  QC_Hit:", "  Last_errno:"};
    const char *end = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(next) && end == NULL; i++)
        end = strstr(value, next[i]);
    read_database(c, value, end);
    r->nowhere = c->database[0] == '\0';
    if (end != NULL)
        r->failed |=
            is_not_zero(value_of(end, " Last_errno:")) || is_not_zero(value_of(end, " Killed:"));
}

/* Reads "5  Schema: test". */
static void read_thread(struct slow_context *c, struct slow_record *r, const char *value)
{
    const char *schema = strstr(value, " Schema:");
    read_session(value, r);
    if (schema != NULL)
        read_schema(c, r, schema + strlen(" Schema:"));
}

/* Reads "0.5  Lock_time: 0.1 …", which MySQL continues with "Thread_id: 9 Errno: 0" if
 * log_slow_extra is on. */
static void read_duration(struct slow_context *c, struct slow_record *r, const char *value)
{
    const double duration_s = strtod(value, NULL);
    (void)c;
    /* If the clock was set back during the statement, the duration is wrong by many years. */
    r->duration_ns = duration_s >= 0 && duration_s < MOST_SECONDS ? seconds_to_ns(duration_s) : -1;
    r->has_duration = true;
    read_session(value_of(value, " Thread_id:"), r);
    r->failed |=
        is_not_zero(value_of(value, " Errno:")) || is_not_zero(value_of(value, " Killed:"));
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

static void read_command(struct slow_context *c, struct slow_record *r, const char *value)
{
    (void)c;
    r->command = true;
    r->ended = strncmp(value, "Quit", 4) == 0;
    r->part = is_part(value);
}

static void read_rate(struct slow_context *c, struct slow_record *r, const char *value)
{
    const char *limit = value_of(value, "Log_slow_rate_limit:");
    (void)r;
    if (limit != NULL && strchr(limit, '-') == NULL)
        c->rate_limit = (unsigned)min_u64(strtoul(limit, NULL, 10), UINT32_MAX);
    c->by_session = strncmp(value + strspn(value, " "), "session", strlen("session")) == 0;
}

static void read_tidb_session(struct slow_context *c, struct slow_record *r, const char *value)
{
    (void)c;
    r->tidb = true;
    read_session(value, r);
}

static void read_tidb_database(struct slow_context *c, struct slow_record *r, const char *value)
{
    r->tidb = true;
    read_database(c, value, NULL);
}

static void read_tidb_internal(struct slow_context *c, struct slow_record *r, const char *value)
{
    (void)c;
    r->tidb = true;
    r->internal = strncmp(value, "true", 4) == 0;
}

static void read_tidb_success(struct slow_context *c, struct slow_record *r, const char *value)
{
    (void)c;
    r->tidb = true;
    r->failed |= strncmp(value, "false", 5) == 0;
}

static void read_note(struct slow_context *c, const char *line, struct slow_record *r)
{
    static const struct {
        const char *name;
        void (*read)(struct slow_context *c, struct slow_record *r, const char *value);
    } notes[] = {
        {"# Time:", read_time},
        {"# User@Host:", read_user},
        {"# Thread_id:", read_thread},
        {"# Schema:", read_schema},
        {"# Query_time:", read_duration},
        {"# administrator command:", read_command},
        {"# Log_slow_rate_type:", read_rate},
        {"# Conn_ID:", read_tidb_session},
        {"# DB:", read_tidb_database},
        {"# Is_internal:", read_tidb_internal},
        {"# Succ:", read_tidb_success},
    };
    for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
        const char *at = line;
        if (log_skip(&at, notes[i].name)) {
            at += strspn(at, " ");
            notes[i].read(c, r, at);
            return;
        }
    }
}

/* Reads "use `sbtest`;". Returns false if the line is something else. */
static bool read_use(struct slow_context *c, const char *line, size_t length)
{
    if (strncmp(line, "use ", 4) != 0 || length <= 5 || line[length - 1] != ';')
        return false;
    const char *name = line + 4;
    length -= 5;
    if (length >= 2 && *name == '`') {
        name++;
        length -= 2;
    }
    if (length < sizeof(c->database)) {
        memcpy(c->database, name, length);
        c->database[length] = '\0';
    }
    return true;
}

/* Skips a number with or without a fraction. */
static bool skip_number(const char **text)
{
    const size_t length = strspn(*text, "0123456789.");
    *text += length;
    return length > 0;
}

/* Reads "SET last_insert_id=1,insert_id=2,timestamp=1795490811.123456;", in which each of the names
 * may be missing. Returns false if the line is something else. */
static bool read_set(const char *line, struct slow_record *r)
{
    static const char *const names[] = {"last_insert_id=", "insert_id=", "timestamp="};
    struct log_time stamp = {0};
    if (strncasecmp(line, "set ", 4) != 0)
        return false;
    line += 4;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const size_t length = strlen(names[i]);
        if (strncasecmp(line, names[i], length) != 0)
            continue;
        const char *value = line + length;
        line = value;
        if (!skip_number(&line))
            return false;
        if (i == ARRAY_SIZE(names) - 1)
            log_time_epoch(&value, &stamp);
        line += *line == ',';
    }
    if (line[-1] == ',' || line[-1] == ' ' || strcmp(line, ";") != 0)
        return false;
    r->stamp = stamp;
    return r->has_set = true;
}

bool slow_record_read(struct slow_context *c, const char *line, size_t length,
                      struct slow_record *r)
{
    if (line[0] == '#')
        read_note(c, line, r);
    else
        return length == 0 || (!r->has_set && (read_use(c, line, length) || read_set(line, r)));
    return true;
}
