/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranks of one run, seen from one of them: who they are, and how they are reached. A process
 * that no launcher has started is a crew of one, and has no transport: nothing here does anything
 * then. Rank 0 leads: the others send to it, and do what it says.
 *
 * All take the same steps: join, plan, hello, (ready, start, the run,) leave. A rank that cannot go
 * on leaves; rank 0 hears of it in any step, and tells the others. One thread.
 */
#ifndef CREW_H
#define CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranks/launch/clock_offset.h"
#include "ranks/launch/transport.h"

/* A rank that says nothing for so long is lost. */
#define CREW_SILENCE_NS (10 * NS_PER_SEC)

/* What messages are about; → 0: to rank 0, 0 →: from it. */
enum crew_kind {
    CREW_JOIN,   /* → 0: host and processors */
    CREW_PLAN,   /* 0 →: the seed */
    CREW_HELLO,  /* → 0: what the rank is about to do */
    CREW_GO,     /* 0 →: all are about to do the same */
    CREW_READY,  /* → 0: its workers wait for the start */
    CREW_PINGS,  /* 0 →: a number of round trips will follow now */
    CREW_GATE,   /* → 0: it waits for all at a barrier of a command */
    CREW_OPEN,   /* 0 →: all do; or 0: one has failed */
    CREW_START,  /* 0 →: the start, by the rank's own clock */
    CREW_TICK,   /* → 0: what was recorded since the last one */
    CREW_ALIVE,  /* both: nothing but that */
    CREW_FOUND,  /* → 0: a reason to end the run */
    CREW_STOP,   /* 0 →: end the run, for that reason */
    CREW_LATE,   /* 0 →: the rank was lost, and is back: nothing of it counts any more */
    CREW_RESULT, /* → 0: all that was measured */
    CREW_DONE,   /* 0 →: nothing more is asked */
    CREW_BYE,    /* → 0: nothing more is sent; the exit code */
    CREW_CLOSE,  /* 0 →: all leave; struct crew_close */
};

/* One rank as rank 0 sees it. */
struct crew_mate {
    char *host;
    int64_t heard_ns; /* the last message, CLOCK_MONOTONIC */
    bool left;        /* CREW_BYE */
    int code;         /* its exit code then */
    bool lost;
    bool back; /* lost, and heard again: it hears what the others do, and counts no more */
    struct clock_offset before, after; /* its clock − ours, before the run and after it */
};

struct crew_close {
    int code;    /* of all */
    int in_part; /* a rank was lost: what each has measured may be of use to others */
};

struct keeper;

struct crew {
    const struct transport_ops *ops; /* NULL: one process, and nothing here has been loaded */
    struct transport *transport;
    struct transport_world world;
    struct keeper *keeper;   /* owned; NULL: the launcher has the rank itself */
    struct crew_mate *mates; /* of all ranks, at rank 0; else NULL */
    int64_t heard_ns;        /* of rank 0, elsewhere */
    bool closed;             /* CREW_CLOSE has come */
    struct crew_close close; /* which said so */
    int64_t told_ns;         /* when rank 0 last said that it is there, between two round trips */
    unsigned at_gate;        /* ranks that CREW_GATE has come from since the last CREW_OPEN */
    bool deserted;           /* rank 0 is lost: nobody will close */
    bool late;               /* rank 0 had lost this one */
    char *leftover;          /* a file that goes unless a rank is lost; owned. NULL: none */
    bool leftover_whole;     /* all of it could be written */
};

/*
 * Looks whether a launcher has started this process as one of several, and joins the others then.
 * −1 after a message, which only one of them logs where that is possible.
 */
int crew_join(struct crew *crew);
/* What crew_join() does with a transport of several ranks that is there. */
void crew_init(struct crew *crew, const struct transport_ops *ops, struct transport *transport,
               struct transport_world world);
/*
 * All leave together: waits for the others, but, unless `patient`, for none that says nothing for
 * CREW_SILENCE_NS. Returns the exit code of all: that of rank 0 unless it is 0, else another's.
 * `code` where there is one process.
 */
int crew_leave(struct crew *crew, int code, bool patient);

/* Where the launcher is about to end before this rank, what it writes is held, until it has ended;
 * nothing otherwise. To be called often. */
void crew_hold_output(struct crew *crew);
void crew_release_output(struct crew *crew);

/* A tool makes runs of its own, or none: true, after a message that one of them logs, where a
 * launcher has started several. */
bool crew_refuses_tool(const char *name);

/* Whether this rank speaks for all: rank 0, or the only one. */
static inline bool crew_leads(const struct crew *crew)
{
    return crew->world.rank == 0;
}
static inline bool crew_is_one(const struct crew *crew)
{
    return crew->transport == NULL;
}

/* Messages. To send to a rank that is lost does nothing, unless it is back. */
void crew_send(struct crew *crew, unsigned to, enum crew_kind kind, const void *bytes, size_t size);
void crew_send_all(struct crew *crew, enum crew_kind kind, const void *bytes, size_t size);
/*
 * The next message that is not the crew's own business, false: none is there. Never waits. Its
 * bytes are the caller's, to be freed.
 */
bool crew_receive(struct crew *crew, struct transport_message *message);
/* Rank 0: how many have left, having done their part; −1: one has failed, or is lost. */
int crew_count_left(const struct crew *crew);
/* "rank 2 (db-client-c)", until the next call. */
const char *crew_name(const struct crew *crew, unsigned rank);

/*
 * Waiting, asleep, in the steps before the run. −1: there will be nothing to wait for (rank 0 has
 * closed, a rank has left or is lost, which is logged, or the user has sent a signal).
 *
 * crew_next(): for the next message. crew_await(): by all but rank 0, for the next of that kind.
 * crew_collect(): by rank 0, for one of each other rank, which `take` gets; NULL: nobody. Not 0
 * from `take` ends it with −1.
 */
int crew_next(struct crew *crew, struct transport_message *message);
int crew_await(struct crew *crew, enum crew_kind kind, struct transport_message *message);
int crew_collect(struct crew *crew, enum crew_kind kind,
                 int (*take)(void *arg, const struct transport_message *message), void *arg);

#endif
