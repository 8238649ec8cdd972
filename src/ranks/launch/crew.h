/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A crew is the ranks of one run, as seen by one of them. It knows the ranks and sends messages to
 * them. A process that was not started by a launcher is a crew of one: it has no transport, and all
 * functions here return at once. Rank 0 leads: other ranks send messages to rank 0 only, and follow
 * its instructions.
 *
 * All ranks take the same steps: join, plan, hello, (ready, start, the run,) leave. A rank that
 * cannot continue leaves; rank 0 notices that in any step and ends the other ranks. All calls come
 * from one thread.
 */
#ifndef CREW_H
#define CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranks/launch/clock_offset.h"
#include "ranks/launch/transport.h"

/* A rank from which no message arrived for this time is lost. */
#define CREW_SILENCE_NS (10 * NS_PER_SEC)

/* Kinds of messages. → 0: a message to rank 0. 0 →: a message from rank 0. */
enum crew_kind {
    CREW_JOIN,   /* → 0: host name and processors */
    CREW_PLAN,   /* 0 →: the seed */
    CREW_HELLO,  /* → 0: the run that the rank is about to make */
    CREW_GO,     /* 0 →: all ranks are about to make the same run */
    CREW_READY,  /* → 0: the rank's workers wait for the start */
    CREW_PINGS,  /* 0 →: the given number of round trips follows */
    CREW_GATE,   /* → 0: the rank waits at a barrier of a command */
    CREW_OPEN,   /* 0 →: 1 if all ranks wait at the barrier; 0 if a rank has failed */
    CREW_START,  /* 0 →: the start time, by the clock of the receiving rank */
    CREW_TICK,   /* → 0: data recorded since the previous tick */
    CREW_ALIVE,  /* both directions: the sender is alive */
    CREW_FOUND,  /* → 0: the rank has found a reason to end the run */
    CREW_STOP,   /* 0 →: end the run, for this reason */
    CREW_LATE,   /* 0 →: the rank was declared lost; its later data is ignored */
    CREW_RESULT, /* → 0: the result of the rank */
    CREW_DONE,   /* 0 →: rank 0 needs nothing more */
    CREW_BYE,    /* → 0: the rank leaves; its exit code */
    CREW_CLOSE,  /* 0 →: all ranks leave; struct crew_close */
};

/* One rank as seen by rank 0. */
struct crew_mate {
    char *host;
    int64_t heard_ns; /* time of the last message from the rank, CLOCK_MONOTONIC */
    bool left;        /* true after CREW_BYE */
    int code;         /* exit code in CREW_BYE */
    bool lost;
    bool back; /* lost, but it sends again: it gets messages, and its data is ignored */
    struct clock_offset before, after; /* its clock − our clock, before and after the run */
};

struct crew_close {
    int code;    /* exit code of all ranks */
    int in_part; /* true if a rank was lost: the spool files of the others are then kept */
};

struct keeper;

struct crew {
    /* NULL if there is one process; then the plug-in is not loaded */
    const struct transport_ops *ops;
    struct transport *transport;
    struct transport_world world;
    struct keeper *keeper;   /* owned; NULL if the launcher started the rank directly */
    struct crew_mate *mates; /* in rank 0, an entry for each rank; otherwise NULL */
    int64_t heard_ns;        /* in other ranks, time of the last message from rank 0 */
    bool closed;             /* true after CREW_CLOSE */
    struct crew_close close; /* content of CREW_CLOSE */
    int64_t alive_sent_ns;         /* when rank 0 last sent CREW_ALIVE while it measures clocks */
    unsigned at_gate;        /* number of CREW_GATE messages since the last CREW_OPEN */
    bool deserted;           /* true if rank 0 is lost: CREW_CLOSE will not arrive */
    bool late;               /* true if rank 0 declared this rank lost */
    char *leftover; /* path of a file that is removed unless a rank is lost; owned; or NULL */
    bool leftover_whole;     /* true if the file was written completely */
};

/* If a launcher has started this process as one of several, joins the other processes. Returns −1
 * after a message, which is logged by one process only if possible. */
int crew_join(struct crew *crew);
/* The second part of crew_join(), for a transport with several ranks that is already open. */
void crew_init(struct crew *crew, const struct transport_ops *ops, struct transport *transport,
               struct transport_world world);
/*
 * All ranks leave together. Rank 0 waits for all ranks; unless `patient`, it gives up ranks that
 * were silent for CREW_SILENCE_NS. Returns the exit code of all ranks: that of rank 0 if it is not
 * 0, otherwise the first that is not 0. With one process, returns `code`.
 */
int crew_leave(struct crew *crew, int code, bool patient);

/* Holds output if the launcher is about to end before this rank; crew_release_output() writes it
 * after the launcher has ended (keeper.h). To be called often. */
void crew_hold_output(struct crew *crew);
void crew_release_output(struct crew *crew);

/* A tool like `sysrate sweep` cannot be run by several processes. If a launcher has started
 * several, one of them logs a message, and all return true. */
bool crew_refuses_tool(const char *name);

/* Returns true for the rank that prints and logs for all ranks: rank 0, or the only process. */
static inline bool crew_leads(const struct crew *crew)
{
    return crew->world.rank == 0;
}
static inline bool crew_is_one(const struct crew *crew)
{
    return crew->transport == NULL;
}

/* Messages to a lost rank are discarded, unless messages arrive from it again (`back`). */
void crew_send(struct crew *crew, unsigned to, enum crew_kind kind, const void *bytes, size_t size);
void crew_send_all(struct crew *crew, enum crew_kind kind, const void *bytes, size_t size);
/* Returns false if no message is there. Messages that only concern the crew (such as CREW_ALIVE)
 * are handled here and not returned. Never waits. The caller frees message->bytes. */
bool crew_receive(struct crew *crew, struct transport_message *message);
/* In rank 0: returns how many ranks have left with exit code 0, or −1 if a rank has failed or is
 * lost. */
int crew_count_left(const struct crew *crew);
/* Returns for example "rank 2 (db-client-c)". The string is valid until the next call. */
const char *crew_name(const struct crew *crew, unsigned rank);

/*
 * Functions that wait for messages before the run; they sleep between two checks. They return −1 if
 * waiting is pointless: rank 0 has sent CREW_CLOSE, a rank has left or is lost (which is logged),
 * or the user has sent a signal.
 *
 * crew_next() waits for any message. crew_await() is for ranks other than 0: it waits for a message
 * of this kind. crew_collect() is for rank 0: it waits for one message of this kind from each other
 * rank and passes it to `take` (which may be NULL). If `take` does not return 0, crew_collect()
 * returns −1.
 */
int crew_next(struct crew *crew, struct transport_message *message);
int crew_await(struct crew *crew, enum crew_kind kind, struct transport_message *message);
int crew_collect(struct crew *crew, enum crew_kind kind,
                 int (*take)(void *arg, const struct transport_message *message), void *arg);

#endif
