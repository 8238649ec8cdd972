/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/timeline.h"

#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"
#include "workloads/replay/item_heap.h"
#include "workloads/replay/session_copies.h"
#include "workloads/replay/session_map.h"
#include "workloads/replay/sql_scan.h"
#include "workloads/replay/statement_names.h"
#include "workloads/replay/statement_parts.h"

/* If time goes back by more than this, the clock was set; if by less, entries were written out of
 * order. */
#define BACK_NS (5 * NS_PER_SEC)
/* Delays below this are not counted. */
#define LATE_NS NS_PER_MS

/* Statements with the same time, collected until their number is known. */
struct tick {
    int64_t ns, tick_ns;
    struct replay_item **items;
    struct log_session **sessions;
    size_t count, room;
    struct log_session *gone; /* sessions of these statements that have ended in the same tick */
};

struct timeline {
    struct timeline_plan plan;
    struct log_reader *reader;
    enum sql_scan scan;
    struct session_map sessions;
    struct tick tick;
    struct item_heap heap;
    struct session_copies copies;
    size_t bytes;         /* bytes of the texts in `tick` and `heap` */
    struct log_text kept; /* the statements of a text that are replayed */
    uint64_t items;
    uint32_t numbered;
    int64_t shift_ns;  /* offset added to times because the clock was set back */
    int64_t newest_ns; /* latest time that was read; INT64_MIN if none was */
    int64_t taken_ns;  /* time of the statement that was returned last; INT64_MIN if none */
    bool ended;
    struct timeline_counts counts;
};

struct timeline *timeline_open(const struct timeline_plan *plan)
{
    struct log_reader *reader =
        log_reader_open(plan->files, plan->format, plan->prefix, LOG_TEXT_BYTES);
    if (reader == NULL)
        return NULL;
    if (plan->by_user)
        log_reader_sessions_by_user(reader);
    if (plan->bytes != NULL)
        log_reader_limit(reader, plan->bytes);
    struct timeline *t = xcalloc(1, sizeof(*t));
    *t = (struct timeline){
        .plan = *plan, .reader = reader, .newest_ns = INT64_MIN, .taken_ns = INT64_MIN};
    const bool mysql = strcmp(log_format_driver(log_reader_format(reader)), "mysql") == 0;
    t->scan = mysql ? SQL_SCAN_MYSQL : SQL_SCAN_PGSQL;
    return t;
}

/* Frees ended sessions to which the tick has no pointers any longer. */
static void free_gone(struct tick *tick)
{
    for (struct log_session *s = tick->gone, *next; s != NULL; s = next) {
        next = s->next;
        free(s);
    }
    tick->gone = NULL;
}

void timeline_close(struct timeline *t)
{
    if (t == NULL)
        return;
    free_gone(&t->tick);
    for (size_t i = 0; i < t->tick.count; i++)
        free(t->tick.items[i]);
    free(t->tick.items);
    free(t->tick.sessions);
    item_heap_fini(&t->heap);
    session_copies_fini(&t->copies);
    session_map_fini(&t->sessions);
    log_text_fini(&t->kept);
    log_reader_close(t->reader);
    free(t);
}

static void leave_out(struct timeline *t, const struct log_event *event,
                      const struct log_reason *reason)
{
    log_tally_add(&t->counts.left_out, reason, event->line, event->file);
}

/* Returns the time of the event, moved so that time never goes back by more than BACK_NS even if
 * the clock was set back. */
static int64_t steady_ns(struct timeline *t, const struct log_event *event)
{
    int64_t time_ns = min_i64(event->time_ns + t->shift_ns, LOG_TIME_MOST_NS);
    if (t->newest_ns != INT64_MIN && time_ns < t->newest_ns - BACK_NS) {
        t->shift_ns = t->newest_ns - event->time_ns;
        time_ns = t->newest_ns;
        t->counts.back++;
    }
    t->newest_ns = max_i64(t->newest_ns, time_ns);
    t->counts.tick_ns = max_i64(t->counts.tick_ns, event->tick_ns);
    return time_ns;
}

