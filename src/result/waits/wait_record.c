/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/wait_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct wait_record *wait_record_create(void)
{
    struct wait_record *record = xcalloc(1, sizeof(*record));
    wait_names_init(&record->names);
    return record;
}

void wait_record_free(struct wait_record *record)
{
    if (record == NULL)
        return;
    free(record->own);
    free(record->blocker);
    free(record);
}

struct wait_record *wait_record_copy(const struct wait_record *record)
{
    struct wait_record *copy = xcalloc(1, sizeof(*copy));
    *copy = *record;
    copy->own_room = copy->owned;
    copy->blocker_room = copy->blockers;
    copy->own = xcalloc(copy->owned + 1, sizeof(*copy->own));
    copy->blocker = xcalloc(copy->blockers + 1, sizeof(*copy->blocker));
    for (size_t i = 0; i < copy->owned; i++)
        copy->own[i] = record->own[i];
    for (size_t i = 0; i < copy->blockers; i++)
        copy->blocker[i] = record->blocker[i];
    return copy;
}

/* Sessions. */

static int by_key(const void *a, const void *b)
{
    const struct wait_key *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->session < y->session ? -1 : x->session > y->session;
}

bool wait_record_owns(const struct wait_record *r, struct wait_key key)
{
    return r->owned > 0 && bsearch(&key, r->own, r->owned, sizeof(*r->own), by_key) != NULL;
}

void wait_record_note_own(struct wait_record *r, struct wait_key key)
{
    if (r->owned == WAIT_OWN_MAX || wait_record_owns(r, key))
        return;
    if (r->owned == r->own_room) {
        r->own_room = 2 * r->own_room + 64;
        r->own = xrealloc(r->own, r->own_room * sizeof(*r->own));
    }
    size_t i = r->owned++;
    for (; i > 0 && by_key(&key, &r->own[i - 1]) < 0; i--)
        r->own[i] = r->own[i - 1];
    r->own[i] = key;
}

void wait_record_note_blocker(struct wait_record *r, const struct wait_blocker *blocker)
{
    for (size_t i = 0; i < r->blockers; i++)
        if (by_key(&r->blocker[i].key, &blocker->key) == 0 &&
            r->blocker[i].stranger == blocker->stranger) {
            r->blocker[i].weight_ns += blocker->weight_ns;
            return;
        }
    if (r->blockers == WAIT_BLOCKERS_MAX)
        return;
    if (r->blockers == r->blocker_room) {
        r->blocker_room = 2 * r->blocker_room + 64;
        r->blocker = xrealloc(r->blocker, r->blocker_room * sizeof(*r->blocker));
    }
    r->blocker[r->blockers++] = *blocker;
}

static bool any_owns(struct wait_record *const *ranks, unsigned count, struct wait_key key)
{
    for (unsigned i = 0; i < count; i++)
        if (ranks[i] != NULL && wait_record_owns(ranks[i], key))
            return true;
    return false;
}

/* Returns which part of the blocking by a stranger was by sessions of other ranks, from 0 to 1. */
static double part_of_run(const struct wait_record *rank, unsigned stranger,
                          struct wait_record *const *ranks, unsigned count)
{
    double all = 0, run = 0;
    for (size_t i = 0; i < rank->blockers; i++) {
        const struct wait_blocker *b = &rank->blocker[i];
        if (b->stranger != stranger)
            continue;
        all += b->weight_ns;
        run += any_owns(ranks, count, b->key) ? b->weight_ns : 0;
    }
    return all > 0 ? run / all : 0;
}

/* Names. */

/* Adds a stranger of a rank, and returns its number as a blocker. Of two descriptions of the same
 * program and user, the one of the longer blocking is kept. */
static unsigned add_stranger(struct wait_names *names, const struct wait_stranger *s)
{
    struct wait_session session = {.id = s->session, .seconds = s->seconds};
    memcpy(session.program, s->program, sizeof(session.program));
    memcpy(session.user, s->user, sizeof(session.user));
    memcpy(session.state, s->state, sizeof(session.state));
    memcpy(session.text, s->text, sizeof(session.text));
    return wait_names_stranger(names, &session);
}

/* A detail of a rank in the whole: the part `run` of its weight is by sessions of the run. */
struct divided {
    unsigned by_run, by_other;
    double run;
};

