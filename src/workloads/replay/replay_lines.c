/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/replay_lines.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"

/* Arrivals that no worker has taken yet, ordered by their times. */
struct book {
    /* A ring, whose size is a power of two; an entry that was taken is NULL. */
    struct replay_entry **entries;
    uint64_t begin, end, room;
};

struct replay_lines {
    pthread_mutex_t lock; /* guards `book` and `line`; to be locked before the lock of a line */
    struct book book;
    /* Indexed by session; NULL if the session has not begun or is over. */
    struct replay_line **line;
    uint32_t sessions;
    int64_t most;
    _Atomic int64_t waiting;
};

struct replay_lines *replay_lines_create(uint32_t sessions, int64_t most)
{
    struct replay_lines *l = xcalloc(1, sizeof(*l));
    pthread_mutex_init(&l->lock, NULL);
    l->line = xcalloc(sessions, sizeof(*l->line));
    l->sessions = sessions;
    l->most = most;
    return l;
}

static void free_entry(struct replay_entry *entry)
{
    free(entry->item);
    free(entry);
}

static void free_line(struct replay_line *line)
{
    for (struct replay_entry *e = line->first, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    sql_connection_free(line->con);
    pthread_mutex_destroy(&line->lock);
    free(line);
}

/* Closes the connection without counting that in the statistics, which are freed when the run is
 * over. */
static void discard_line(struct replay_line *line)
{
    if (line->con != NULL)
        sql_take_over(line->con, NULL);
    free_line(line);
}

void replay_lines_destroy(struct replay_lines *l)
{
    if (l == NULL)
        return;
    for (uint32_t i = 0; i < l->sessions; i++)
        if (l->line[i] != NULL)
            discard_line(l->line[i]);
    free(l->line);
    free(l->book.entries);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static struct replay_entry **place(const struct book *b, uint64_t number)
{
    return &b->entries[number & (b->room - 1)];
}

static void book_add(struct book *b, struct replay_entry *entry)
{
    if (b->end - b->begin == b->room) {
        const struct book old = *b;
        b->room = old.room == 0 ? 1024 : 2 * old.room;
        b->entries = xcalloc(b->room, sizeof(*b->entries));
        for (uint64_t i = old.begin; i < old.end; i++)
            *place(b, i) = *place(&old, i);
        free(old.entries);
    }
    *place(b, b->end++) = entry;
}

/* Binary search. Entries that were taken are NULL and have no time, so each step looks for the
 * nearest entry that is still there. */
static uint64_t book_find(const struct book *b, int64_t due_ns)
{
    uint64_t low = b->begin, high = b->end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, at = middle;
        while (at < high && *place(b, at) == NULL)
            at++;
        if (at < high && (*place(b, at))->due_ns < due_ns)
            low = at + 1;
        else if (at < high && (*place(b, at))->due_ns == due_ns)
            return at;
        else
            high = middle;
    }
    return b->end;
}

static struct replay_entry *book_take(struct book *b, int64_t due_ns)
{
    const uint64_t at = book_find(b, due_ns);
    if (at == b->end)
        return NULL;
    struct replay_entry *entry = *place(b, at);
    *place(b, at) = NULL;
    while (b->begin < b->end && *place(b, b->begin) == NULL)
        b->begin++;
    return entry;
}

static struct replay_line *line_of(struct replay_lines *l, uint32_t session)
{
    if (l->line[session] == NULL) {
        struct replay_line *line = xcalloc(1, sizeof(*line));
        pthread_mutex_init(&line->lock, NULL);
        line->session = session;
        l->line[session] = line;
    }
    return l->line[session];
}

static void append(struct replay_line *line, struct replay_entry *entry)
{
    pthread_mutex_lock(&line->lock);
    if (line->first == NULL)
        line->first = entry;
    else
        line->end->next = entry;
    line->end = entry;
    pthread_mutex_unlock(&line->lock);
}

void replay_lines_put(struct replay_lines *l, struct replay_item *item, int64_t due_ns, bool last)
{
    struct replay_entry *entry = xcalloc(1, sizeof(*entry));
    *entry = (struct replay_entry){.item = item, .due_ns = due_ns, .last = last};
    pthread_mutex_lock(&l->lock);
    entry->line = line_of(l, item->session);
    append(entry->line, entry);
    book_add(&l->book, entry);
    pthread_mutex_unlock(&l->lock);
}

struct replay_entry *replay_lines_find(struct replay_lines *l, int64_t due_ns)
{
    pthread_mutex_lock(&l->lock);
    struct replay_entry *entry = book_take(&l->book, due_ns);
    pthread_mutex_unlock(&l->lock);
    return entry;
}

bool replay_lines_begin(struct replay_lines *l, struct replay_entry *entry, bool *full)
{
    struct replay_line *line = entry->line;
    pthread_mutex_lock(&line->lock);
    entry->arrived_ns = clock_now_ns();
    const bool begins = !line->busy && line->first == entry;
    if (begins)
        line->busy = true;
    else
        worker_park(&entry->request);
    pthread_mutex_unlock(&line->lock);
    *full = !begins && atomic_fetch_add(&l->waiting, 1) >= l->most;
    return begins;
}

/* Removes and frees the line. No other thread has a pointer to it, because it has no further
 * entries. */
static void end_line(struct replay_lines *l, struct replay_line *line)
{
    pthread_mutex_lock(&l->lock);
    l->line[line->session] = NULL;
    pthread_mutex_unlock(&l->lock);
    free_line(line);
}

struct replay_entry *replay_lines_end(struct replay_lines *l, struct replay_entry *entry)
{
    struct replay_line *line = entry->line;
    const bool over = worker_is_over(), last = entry->last;
    pthread_mutex_lock(&line->lock);
    line->first = entry->next;
    struct replay_entry *next = line->first;
    if (next != NULL && (next->arrived_ns == 0 || over))
        next = NULL;
    line->busy = next != NULL;
    if (next != NULL) {
        worker_unpark(&next->request);
        atomic_fetch_sub(&l->waiting, 1);
    }
    pthread_mutex_unlock(&line->lock);
    free_entry(entry);
    if (last)
        end_line(l, line);
    return next;
}

/* Returns the arrivals that wait in the line to the queue, except the one in execution. */
static void give_back_line(struct replay_lines *l, struct replay_line *line)
{
    pthread_mutex_lock(&line->lock);
    struct replay_entry *e = line->busy ? line->first->next : line->first;
    for (; e != NULL; e = e->next) {
        if (e->arrived_ns == 0)
            continue;
        e->arrived_ns = 0;
        worker_unpark(&e->request);
        worker_give_back();
        atomic_fetch_sub(&l->waiting, 1);
    }
    pthread_mutex_unlock(&line->lock);
}

void replay_lines_give_back(struct replay_lines *l)
{
    pthread_mutex_lock(&l->lock);
    for (uint32_t i = 0; i < l->sessions; i++)
        if (l->line[i] != NULL)
            give_back_line(l, l->line[i]);
    pthread_mutex_unlock(&l->lock);
}