/* Returns the start of the statement if the logged time is `at_ns`. */
static int64_t begin_ns(struct timeline *t, const struct replay_item *item, int64_t at_ns,
                        const struct log_session *session)
{
    int64_t ns = item->ended && item->duration_ns > 0 ? at_ns - item->duration_ns : at_ns;
    if (t->taken_ns != INT64_MIN && ns < t->taken_ns) {
        const int64_t late_ns = t->taken_ns - ns;
        t->counts.late += late_ns >= LATE_NS;
        t->counts.late_most_ns = max_i64(t->counts.late_most_ns, late_ns);
        ns = t->taken_ns;
    }
    return session->last_ns == INT64_MIN ? ns : max_i64(ns, session->last_ns + 1);
}

/* The tick is complete: spreads its statements evenly over it. */
static void spread_tick(struct timeline *t)
{
    struct tick *tick = &t->tick;
    for (size_t i = 0; i < tick->count; i++) {
        const double part = (double)i / (double)tick->count;
        struct replay_item *item = tick->items[i];
        struct log_session *session = tick->sessions[i];
        item->time_ns =
            begin_ns(t, item, tick->ns + (int64_t)(part * (double)tick->tick_ns), session);
        session->last_ns = item->time_ns;
        session->in_tick = false;
        item_heap_put(&t->heap, item);
    }
    tick->count = 0;
    free_gone(tick);
}

static void add_to_tick(struct timeline *t, struct replay_item *item, struct log_session *session,
                        int64_t time_ns, int64_t tick_ns)
{
    struct tick *tick = &t->tick;
    if (tick->count > 0 && (tick->ns != time_ns || tick->count >= TIMELINE_ITEMS))
        spread_tick(t);
    if (tick->count == tick->room) {
        tick->room = tick->room == 0 ? 1024 : 2 * tick->room;
        tick->items = xrealloc(tick->items, tick->room * sizeof(struct replay_item *));
        tick->sessions = xrealloc(tick->sessions, tick->room * sizeof(struct log_session *));
    }
    tick->ns = time_ns;
    tick->tick_ns = tick_ns;
    tick->items[tick->count] = item;
    tick->sessions[tick->count++] = session;
    session->in_tick = true;
}

static struct replay_item *make_item(struct timeline *t, const struct log_event *event,
                                     struct log_session *session)
{
    struct replay_item *item = xcalloc(1, sizeof(*item) + event->length + 1);
    if (!session->numbered)
        session->number = t->numbered++;
    session->numbered = true;
    item->order = t->items++;
    item->session = session->number;
    item->duration_ns = event->duration_ns;
    item->failed = event->failed;
    item->ended = event->at_end;
    item->one_in = event->one_in > 1 ? event->one_in : 1;
    item->names_statements =
        t->scan == SQL_SCAN_PGSQL && statement_names_any(event->text, event->length);
    item->hash = event->hash;
    memcpy(item->database, session->database, sizeof(item->database));
    item->nowhere = session->nowhere && item->database[0] == '\0';
    item->length = event->length;
    memcpy(item->text, event->text, event->length);
    t->bytes += event->length;
    return item;
}

/* Makes `item` the newest statement of the session: later entries of the log may belong to it. */
static void set_newest(struct log_session *session, struct replay_item *item)
{
    if (session->newest != NULL)
        session->newest->origin = NULL;
    session->newest = item;
    if (item != NULL)
        item->origin = session;
}

/* Returns true if the statements of the event are to be replayed. If not, counts them. */
static bool is_wanted(struct timeline *t, const struct log_event *event,
                      const struct log_session *session)
{
    const char *what = NULL;
    struct timeline_counts *c = &t->counts;
    const enum sql_kind kind = sql_scan_kind(event->text, event->length, t->scan, &what);
    if (kind == SQL_KIND_NEVER || (kind == SQL_KIND_FORGET && !session->prepares)) {
        leave_out(t, event, &(struct log_reason){what, NULL});
        return false;
    }
    if (kind == SQL_KIND_WRITE && t->plan.writes && event->may_go_on) {
        leave_out(t, event, &log_last);
        return false;
    }
    if (kind == SQL_KIND_READ || t->plan.writes)
        return true;
    if (c->refused++ == 0) {
        sql_scan_line(c->refused_text, sizeof(c->refused_text), event->text);
        c->refused_line = event->line;
    }
    return false;
}

