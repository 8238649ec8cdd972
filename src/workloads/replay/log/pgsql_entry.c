/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/pgsql_entry.h"

#include <ctype.h>

#include "workloads/replay/log/pgsql_parameters.h"

void pgsql_entry_fini(struct pgsql_entry *e)
{
    log_text_fini(&e->message);
    log_text_fini(&e->detail);
    log_text_fini(&e->query);
}

/* The rest of the message from `text` on is a statement. */
static void tell_statement(struct pgsql_entry *e, const char *text, struct log_event *event)
{
    event->kind = e->message.cut ? LOG_EVENT_LEFT_OUT : LOG_EVENT_STATEMENT;
    event->text = e->message.cut ? "statements of more than 64 MB" : text;
    event->length = (size_t)(e->message.data + e->message.length - text);
    event->hash = log_hash(text, event->length);
}

/* "NAME: TEXT" behind "execute ". */
static void tell_execute(struct pgsql_entry *e, const char *text, struct log_text *put,
                         struct log_event *event)
{
    const char *colon = strstr(text, ": ");
    if (log_skip(&text, "fetch from ")) {
        event->kind = LOG_EVENT_LEFT_OUT;
        event->text = "fetches from cursors";
        return;
    }
    if (colon == NULL)
        return;
    tell_statement(e, colon + 2, event);
    if (event->kind != LOG_EVENT_STATEMENT)
        return;
    if (pgsql_put_parameters(put, event->text, event->length, e->detail.data)) {
        event->text = put->data;
        event->length = put->length;
    } else {
        event->kind = LOG_EVENT_LEFT_OUT;
        event->text = "statements whose parameters the log does not have";
    }
}

/* "0.123 ms" and perhaps "  statement: SELECT 1" behind "duration: ". */
static void tell_duration(struct pgsql_entry *e, const char *text, struct log_text *put,
                          struct log_event *event)
{
    char *end;
    const double ms = strtod(text, &end);
    const char *at = end;
    if (!log_skip(&at, " ms") || !(ms >= 0 && ms < 1e12))
        return;
    event->duration_ns = seconds_to_ns(ms / 1e3);
    event->at_end = true;
    if (*at == '\0')
        event->kind = LOG_EVENT_DURATION;
    else if (log_skip(&at, "  statement: "))
        tell_statement(e, at, event);
    else if (log_skip(&at, "  execute "))
        tell_execute(e, at, put, event);
    else if (log_skip(&at, "  fastpath function call"))
        *event =
            (struct log_event){.kind = LOG_EVENT_LEFT_OUT, .text = "function calls by fastpath"};
}

static void tell_log(struct pgsql_entry *e, struct log_text *put, struct log_event *event)
{
    const char *text = e->message.data;
    if (log_skip(&text, "duration: "))
        tell_duration(e, text, put, event);
    else if (log_skip(&text, "statement: "))
        tell_statement(e, text, event);
    else if (log_skip(&text, "execute "))
        tell_execute(e, text, put, event);
    else if (log_skip(&text, "connection authorized: "))
        event->kind = LOG_EVENT_START;
    else if (log_skip(&text, "disconnection: "))
        event->kind = LOG_EVENT_END;
}

/* A statement that has failed. The parameters of one that was prepared may not be known here. */
static void tell_failure(struct pgsql_entry *e, struct log_text *put, struct log_event *event)
{
    if (e->query.length == 0)
        return;
    event->kind = LOG_EVENT_FAILURE;
    event->failed = true;
    event->hash = log_hash(e->query.data, e->query.length);
    event->at_end = true;
    if (pgsql_put_parameters(put, e->query.data, e->query.length, e->detail.data)) {
        event->text = put->data;
        event->length = put->length;
    }
}

void pgsql_entry_tell(struct pgsql_entry *e, struct log_text *text, struct log_event *event)
{
    event->time_ns = e->time.ns;
    event->tick_ns = e->time.tick_ns;
    if (strcmp(e->severity, "LOG") == 0)
        tell_log(e, text, event);
    else if (strcmp(e->severity, "ERROR") == 0 || strcmp(e->severity, "FATAL") == 0)
        tell_failure(e, text, event);
    event->session = e->session;
    event->time_ns = e->time.ns;
    event->tick_ns = e->time.tick_ns;
    memcpy(event->database, e->database, sizeof(e->database));
}
