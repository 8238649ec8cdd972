/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A transport on top of MPI, built as a plug-in so that the program itself does not depend on MPI.
 * MPI is initialized with MPI_THREAD_FUNNELED and called from one thread. Calls during a run return
 * at once, because Open MPI spins in calls that wait.
 */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks/launch/mpi/pmix_watch.h"
#include "ranks/launch/transport.h"

/* A message that is being sent or received. */
struct parcel {
    struct parcel *next;
    MPI_Request request;
    struct transport_message message;
};

struct transport {
    /* separate communicators, so that a ping is never matched with a message */
    MPI_Comm messages, pings;
    struct parcel *out, *in;
    struct parcel **in_end;
    size_t unsent;
    /* in the struct, because a request that was given up may still access these */
    int64_t ping, pong;
};

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static const char *library(void)
{
    static char text[64];
#ifdef OMPI_MAJOR_VERSION
    snprintf(text, sizeof(text), "Open MPI %d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
             OMPI_RELEASE_VERSION);
#else
    snprintf(text, sizeof(text), "MPI %d.%d", MPI_VERSION, MPI_SUBVERSION);
#endif
    return text;
}

/* MPI calls return errors instead of ending the process: the loss of one rank must not end the
 * others. */
static int begin_channels(struct transport *t)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_dup(MPI_COMM_WORLD, &t->messages) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &t->pings) != MPI_SUCCESS)
        return -1;
    MPI_Comm_set_errhandler(t->messages, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(t->pings, MPI_ERRORS_RETURN);
    return 0;
}

static struct transport *join(struct transport_world *world, const char **error)
{
    int level, rank, ranks;
    *error = "MPI_Init_thread failed";
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return NULL;
    *error = "this MPI does not allow threads";
    if (level < MPI_THREAD_FUNNELED)
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *world = (struct transport_world){.rank = (unsigned)rank, .ranks = (unsigned)ranks};
    struct transport *t = calloc(1, sizeof(*t));
    *error = "MPI_Comm_dup failed";
    if (t == NULL || begin_channels(t) != 0) {
        free(t);
        return NULL;
    }
    t->in_end = &t->in;
    return t;
}

static int outlive(struct transport *t, int signo)
{
    (void)t;
    return pmix_watch(signo);
}

/* Messages. */

static struct parcel *parcel_create(size_t size)
{
    struct parcel *p = calloc(1, sizeof(*p));
    void *bytes = malloc(size > 0 ? size : 1);
    if (p == NULL || bytes == NULL) {
        fputs("FATAL: out of memory\n", stderr);
        exit(1);
    }
    p->message.bytes = bytes;
    p->message.size = size;
    return p;
}

/* Returns 1 if the transfer has completed, 0 if not yet, −1 if it has failed. */
static int parcel_test(struct parcel *p)
{
    int done = 0;
    if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -1;
    return done != 0;
}

static int send_message(struct transport *t, unsigned to, int kind, const void *bytes, size_t size)
{
    struct parcel *p = parcel_create(size);
    if (size > 0)
        memcpy(p->message.bytes, bytes, size);
    if (MPI_Isend(p->message.bytes, (int)size, MPI_BYTE, (int)to, kind, t->messages, &p->request) !=
        MPI_SUCCESS) {
        free(p->message.bytes);
        free(p);
        return -1;
    }
    p->next = t->out;
    t->out = p;
    t->unsent++;
    return 0;
}

/* Frees messages that were sent. */
static void clear_sent(struct transport *t)
{
    struct parcel **link = &t->out;
    while (*link != NULL) {
        struct parcel *p = *link;
        if (parcel_test(p) == 0) {
            link = &p->next;
            continue;
        }
        *link = p->next;
        t->unsent--;
        free(p->message.bytes);
        free(p);
    }
}

