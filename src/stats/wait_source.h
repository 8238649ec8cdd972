/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of samples of the sessions of a database server: what each session does or waits for at
 * one moment. The drivers fill in the samples, and the sampler of a run takes them
 * (--wait-events).
 */
#ifndef WAIT_SOURCE_H
#define WAIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIT_TEXT_BYTES 128

/* The event of waits that the driver of SQLite measures itself. */
#define WAIT_LOCKED_EVENT "Lock:database"

#define WAIT_EVENT_BYTES 64 /* room for the name of a wait event */

enum wait_activity {
    WAIT_FOR_CLIENT, /* the session has nothing to do: the client is computing, or the network is
                        slow */
    WAIT_ON_CPU,     /* the session works and waits for nothing that the server names */
    WAIT_FOR_EVENT   /* the session waits for, or is in, what `event` names */
};

/* A session may have a blocker that the server does not name. */
#define WAIT_NO_BLOCKER UINT64_C(0)
#define WAIT_UNKNOWN_BLOCKER UINT64_MAX

/* One session in a sample. Sessions that are not reported have nothing to do. The texts end with a
 * NUL and may be cut. */
struct wait_session {
    uint64_t id; /* the server's number of the session, never 0 */
    enum wait_activity activity;
    char event[WAIT_EVENT_BYTES]; /* name of the wait event, such as "Lock:tuple" */
    char object[64];  /* the table that the lock is on; "" if the server does not name it */
    uint64_t blocker; /* the session that holds what this session waits for */
    /* Description of the session, used if it blocks others. */
    char program[64]; /* application name, or the host of the client */
    char user[64];
    char state[32];             /* "idle in transaction" */
    double seconds;             /* how long the transaction or the state has lasted */
    char text[WAIT_TEXT_BYTES]; /* its statement; "" if not known */
};

typedef void wait_session_add(void *arg, const struct wait_session *session);

enum wait_status {
    WAIT_SAMPLE_TAKEN,
    WAIT_SAMPLE_FAILED, /* a statement failed; the connection can be used */
    WAIT_SAMPLE_LOST,   /* the connection is lost */
    WAIT_SAMPLE_REFUSED /* another attempt makes no sense: a permission or a setting is missing */
};

/* The operations of a source. `server` is the database of a workload. */
struct wait_source {
    /* Returns how many servers there are, or 0 after logging a warning if their sessions cannot be
     * sampled. */
    unsigned (*hosts)(void *server);
    /* Returns what a worker waits for that serves a request and has no session; NULL: it is not
     * connected. The operation may be NULL. */
    const char *(*without_session)(const void *server);
    /* Opens a connection to a server. Returns NULL on failure, with the reason in `failure`. The
     * connection is used by one thread. */
    void *(*open)(void *server, unsigned host, char *failure, size_t bytes);
    /* Returns false if the server has no session of this number. */
    bool (*knows)(void *connection, uint64_t session);
    /* Takes a sample: calls `add` for each session that has something to do. If it is not taken,
     * the reason is in `failure`. If it is taken, but something is not visible to the user,
     * `failure` says what; otherwise `failure` does not change. */
    enum wait_status (*sample)(void *connection, wait_session_add *add, void *arg, char *failure,
                               size_t bytes);
    void (*close)(void *connection);
    /* Returns the shortest time between two samples for which the server's answers are up to date;
     * 0 if there is no limit. */
    int64_t (*gap_ns)(void *connection);
};

#endif
