/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of worker_api.h by which scripts describe the event in service. */
#include <string.h>

#include "engine/worker.h"
#include "engine/worker_api.h"
#include "options/slo.h"

int worker_event_type(const char *name)
{
    struct worker *w = worker_of_thread();
    return w != NULL ? (int)targets_find(w->stats->types, name) : -1;
}

void worker_set_event_type(int type)
{
    struct worker *w = worker_of_thread();
    if (w != NULL && type >= 0 && worker_is_serving(w) && w->pool->work == NULL)
        stats_set_type(w->stats, (unsigned)type);
}

int64_t worker_deadline_ns(bool *fresh)
{
    struct worker *w = worker_of_thread();
    *fresh = false;
    if (w == NULL || w->attempt.policy == NULL || !worker_is_serving(w))
        return INT64_MAX;
    return attempt_deadline_ns(
        &w->attempt, atomic_load_explicit(&w->serving_arrival_ns, memory_order_relaxed), fresh);
}

void worker_note_failure(enum failure_kind kind, bool unsent)
{
    struct worker *w = worker_of_thread();
    if (w == NULL || !worker_is_serving(w))
        return;
    w->attempt.failure = kind;
    w->attempt.unsent = unsent;
}

void worker_begin_connection_wait(int64_t now_ns)
{
    struct worker *w = worker_of_thread();
    if (w != NULL && worker_is_serving(w))
        atomic_store_explicit(&w->connection_since_ns, now_ns, memory_order_relaxed);
}

void worker_end_connection_wait(int64_t ns)
{
    struct worker *w = worker_of_thread();
    if (w == NULL || !worker_is_serving(w))
        return;
    atomic_fetch_add_explicit(&w->connection_wait_ns, ns, memory_order_relaxed);
    atomic_store_explicit(&w->connection_since_ns, 0, memory_order_relaxed);
}

int worker_tally(const char *name)
{
    struct worker *w = worker_of_thread();
    return w != NULL ? (int)tallies_find(w->stats->tallies, name) : -1;
}

void worker_add_tally(int tally, double count, double sum, double squares)
{
    struct worker *w = worker_of_thread();
    if (w != NULL && tally >= 0 && worker_is_serving(w))
        stats_tally(w->stats, (unsigned)tally, (uint64_t)count, (uint64_t)sum, (uint64_t)squares);
}

_Static_assert(SLO_QUALITY_BYTES == QUALITY_NAME_BYTES, "objectives can have every name");

int worker_quality(const char *name)
{
    struct worker *w = worker_of_thread();
    if (!slo_quality_name(name))
        return -2;
    return w != NULL ? (int)qualities_find(w->stats->qualities, name) : -1;
}

void worker_add_quality(int figure, double value)
{
    struct worker *w = worker_of_thread();
    if (w != NULL && figure >= 0 && worker_is_serving(w))
        stats_quality(w->stats, (unsigned)figure, value);
}

int worker_deferred_type(const char *name)
{
    struct worker *w = worker_of_thread();
    if (w == NULL || w->pool->deferred == NULL)
        return -1;
    return (int)targets_find(w->stats->deferred, name);
}

int worker_defer(int type, unsigned count, const double *numbers)
{
    struct worker *w = worker_of_thread();
    if (!worker_is_serving(w))
        return -2;
    struct deferred_entry entry = {.type = (unsigned)type,
                                   .count = min_u32(count, DEFERRED_NUMBERS)};
    memcpy(entry.number, numbers, entry.count * sizeof(*numbers));
    enum deferred_put result = worker_put_off(w, &entry);
    return result == DEFERRED_FULL && w->pool->settings->queue_full == QUEUE_FULL_STOP ? -1 : 0;
}

const char *worker_deferred_name(void)
{
    struct worker *w = worker_of_thread();
    return targets_name(w->stats->deferred, w->entry.type);
}

unsigned worker_deferred_numbers(double *numbers)
{
    const struct deferred_entry *entry = &worker_of_thread()->entry;
    memcpy(numbers, entry->number, entry->count * sizeof(*numbers));
    return entry->count;
}

bool worker_has_terminals(void)
{
    const struct worker *w = worker_of_thread();
    return w != NULL && w->pool->terminals != NULL && !terminals_are_sessions(w->pool->terminals);
}

int worker_populate(double count, double spread_s)
{
    return terminals_populate(worker_of_thread()->pool->terminals, (unsigned)count, spread_s);
}

unsigned worker_terminal(void)
{
    const struct worker *w = worker_of_thread();
    const bool has = w != NULL && worker_has_visit(w) && w->visit.session.number == 0;
    return has ? w->visit.terminal + 1 : 0;
}

double worker_memo(void)
{
    return worker_of_thread()->visit.memo;
}

double worker_pause(double keying_s, double think_s, double memo)
{
    struct worker *w = worker_of_thread();
    if (worker_terminal() == 0)
        return 0;
    const double drawn_s = terminals_think_s(w->pool->terminals, w->visit.terminal, think_s);
    w->pause_ns = seconds_to_ns(drawn_s + keying_s);
    w->next_memo = memo;
    return drawn_s;
}

/* Returns the place of the request in service in its session; all 0 if it has no session. */
static struct session_request session_of_request(void)
{
    const struct worker *w = worker_of_thread();
    return w != NULL && worker_has_visit(w) ? w->visit.session : (struct session_request){0};
}

double worker_session(void)
{
    return (double)session_of_request().number;
}

double worker_session_index(void)
{
    return (double)session_of_request().index;
}

bool worker_session_ends(void)
{
    return session_of_request().last;
}

/* Scripts use the counter numbers of sysbench, the program those of stats_part.h. */
_Static_assert((int)SB_CNT_OTHER == COUNTER_OTHER && (int)SB_CNT_READ == COUNTER_READ &&
                   (int)SB_CNT_WRITE == COUNTER_WRITE && (int)SB_CNT_EVENT == COUNTER_EVENT &&
                   (int)SB_CNT_ERROR == COUNTER_ERROR &&
                   (int)SB_CNT_RECONNECT == COUNTER_RECONNECT &&
                   (int)SB_CNT_BYTES_READ == COUNTER_BYTES_READ &&
                   (int)SB_CNT_BYTES_WRITTEN == COUNTER_BYTES_WRITTEN,
               "they are the same");

void sb_counter_inc(int thread_id, sb_counter_type_t type)
{
    struct worker *w = worker_of_thread();
    (void)thread_id;
    if (w != NULL && (unsigned)type <= SB_CNT_BYTES_WRITTEN)
        stats_count(w->stats, (enum counter)type, 1);
}
