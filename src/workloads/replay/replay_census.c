/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/replay_census.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "base/sort.h"
#include "base/util.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/session_copies.h"

/* Times of the first and the last statement of each session. */
struct extents {
    int64_t *first, *last;
    size_t room;
};

static void note_session(struct extents *e, struct replay_census *c, const struct replay_item *item)
{
    if (item->session >= e->room) {
        const size_t room = 2 * ((size_t)item->session + 512);
        e->first = xrealloc(e->first, room * sizeof(*e->first));
        e->last = xrealloc(e->last, room * sizeof(*e->last));
        for (size_t i = e->room; i < room; i++) {
            e->first[i] = INT64_MAX;
            e->last[i] = -1;
        }
        e->room = room;
    }
    c->numbers = (uint32_t)max_i64(c->numbers, (int64_t)item->session + 1);
    c->sessions += e->last[item->session] < 0;
    e->first[item->session] = min_i64(e->first[item->session], (int64_t)item->order);
    e->last[item->session] = max_i64(e->last[item->session], (int64_t)item->order);
}

/* Returns the largest number of sessions that are open at the same time. Sorts `first`, where the
 * numbers without a session come last. */
static unsigned find_peak(struct extents *e, uint32_t numbers, uint32_t sessions)
{
    int64_t *ends = xcalloc(sessions, sizeof(*ends));
    unsigned open = 0, peak = 0;
    for (uint32_t i = 0, session = 0; i < numbers; i++)
        if (e->last[i] >= 0)
            ends[session++] = e->last[i];
    sort_i64(ends, sessions);
    sort_i64(e->first, numbers);
    for (uint32_t begun = 0, ended = 0; begun < sessions; begun++) {
        for (; ends[ended] < e->first[begun]; ended++)
            open--;
        open++;
        peak = open > peak ? open : peak;
    }
    free(ends);
    return peak;
}

static void add_hash(uint64_t *hash, const void *bytes, size_t length)
{
    *hash = log_hash_more(*hash, bytes, length);
}

static void hash_item(struct replay_census *c, const struct replay_item *item)
{
    const int64_t since_ns = item->time_ns - c->first_ns;
    add_hash(&c->hash, &since_ns, sizeof(since_ns));
    add_hash(&c->hash, &item->session, sizeof(item->session));
    add_hash(&c->hash, item->database, strlen(item->database) + 1);
    add_hash(&c->hash, item->text, item->length + 1);
}

static void note_sampling(struct replay_census *c, const struct replay_item *item)
{
    const bool first = c->one_in_most == 0;
    c->one_in_least = first || item->one_in < c->one_in_least ? item->one_in : c->one_in_least;
    c->one_in_most = item->one_in > c->one_in_most ? item->one_in : c->one_in_most;
}

static void count(struct replay_census *c, struct extents *e, const struct replay_item *item)
{
    if (c->statements++ == 0)
        c->first_ns = item->time_ns;
    c->last_ns = item->time_ns;
    c->timed += item->duration_ns >= 0;
    c->failed += item->failed;
    note_session(e, c, item);
    note_sampling(c, item);
    hash_item(c, item);
}

static void note_reader(struct replay_census *c, const struct timeline *t)
{
    const struct log_reader *reader = timeline_reader(t);
    c->format = log_reader_format(reader);
    c->bytes = log_reader_bytes(reader);
    c->limits_sessions = log_reader_limits_sessions(reader);
    c->skipped = *log_reader_skipped(reader);
    c->incomplete = log_reader_failed(reader);
    c->counts = *timeline_counts(t);
}

static void log_note(void *arg, const char *text)
{
    (void)arg;
    log_bare("%s", text);
}

static int refuse_empty(const struct replay_census *c, const char *files)
{
    const struct timeline_counts *counts = &c->counts;
    const bool has_reasons =
        counts->left_out.count + c->skipped.count > 0 || counts->refused + counts->elsewhere > 0;
    const bool translated = !has_reasons && strcmp(log_format_driver(c->format), "pgsql") == 0;
    log_text(LOG_FATAL, "the log %s, read as a %s, has no %s%s", files, log_format_name(c->format),
             has_reasons ? "statement that can be replayed" : "statements",
             translated ? "; the server has to write them in English, with lc_messages=C" : "");
    replay_census_each(c, log_note, NULL);
    return -1;
}

int replay_census_take(struct replay_census *c, const struct timeline_plan *plan)
{
    return replay_census_take_each(c, plan, NULL, NULL);
}