/* Starts to receive messages that have been announced. */
static void accept_new(struct transport *t)
{
    int there = 1;
    MPI_Message handle;
    MPI_Status status;
    while (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->messages, &there, &handle, &status) ==
               MPI_SUCCESS &&
           there) {
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        struct parcel *p = parcel_create((size_t)size);
        p->message.from = (unsigned)status.MPI_SOURCE;
        p->message.kind = status.MPI_TAG;
        if (MPI_Imrecv(p->message.bytes, size, MPI_BYTE, &handle, &p->request) != MPI_SUCCESS) {
            free(p->message.bytes);
            free(p);
            return;
        }
        *t->in_end = p;
        t->in_end = &p->next;
    }
}

/* Returns true if an earlier message of the same rank is still in the list. Messages of a rank are
 * delivered in order. */
static bool must_wait(const struct transport *t, const struct parcel *p)
{
    for (const struct parcel *before = t->in; before != p; before = before->next)
        if (before->message.from == p->message.from)
            return true;
    return false;
}

static bool receive_message(struct transport *t, struct transport_message *message)
{
    clear_sent(t);
    accept_new(t);
    for (struct parcel **link = &t->in; *link != NULL; link = &(*link)->next) {
        struct parcel *p = *link;
        int state = must_wait(t, p) ? 0 : parcel_test(p);
        if (state == 0)
            continue;
        *link = p->next;
        if (t->in_end == &p->next)
            t->in_end = link;
        *message = p->message;
        if (state < 0)
            free(p->message.bytes);
        free(p);
        return state > 0;
    }
    return false;
}

static size_t unsent_messages(const struct transport *t)
{
    return t->unsent;
}

/*
 * Round trips. Both sides poll as fast as possible, but yield the processor in case it is shared.
 */

static int wait_for(MPI_Request *request, int64_t deadline_ns)
{
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (now_ns() >= deadline_ns)
            break;
        sched_yield();
    }
    if (done)
        return 0;
    if (*request != MPI_REQUEST_NULL) {
        MPI_Cancel(request);
        MPI_Request_free(request);
    }
    return -1;
}

static int send_time(struct transport *t, unsigned to, int64_t deadline_ns)
{
    MPI_Request request;
    if (MPI_Isend(&t->ping, 1, MPI_INT64_T, (int)to, 0, t->pings, &request) != MPI_SUCCESS)
        return -1;
    return wait_for(&request, deadline_ns);
}

static int receive_time(struct transport *t, unsigned from, int64_t deadline_ns)
{
    MPI_Request request;
    if (MPI_Irecv(&t->pong, 1, MPI_INT64_T, (int)from, 0, t->pings, &request) != MPI_SUCCESS)
        return -1;
    return wait_for(&request, deadline_ns);
}

static int ping(struct transport *t, unsigned with, int64_t deadline_ns,
                struct transport_round *round)
{
    t->ping = round->sent_ns = now_ns();
    if (send_time(t, with, deadline_ns) != 0 || receive_time(t, with, deadline_ns) != 0)
        return -1;
    round->back_ns = now_ns();
    round->answered_ns = t->pong;
    return 0;
}

static int pong(struct transport *t, unsigned with, int64_t deadline_ns)
{
    if (receive_time(t, with, deadline_ns) != 0)
        return -1;
    t->ping = now_ns();
    return send_time(t, with, deadline_ns);
}

static void leave(struct transport *t, bool broken, int code)
{
    if (broken)
        MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Comm_free(&t->messages);
    MPI_Comm_free(&t->pings);
    MPI_Finalize();
    free(t);
}

extern const struct transport_ops sysrate_transport;
const struct transport_ops sysrate_transport = {.abi = TRANSPORT_ABI,
                                                .library = library,
                                                .join = join,
                                                .outlive = outlive,
                                                .send = send_message,
                                                .receive = receive_message,
                                                .unsent = unsent_messages,
                                                .ping = ping,
                                                .pong = pong,
                                                .leave = leave};
