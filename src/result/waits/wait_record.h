/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that one process has sampled of the waits of its requests. The records of several ranks are
 * merged into one. Labels, details and strangers have different numbers in each record, so they are
 * matched by their names.
 */
#ifndef WAIT_RECORD_H
#define WAIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/waits/wait_names.h"
#include "result/waits/wait_shares.h"
#include "stats/waits.h"

#define WAIT_OWN_MAX 65536
#define WAIT_BLOCKERS_MAX 1024

/* A session that blocked workers, but not one of this process. */
struct wait_blocker {
    unsigned stranger; /* index of the stranger that describes the session */
    struct wait_key key;
    double weight_ns; /* of the samples in which the session blocked others */
};

struct wait_record {
    double per_second; /* samples per second that were asked for */
    double elapsed_s;  /* length of the measured part */
    uint64_t statements;
    double round_trips_ns;
    unsigned notes;
    char note[WAIT_NOTES][WAIT_NOTE_BYTES];
    struct wait_names names;
    struct wait_totals totals;
    /* Only with several ranks: the sessions that workers of this process had, in order, and those
     * of others that blocked them. Owned by the record. */
    size_t owned, own_room, blockers, blocker_room;
    struct wait_key *own;
    struct wait_blocker *blocker;
};

/* The numbers that the labels and details of one record have in another one. */
struct wait_map {
    unsigned label[WAIT_LABELS], detail[WAIT_DETAILS];
};

/* Returns an empty record in new memory. */
struct wait_record *wait_record_create(void);
struct wait_record *wait_record_copy(const struct wait_record *record);
/* Frees the record, which may be NULL. */
void wait_record_free(struct wait_record *record);

/* Notes that a worker of this process has the session. Does nothing after WAIT_OWN_MAX sessions:
 * then other ranks take further sessions for strangers. */
void wait_record_note_own(struct wait_record *record, struct wait_key key);
/* Returns true if a worker of this process had the session. */
bool wait_record_owns(const struct wait_record *record, struct wait_key key);
/* Notes that a session, which `stranger` describes, blocked others in a sample. Sessions after the
 * first WAIT_BLOCKERS_MAX are not noted: which part of them belongs to the run is then judged by
 * the others of the same stranger. */
void wait_record_note_blocker(struct wait_record *record, const struct wait_blocker *blocker);

/*
 * Adds the record of a rank to `whole`, and fills in `map`. In this rank's record, sessions of
 * other ranks are strangers. Those that `ranks`, the records of all ranks, own belong to the run
 * instead. `ranks` has `count` entries, which may be NULL.
 */
void wait_record_merge(struct wait_record *whole, const struct wait_record *rank,
                       struct wait_record *const *ranks, unsigned count, struct wait_map *map);

/* Returns the shares in new memory, to be freed by the caller. */
struct wait_shares *wait_record_shares(const struct wait_record *record);

#endif