static struct divided add_detail(struct wait_names *names, const struct wait_names *from,
                                 unsigned number, const struct wait_map *map,
                                 const double *run_part)
{
    struct wait_detail detail = from->detail[number];
    struct divided to = {0};
    detail.label = map->label[detail.label];
    if (detail.blocker >= WAIT_BY_STRANGER) {
        const unsigned stranger = detail.blocker - WAIT_BY_STRANGER;
        to.run = run_part[stranger];
        detail.blocker = WAIT_BY_RUN;
        if (to.run > 0)
            to.by_run = wait_names_detail(names, &detail);
        if (to.run < 1)
            detail.blocker = add_stranger(names, &from->stranger[stranger]);
    }
    to.by_other = to.run < 1 ? wait_names_detail(names, &detail) : 0;
    return to;
}

static void map_labels(struct wait_names *names, const struct wait_names *from,
                       struct wait_map *map)
{
    *map = (struct wait_map){0};
    for (unsigned i = 0; i < from->labels; i++)
        map->label[i] = wait_names_label(names, from->event[i]);
}

/* Totals. */

static void add_bucket(struct wait_bucket *to, const struct wait_bucket *from)
{
    to->requests += from->requests;
    to->late_ns += from->late_ns;
    to->queued_ns += from->queued_ns;
    to->service_ns += from->service_ns;
    to->locked_ns += from->locked_ns;
    to->sampled += from->sampled;
    to->samples += from->samples;
    to->near += from->near;
    to->weight += from->weight;
    to->squares += from->squares;
}

static void add_cell(struct wait_cell *to, const struct wait_cell *from)
{
    to->samples += from->samples;
    to->weight += from->weight;
    to->squares += from->squares;
    to->products += from->products;
}

static void add_totals(struct wait_totals *to, const struct wait_totals *from,
                       const struct wait_map *map, const struct divided *detail)
{
    for (unsigned b = 0; b < WAIT_BUCKETS; b++) {
        add_bucket(&to->bucket[b], &from->bucket[b]);
        for (unsigned i = 0; i < WAIT_LABELS; i++)
            add_cell(&to->cell[b][map->label[i]], &from->cell[b][i]);
        for (unsigned i = 0; i < WAIT_DETAILS; i++) {
            to->detail[b][detail[i].by_run] += detail[i].run * from->detail[b][i];
            to->detail[b][detail[i].by_other] += (1 - detail[i].run) * from->detail[b][i];
        }
    }
    to->heaviest_ns = fmax(to->heaviest_ns, from->heaviest_ns);
    to->taken += from->taken;
    to->unmatched += from->unmatched;
}

static void add_notes(struct wait_record *to, const struct wait_record *from)
{
    for (unsigned i = 0; i < from->notes; i++) {
        unsigned k = 0;
        while (k < to->notes && strcmp(to->note[k], from->note[i]) != 0)
            k++;
        if (k == to->notes && k < WAIT_NOTES)
            memcpy(to->note[to->notes++], from->note[i], WAIT_NOTE_BYTES);
    }
}

void wait_record_merge(struct wait_record *whole, const struct wait_record *rank,
                       struct wait_record *const *ranks, unsigned count, struct wait_map *map)
{
    double run_part[WAIT_STRANGERS] = {0};
    struct divided detail[WAIT_DETAILS] = {{0}};
    map_labels(&whole->names, &rank->names, map);
    for (unsigned i = 0; i < rank->names.strangers; i++)
        run_part[i] = part_of_run(rank, i, ranks, count);
    for (unsigned i = 1; i < rank->names.details; i++) {
        detail[i] = add_detail(&whole->names, &rank->names, i, map, run_part);
        map->detail[i] = detail[i].run > 0.5 ? detail[i].by_run : detail[i].by_other;
    }
    add_totals(&whole->totals, &rank->totals, map, detail);
    add_notes(whole, rank);
    whole->per_second += rank->per_second;
    whole->elapsed_s = fmax(whole->elapsed_s, rank->elapsed_s);
    whole->statements += rank->statements;
    whole->round_trips_ns += rank->round_trips_ns;
}

struct wait_shares *wait_record_shares(const struct wait_record *record)
{
    struct wait_shares *shares = wait_shares_of(&record->totals, &record->names, record->elapsed_s);
    shares->per_second = record->per_second;
    shares->statements = record->statements;
    if (record->statements > 0)
        shares->round_trip_ms = record->round_trips_ns / (double)record->statements / NS_PER_MS;
    shares->notes = record->notes;
    memcpy(shares->note, record->note, sizeof(shares->note));
    return shares;
}
