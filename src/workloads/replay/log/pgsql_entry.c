/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_entry.h"

#include <ctype.h>

#include "workloads/replay/log/log_lines.h"
#include "workloads/replay/log/pgsql_parameters.h"
#include "workloads/replay/sql_scan.h"

static const struct log_reason no_parameters = {
    "statements whose parameters the log does not have",
    "set log_parameter_max_length=-1 and log_error_verbosity=default"};
static const struct log_reason cut_parameters = {
    "statements whose parameters the server may have cut, as they end in \"...\"",
    "set log_parameter_max_length=-1 and log_parameter_max_length_on_error=-1"};
static const struct log_reason unclear_name = {
    "prepared statements with a colon in the text, whose name may end there", NULL};
static const struct log_reason plans = {"plans of auto_explain, which do not replace statements",
                                        "set log_min_duration_statement=0"};
static const struct log_reason audits = {"records of pgaudit, which do not replace statements",
                                         "set log_min_duration_statement=0"};
static const struct log_reason cursor_fetches = {"fetches from cursors", NULL};
static const struct log_reason fastpath_calls = {"function calls by fastpath", NULL};

void pgsql_entry_init(struct pgsql_entry *e, size_t most_bytes)
{
    *e = (struct pgsql_entry){0};
    e->message.most_bytes = e->detail.most_bytes = most_bytes;
    e->context.most_bytes = e->query.most_bytes = most_bytes;
}

void pgsql_entry_fini(struct pgsql_entry *e)
{
    log_text_fini(&e->message);
    log_text_fini(&e->detail);
    log_text_fini(&e->context);
    log_text_fini(&e->query);
}

/* Makes the event a statement: the rest of the message from `text` on. */
static void tell_statement(struct pgsql_entry *e, const char *text, struct log_event *event)
{
    event->kind = LOG_EVENT_STATEMENT;
    event->text = text;
    event->length = (size_t)(e->message.data + e->message.length - text);
    event->hash = log_hash(text, event->length);
}

/* Skips "WORD" and up to two blanks: programs that collect logs may have removed some. */
static bool skip_word(const char **text, const char *word)
{
    const char *p = *text;
    if (!log_skip(&p, word))
        return false;
    for (int i = 0; i < 2 && *p == ' '; i++)
        p++;
    *text = p;
    return true;
}

/* Skips "statement:". The statement follows after one blank or a line end. */
static bool skip_statement(const char **text)
{
    if (!log_skip(text, "statement:"))
        return false;
    *text += **text == ' ';
    return true;
}

/* Inserts the parameters into the statement of the event. Returns a reason if that is impossible.
 */
static const struct log_reason *put_parameters(struct pgsql_entry *e, struct log_text *put,
                                               const char *text, size_t length,
                                               struct log_event *event)
{
    bool cut = false;
    if (!pgsql_put_parameters(put, text, length,
                              pgsql_find_parameters(e->detail.data, e->context.data), &cut))
        return &no_parameters;
    if (cut)
        return &cut_parameters;
    event->text = put->data;
    event->length = put->length;
    return NULL;
}

/* Returns true if a colon and a blank are in the statement `text`, outside of literals and
 * comments, or anywhere if the name before it, `name_bytes` long, has unusual characters. Then the
 * name, which a client may choose freely, may end there. */
