/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the ranks of a run talk: what a plug-in offers. The ranks are the processes that one launcher
 * has started; rank 0 leads. Messages between two ranks arrive whole and in the order in which they
 * were sent. Nothing but ping and pong waits for anybody, and nobody else may be kept waiting by
 * what a lost rank does not answer. All calls come from one thread.
 *
 * A plug-in includes this header and nothing else of the program.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Program and plug-in are of one build of this header, or do not work together. */
#define TRANSPORT_ABI 2
/* The name under which a plug-in exports its struct transport_ops. */
#define TRANSPORT_SYMBOL "sysrate_transport"

struct transport; /* the plug-in's */

struct transport_world {
    unsigned rank, ranks; /* rank < ranks */
};

struct transport_message {
    unsigned from;
    int kind;    /* ≥ 0, the program's */
    void *bytes; /* the receiver's, to be freed with free(); NULL: none */
    size_t size;
};

/* One round trip, by the clocks of both sides (CLOCK_MONOTONIC). */
struct transport_round {
    int64_t sent_ns;     /* asked, by the clock of who asks */
    int64_t answered_ns; /* the other's clock, between the two */
    int64_t back_ns;     /* the answer was here */
};

struct transport_ops {
    int abi; /* TRANSPORT_ABI */
    /* Name and version of what it was built with, as "Open MPI 4.1.4". */
    const char *(*library)(void);
    /* Joins the others; may wait until they are there. NULL: *error says why, for as long as the
     * process lives. */
    struct transport *(*join)(struct transport_world *world, const char **error);
    /* The launcher may end before this process, which gets that signal then. −1: the end of the
     * launcher is the end of this process, too. */
    int (*outlive)(struct transport *t, int signo);
    /* Takes a copy of the bytes on its way. Returns at once; −1: that rank cannot be reached. */
    int (*send)(struct transport *t, unsigned to, int kind, const void *bytes, size_t size);
    /* The next message that has arrived, false: none. Also moves what is on its way: to be called
     * while it is. */
    bool (*receive)(struct transport *t, struct transport_message *message);
    /* Messages that have not left yet. */
    size_t (*unsent)(const struct transport *t);
    /* One round trip with a rank that is in pong() now, and the other side of it. −1: no answer
     * before `deadline_ns`. */
    int (*ping)(struct transport *t, unsigned with, int64_t deadline_ns,
                struct transport_round *round);
    int (*pong)(struct transport *t, unsigned with, int64_t deadline_ns);
    /* All ranks leave together, after all messages were received; waits for the others. With
     * `broken`, some cannot: then the launcher is told to end what is left, with that exit code,
     * and the call does not return. */
    void (*leave)(struct transport *t, bool broken, int code);
};

#endif