int replay_census_take_each(struct replay_census *c, const struct timeline_plan *plan,
                            void (*see)(void *arg, int64_t since_ns), void *arg)
{
    struct extents e = {0};
    *c = (struct replay_census){.hash = log_hash("", 0)};
    struct timeline *t = timeline_open(plan);
    if (t == NULL)
        return -1;
    for (struct replay_item *item; (item = timeline_next(t)) != NULL; free(item)) {
        count(c, &e, item);
        if (see != NULL)
            see(arg, item->time_ns - c->first_ns);
    }
    note_reader(c, t);
    c->scaled = plan->copies > 1;
    c->several_files = strchr(plan->files, ',') != NULL;
    timeline_close(t);
    c->last_order = e.last;
    if (c->sessions > 0)
        c->peak = find_peak(&e, c->numbers, c->sessions);
    free(e.first);
    return c->statements > 0 ? 0 : refuse_empty(c, plan->files);
}

void replay_census_fini(struct replay_census *c)
{
    free(c->last_order);
    *c = (struct replay_census){0};
}

struct notes {
    void (*add)(void *arg, const char *text);
    void *arg;
};

static void note(const struct notes *n, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void note(const struct notes *n, const char *fmt, ...)
{
    char text[REPLAY_NOTE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    n->add(n->arg, text);
}

static void note_left_out(const struct notes *n, const struct timeline_counts *counts)
{
    if (counts->refused > 0)
        note(n,
             "not replayed without --allow-writes: %" PRIu64
             " statements that may write (line %" PRIu64 ": %.60s)",
             counts->refused, counts->refused_line, counts->refused_text);
    if (counts->elsewhere > 0)
        note(n,
             "not replayed: %" PRIu64
             " statements that the log does not show to be in --log-database",
             counts->elsewhere);
    if (counts->of_others > 0)
        note(n,
             "%" PRIu64
             " statements belong to other databases than %s, but all are replayed in one database: "
             "--log-database selects the statements of one",
             counts->of_others, counts->database);
}

/* Notes how many statements or lines were left out for each reason, where the first of them is, and
 * how to avoid it. */
static void note_tally(const struct notes *n, const struct log_tally *tally, bool several_files)
{
    for (unsigned i = 0; i < tally->count; i++) {
        const struct log_tally_entry *e = &tally->entries[i];
        const char *advice = e->reason.advice;
        note(n, "not replayed: %" PRIu64 " %s (first: line %" PRIu64 "%s%s)%s%s", e->count,
             e->reason.what, e->line, several_files ? " of " : "", several_files ? e->file : "",
             advice != NULL ? ": " : "", advice != NULL ? advice : "");
    }
}

static void note_clock(const struct notes *n, const struct timeline_counts *counts)
{
    if (counts->tick_ns >= NS_PER_MS)
        note(n,
             "the log's clock ticks every %g ms: statements of the same tick are spread evenly "
             "over it",
             ns_to_ms(counts->tick_ns));
    if (counts->ends)
        note(n, "the log has the end times of statements: start time = end time - logged duration");
    if (counts->back > 0)
        note(n,
             "the log's clock was set back %" PRIu64 " times; the replay continues without a gap",
             counts->back);
    if (counts->late > 0)
        note(n,
             "%" PRIu64
             " statements took longer than the log is read ahead; they begin up to %.3f s late",
             counts->late, ns_to_seconds(counts->late_most_ns));
}

/* Notes that the server logged only a part of the load. */
static void note_sample(const struct notes *n, const struct replay_census *c)
{
    const char *kind = c->limits_sessions ? "sessions" : "statements";
    char one_in[32];
    if (c->one_in_most < 2)
        return;
    snprintf(one_in, sizeof(one_in), c->one_in_least < c->one_in_most ? "%u to %u" : "%u",
             c->one_in_least, c->one_in_most);
    if (c->scaled)
        note(n,
             "the server logged only one of %s %s (Log_slow_rate_limit): each session is replayed "
             "%s times, each copy begins up to %g s later",
             one_in, kind, one_in, ns_to_seconds(SESSION_COPIES_SPREAD_NS));
    else
        note(n,
             "the server logged only one of %s %s (Log_slow_rate_limit), so the replay has less "
             "load: set log_slow_rate_limit=1, or replay each session %s times with "
             "--scale-sampled",
             one_in, kind, one_in);
    if (!c->limits_sessions)
        note(n, "the sessions lack statements that were not logged: a transaction may be without "
                "some of them, or without its end");
}

void replay_census_each(const struct replay_census *c, void (*add)(void *arg, const char *text),
                        void *arg)
{
    const struct notes n = {add, arg};
    note_left_out(&n, &c->counts);
    note_tally(&n, &c->counts.left_out, c->several_files);
    note_tally(&n, &c->skipped, c->several_files);
    note_clock(&n, &c->counts);
    note_sample(&n, c);
    if (c->incomplete)
        note(&n, "the log could not be read to its end");
}