/* Leaves statements that are not replayed out of a text of several, and keeps the others: without
 * ROLLBACK the rest of the session would fail. Returns false if none is left. */
static bool keep_wanted(struct timeline *t, struct log_event *event,
                        const struct log_session *session)
{
    const char *what;
    size_t length = event->length;
    struct log_event part = *event;
    if (t->scan != SQL_SCAN_PGSQL || event->may_go_on ||
        sql_scan_kind(event->text, length, t->scan, &what) == SQL_KIND_READ ||
        statement_parts_first(event->text, length) == length ||
        !statement_parts_certain(event->text, length))
        return is_wanted(t, event, session);
    log_text_set(&t->kept, "", 0);
    for (const char *at = event->text, *end = at + event->length; at < end; at += length) {
        length = statement_parts_first(at, (size_t)(end - at));
        part.text = at;
        part.length = length;
        if (is_wanted(t, &part, session))
            log_text_add(&t->kept, at, length);
    }
    event->text = t->kept.data;
    event->length = t->kept.length;
    return event->length > 0;
}

static bool is_elsewhere(const struct timeline *t, const struct log_session *session)
{
    return t->plan.database != NULL && strcmp(session->database, t->plan.database) != 0;
}

/* MySQL's general log has the database of a session only at its start and when it changes. An item
 * gets the database from the log, and a worker follows USE itself, because USE may fail. Only with
 * --log-database does the timeline have to follow USE. */
static void follow_database(const struct timeline *t, struct log_session *session, const char *text,
                            size_t length)
{
    char name[LOG_EVENT_DATABASE_BYTES];
    if (t->plan.database != NULL && t->scan == SQL_SCAN_MYSQL &&
        sql_scan_use(text, length, name, sizeof(name)))
        memcpy(session->database, name, sizeof(name));
}

/* All replayed sessions of PostgreSQL use one database, so count the statements that were in
 * others. */
static void note_database(struct timeline *t, const struct log_session *session)
{
    struct timeline_counts *c = &t->counts;
    if (t->scan != SQL_SCAN_PGSQL || session->database[0] == '\0')
        return;
    if (c->database[0] == '\0')
        memcpy(c->database, session->database, sizeof(c->database));
    c->of_others += strcmp(c->database, session->database) != 0;
}

static bool take_wanted(struct timeline *t, struct log_event *event, struct log_session *session,
                        int64_t time_ns)
{
    if (is_elsewhere(t, session)) {
        t->counts.elsewhere++;
        return false;
    }
    if (!keep_wanted(t, event, session))
        return false;
    session->prepares |=
        t->scan == SQL_SCAN_PGSQL && sql_scan_begins(event->text, event->length, "prepare", NULL);
    t->counts.ends |= event->at_end;
    note_database(t, session);
    struct replay_item *item = make_item(t, event, session);
    session->nowhere = false;
    set_newest(session, item);
    add_to_tick(t, item, session, time_ns, event->tick_ns);
    return true;
}

/* Notes the database of the session if the event has it. */
static void follow_event(struct log_session *session, const struct log_event *event)
{
    if (event->database[0] == '\0' && !event->nowhere)
        return;
    const bool leaves = event->kind == LOG_EVENT_LEFT_OUT || session->database[0] != '\0';
    session->nowhere = event->nowhere && (leaves || session->nowhere);
    memcpy(session->database, event->database, sizeof(session->database));
}

