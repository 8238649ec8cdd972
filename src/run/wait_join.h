/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the sampler of wait events (wait_sampler.h), and the part of it that joins samples
 * with the requests of workers. Only the files of the sampler include this header.
 *
 * Each host has a thread. The functions are called by this thread; wait_join_missed() is also
 * called by the controlling thread. Workers that end a request change the schedules.
 */
#ifndef WAIT_JOIN_H
#define WAIT_JOIN_H

#include <pthread.h>
#include <stdatomic.h>

#include "options/settings.h"
#include "result/waits/wait_record.h"
#include "run/wait_schedule.h"
#include "run/wait_sessions.h"
#include "stats/wait_source.h"
#include "stats/waits.h"

struct host {
    struct wait_sampler *all;
    unsigned number;
    pthread_t thread;
    bool started;
    bool warned;
    bool remarked;         /* a warning says what the user may not see */
    bool checked;          /* the server was asked whether it knows the sessions of the run */
    bool over;             /* further samples make no sense */
    unsigned failures;     /* samples that failed since the last one that was taken */
    int timer;             /* descriptor of a timer that expires at due_ns */
    struct wait_sessions sessions;
    /* Guarded by the lock of the sampler while the thread waits for the timer; otherwise only the
     * thread uses these members. */
    struct wait_schedule schedule;
    void *connection;   /* NULL while it is closed */
    int64_t connect_ns; /* time of the next attempt to connect */
    /* The sampler was stopped and does not wait for this thread any longer. Set under the lock. */
    atomic_bool given_up;
    /* Guarded by the lock of the sampler. */
    int64_t asking_ns; /* the thread waits for the server since then; 0 if it does not */
    int64_t due_ns;    /* the thread waits for this time; 0 if it does not */
    bool ready;        /* the attempt to open the first connection has ended */
    bool left;         /* the thread has ended */
    /* Times without samples are recorded up to this time. Both the thread and the controlling
     * thread record them. */
    atomic_int_least64_t missed_ns;
};

struct wait_sampler {
    const struct settings *settings;
    struct waits *waits;
    const struct wait_source *source;
    void *server;
    unsigned hosts, workers;
    struct host *host;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t changed;
    bool stop;
    int64_t stop_ns;            /* time of the stop */
    int64_t slow_ns;            /* service time from which a request is slow */
    int64_t slow_known_ns;      /* time at which slow_ns was updated last */
    int64_t look_ns;            /* time at which the next look for slow requests is due */
    int64_t look_late_ns;       /* the sampler looks if no worker has looked this long after that */
    unsigned active;            /* threads that have not ended */
    struct wait_record *record; /* without totals */
};

/* Adds a sample with `label`, which does not come from the server, for each worker of this host
 * that serves a request at `at_ns`. For workers without a session, see WAIT_LABEL_NOT_CONNECTED. */
void wait_join_labels(struct host *h, unsigned label, int64_t at_ns, double weight_ns);
/* Adds samples for a time in which no sample could be taken, at most at the rate that is used
 * while a request is slow. Ends early if the sampler no longer waits for the thread. */
void wait_join_missed(struct host *h, unsigned label, int64_t first_ns, int64_t to_ns);
/* Adds the samples of all workers, from the sessions that the server returned between the two
 * times. */
void wait_join_sample(struct host *h, int64_t before_ns, int64_t after_ns, double weight_ns);

#endif