static bool is_name_unclear(const char *name, size_t name_bytes, const char *text)
{
    static const char usual[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_$.-<>/";
    const char *p = text, *end = text + strlen(text);
    if (strspn(name, usual) < name_bytes)
        return strstr(text, ": ") != NULL;
    while (p < end) {
        const char *past = sql_skip_opaque(p, end, SQL_SCAN_PGSQL);
        if (past == p && p[0] == ':' && p[1] == ' ')
            return true;
        p = past == p ? p + 1 : past;
    }
    return false;
}

/* Reads "NAME: TEXT", which follows "execute ". */
static void tell_execute(struct pgsql_entry *e, const char *text, struct log_text *put,
                         struct log_event *event)
{
    const char *colon = strchr(text, ':');
    if (log_skip(&text, "fetch from ")) {
        log_event_leave_out(event, &cursor_fetches);
        return;
    }
    while (colon != NULL && colon[1] != ' ' && colon[1] != '\n')
        colon = strchr(colon + 1, ':');
    if (colon == NULL)
        return;
    tell_statement(e, colon + 1 + (colon[1] == ' '), event);
    if (is_name_unclear(text, (size_t)(colon - text), event->text)) {
        log_event_leave_out(event, &unclear_name);
        return;
    }
    const struct log_reason *reason = put_parameters(e, put, event->text, event->length, event);
    if (reason != NULL)
        log_event_leave_out(event, reason);
}

/* Reads "0.123 ms" and perhaps "  statement: SELECT 1", which follow "duration: ". */
static void tell_duration(struct pgsql_entry *e, const char *text, struct log_text *put,
                          struct log_event *event)
{
    char *end;
    const double ms = strtod(text, &end);
    const char *at = end;
    if (!skip_word(&at, " ms") || !(ms >= 0 && ms < 1e12))
        return;
    event->duration_ns = seconds_to_ns(ms / 1e3);
    event->at_end = true;
    if (*at == '\0')
        event->kind = LOG_EVENT_DURATION;
    else if (skip_statement(&at))
        tell_statement(e, at, event);
    else if (log_skip(&at, "execute "))
        tell_execute(e, at, put, event);
    else if (log_skip(&at, "fastpath function call"))
        log_event_leave_out(event, &fastpath_calls);
    else if (log_skip(&at, "plan:"))
        log_event_leave_out(event, &plans);
}

/* Skips the SQLSTATE and ": ", which the server writes with log_error_verbosity=verbose. */
static void skip_state(const char **text)
{
    const size_t length = strspn(*text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    /* "AUDIT" is none. */
    if (length == 5 && strcspn(*text, "0123456789") < length && (*text)[5] == ':' &&
        (*text)[6] == ' ')
        *text += 7;
}

static void tell_log(struct pgsql_entry *e, struct log_text *put, struct log_event *event)
{
    const char *text = e->message.data;
    skip_state(&text);
    if (skip_word(&text, "duration:"))
        tell_duration(e, text, put, event);
    else if (skip_statement(&text))
        tell_statement(e, text, event);
    else if (log_skip(&text, "execute "))
        tell_execute(e, text, put, event);
    else if (log_skip(&text, "AUDIT: "))
        log_event_leave_out(event, &audits);
    else if (log_skip(&text, "connection authorized: "))
        event->kind = LOG_EVENT_START;
    else if (log_skip(&text, "disconnection: "))
        event->kind = LOG_EVENT_END;
}

/* Makes the event a failed statement. The parameters of a prepared statement may be unknown. */
static void tell_failure(struct pgsql_entry *e, struct log_text *put, struct log_event *event)
{
    if (e->query.length == 0)
        return;
    event->kind = LOG_EVENT_FAILURE;
    event->failed = true;
    event->hash = log_hash(e->query.data, e->query.length);
    event->at_end = true;
    put_parameters(e, put, e->query.data, e->query.length, event);
}

/* Leaves out a statement of which a part may be missing. `put` is the text with its parameters. */
static void leave_out_part(const struct pgsql_entry *e, const struct log_text *put,
                           struct log_event *event)
{
    const bool cut = e->message.cut || e->detail.cut || e->context.cut || e->query.cut || put->cut;
    const struct log_reason *missing = cut ? &log_too_long : e->missing;
    if (missing == NULL || (event->kind != LOG_EVENT_STATEMENT &&
                            event->kind != LOG_EVENT_FAILURE && event->kind != LOG_EVENT_LEFT_OUT))
        return;
    log_event_leave_out(event, missing);
}

void pgsql_entry_tell(struct pgsql_entry *e, struct log_text *text, struct log_event *event)
{
    event->time_ns = e->time.ns;
    event->tick_ns = e->time.tick_ns;
    log_text_set(text, "", 0);
    if (strcmp(e->severity, "LOG") == 0)
        tell_log(e, text, event);
    else if (strcmp(e->severity, "ERROR") == 0 || strcmp(e->severity, "FATAL") == 0)
        tell_failure(e, text, event);
    leave_out_part(e, text, event);
    event->session = e->session;
    event->time_ns = e->time.ns;
    event->tick_ns = e->time.tick_ns;
    memcpy(event->database, e->database, sizeof(e->database));
}
