/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between the program and the plug-in that carries messages between the ranks of a
 * run. The ranks are the processes that one launcher has started; rank 0 leads. Messages between
 * two ranks arrive whole and in the order in which they were sent. Only ping, pong, join and leave
 * may wait. A lost rank that does not answer must not delay messages to other ranks. All calls come
 * from one thread.
 *
 * A plug-in includes this header and no other header of the program.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The plug-in is refused if it was built with another version of this header. */
#define TRANSPORT_ABI 2
/* The name under which a plug-in exports its struct transport_ops. */
#define TRANSPORT_SYMBOL "sysrate_transport"

struct transport; /* defined by the plug-in */

struct transport_world {
    unsigned rank, ranks; /* rank < ranks */
};

struct transport_message {
    unsigned from;
    int kind;    /* ≥ 0; defined by the program */
    void *bytes; /* freed by the receiver with free(); may be NULL */
    size_t size;
};

/* One round trip between two ranks; each time is CLOCK_MONOTONIC of the machine named. */
struct transport_round {
    int64_t sent_ns;     /* request sent, by the clock of the requesting rank */
    int64_t answered_ns; /* request answered, by the clock of the other rank */
    int64_t back_ns;     /* answer received, by the clock of the requesting rank */
};

struct transport_ops {
    int abi; /* TRANSPORT_ABI */
    /* Name and version of the library, for example "Open MPI 4.1.4". */
    const char *(*library)(void);
    /* Joins the other ranks; may wait for them. Returns NULL on failure; *error is then the reason,
     * valid until the process ends. */
    struct transport *(*join)(struct transport_world *world, const char **error);
    /* Asks to survive the end of the launcher: the process then receives the signal `signo`.
     * Returns −1 if that is not possible, and the launcher then ends this process. */
    int (*outlive)(struct transport *t, int signo);
    /* Sends a copy of the bytes. Returns at once. Returns −1 if the rank cannot be reached. */
    int (*send)(struct transport *t, unsigned to, int kind, const void *bytes, size_t size);
    /*
     * Returns the next message that has arrived, or false if there is no message. Also makes
     * progress with messages being sent and received, and so must be called repeatedly while any
     * are under way.
     */
    bool (*receive)(struct transport *t, struct transport_message *message);
    /* Returns the number of messages that are still being sent. */
    size_t (*unsent)(const struct transport *t);
    /* ping() makes one round trip with a rank that is in pong(). Both return −1 if the other rank
     * does not answer before `deadline_ns`. */
    int (*ping)(struct transport *t, unsigned with, int64_t deadline_ns,
                struct transport_round *round);
    int (*pong)(struct transport *t, unsigned with, int64_t deadline_ns);
    /*
     * All ranks leave together after all messages were received; waits for the other ranks. If
     * `broken` is true, some ranks cannot leave: then the launcher is asked to end the remaining
     * ranks with the exit code `code`, and the call does not return.
     */
    void (*leave)(struct transport *t, bool broken, int code);
};

#endif