static void take_statement(struct timeline *t, struct log_event *event, struct log_session *session)
{
    const int64_t time_ns = steady_ns(t, event);
    follow_event(session, event);
    set_newest(session, NULL);
    const bool taken = take_wanted(t, event, session, time_ns);
    if (taken && log_reader_format(t->reader) == LOG_FORMAT_MYSQL_GENERAL &&
        t->plan.database == NULL)
        session->database[0] = '\0';
    follow_database(t, session, event->text, event->length);
}

static const struct log_reason failed_without_parameters = {
    "statements that failed and whose parameters the log does not have",
    "set log_parameter_max_length_on_error=-1"};

/* The event is the error of the last statement, or it has the text of a statement that is logged
 * only because it failed. */
static void take_failure(struct timeline *t, struct log_event *event, struct log_session *session)
{
    struct replay_item *newest = session->newest;
    /* The same text may fail again, so each statement gets one error. */
    if (newest != NULL && newest->duration_ns < 0 && !newest->failed && newest->hash == event->hash)
        newest->failed = true;
    else if (event->text != NULL)
        take_statement(t, event, session);
    else
        leave_out(t, event, &failed_without_parameters);
}

/* A failed statement has no logged duration: such a duration belongs to another step, such as
 * parsing the next statement. */
static void take_duration(struct replay_item *newest, const struct log_event *event)
{
    if (newest != NULL && newest->duration_ns < 0 && !newest->failed)
        newest->duration_ns = event->duration_ns;
}

static void take_end(struct timeline *t, const struct log_event *event, struct log_session *session)
{
    set_newest(session, NULL);
    session_map_remove(&t->sessions, event->session);
    if (session->in_tick) {
        session->next = t->tick.gone;
        t->tick.gone = session;
    } else {
        free(session);
    }
}

/* The end of an earlier session with the same name may be missing, for example after a crash of the
 * server. */
static void take_start(struct timeline *t, const struct log_event *event,
                       struct log_session *session)
{
    if (session->numbered) {
        take_end(t, event, session);
        session = session_map_get(&t->sessions, event->session);
    }
    memcpy(session->database, event->database, sizeof(session->database));
    session->nowhere = false;
}

static void take_event(struct timeline *t, struct log_event *event)
{
    struct log_session *session = session_map_get(&t->sessions, event->session);
    switch (event->kind) {
    case LOG_EVENT_STATEMENT:
        take_statement(t, event, session);
        break;
    case LOG_EVENT_DURATION:
        take_duration(session->newest, event);
        break;
    case LOG_EVENT_FAILURE:
        take_failure(t, event, session);
        break;
    case LOG_EVENT_START:
        take_start(t, event, session);
        break;
    case LOG_EVENT_END:
        take_end(t, event, session);
        break;
    case LOG_EVENT_LEFT_OUT:
        leave_out(t, event, event->reason);
        follow_event(session, event);
        break;
    default:
        break;
    }
}

static void read_ahead(struct timeline *t)
{
    struct log_event event;
    while (!t->ended && (t->heap.count == 0 || (t->heap.count + t->tick.count < TIMELINE_ITEMS &&
                                                t->bytes < TIMELINE_BYTES))) {
        t->ended = !log_reader_next(t->reader, &event);
        if (!t->ended)
            take_event(t, &event);
        else
            spread_tick(t);
        if (t->heap.count == 0 && t->bytes >= TIMELINE_BYTES)
            spread_tick(t);
    }
}

static struct replay_item *next_logged(void *arg)
{
    struct timeline *t = arg;
    read_ahead(t);
    struct replay_item *item = item_heap_take(&t->heap);
    if (item == NULL)
        return NULL;
    if (item->origin != NULL)
        set_newest(item->origin, NULL);
    t->bytes -= item->length;
    t->taken_ns = item->time_ns;
    return item;
}

struct replay_item *timeline_next(struct timeline *t)
{
    return t->plan.copies < 2
               ? next_logged(t)
               : session_copies_next(&t->copies, t->plan.copies, next_logged, t);
}

const struct timeline_counts *timeline_counts(const struct timeline *t)
{
    return &t->counts;
}

const struct log_reader *timeline_reader(const struct timeline *t)
{
    return t->reader;
}
