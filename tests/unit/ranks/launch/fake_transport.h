/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A transport between threads of a test: each rank is a thread with its own clock. */
#ifndef FAKE_TRANSPORT_H
#define FAKE_TRANSPORT_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ranks/launch/crew.h"

#define FAKE_RANKS 4
#define FAKE_SKEW_NS (1000 * NS_PER_SEC)
#define FAKE_ROOM 64

struct fake_box {
    struct transport_message messages[FAKE_ROOM];
    unsigned first, count;
};

struct transport {
    unsigned rank;
};

static struct {
    pthread_mutex_t lock;
    struct fake_box box[FAKE_RANKS];
    bool asked[FAKE_RANKS], answered[FAKE_RANKS]; /* state of round trips with each rank */
    int64_t answer_ns[FAKE_RANKS];
    bool mute[FAKE_RANKS];
    void (*on_mute)(void); /* called when rank 0 begins to wait for a mute rank; or NULL */
    int left, broken;
    struct transport transport[FAKE_RANKS];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int fake_send(struct transport *t, unsigned to, int kind, const void *bytes, size_t size)
{
    pthread_mutex_lock(&fake.lock);
    struct fake_box *box = &fake.box[to];
    if (box->count == FAKE_ROOM)
        abort();
    struct transport_message *m = &box->messages[(box->first + box->count++) % FAKE_ROOM];
    *m = (struct transport_message){.from = t->rank, .kind = kind, .size = size};
    m->bytes = xcalloc(1, size + 1);
    if (size > 0)
        memcpy(m->bytes, bytes, size);
    pthread_mutex_unlock(&fake.lock);
    return 0;
}

static bool fake_receive(struct transport *t, struct transport_message *message)
{
    pthread_mutex_lock(&fake.lock);
    struct fake_box *box = &fake.box[t->rank];
    bool any = box->count > 0;
    if (any) {
        *message = box->messages[box->first];
        box->first = (box->first + 1) % FAKE_ROOM;
        box->count--;
    }
    pthread_mutex_unlock(&fake.lock);
    return any;
}

static size_t fake_unsent(const struct transport *t)
{
    (void)t;
    return 0;
}

/* Waits until *flag is set, and clears it. Returns false if it is not set before the deadline. */
static bool fake_take(bool *flag, int64_t deadline_ns)
{
    for (;;) {
        pthread_mutex_lock(&fake.lock);
        bool set = *flag;
        *flag = false;
        pthread_mutex_unlock(&fake.lock);
        if (set || clock_now_ns() > deadline_ns)
            return set;
        sched_yield();
    }
}

static void fake_set(bool *flag)
{
    pthread_mutex_lock(&fake.lock);
    *flag = true;
    pthread_mutex_unlock(&fake.lock);
}

static int fake_ping(struct transport *t, unsigned with, int64_t deadline_ns,
                     struct transport_round *round)
{
    (void)t;
    round->sent_ns = clock_now_ns();
    if (fake.mute[with] && fake.on_mute != NULL)
        fake.on_mute();
    fake_set(&fake.asked[with]);
    if (!fake_take(&fake.answered[with], fake.mute[with] ? clock_now_ns() : deadline_ns))
        return -1;
    round->answered_ns = fake.answer_ns[with];
    round->back_ns = clock_now_ns();
    return 0;
}

static int fake_pong(struct transport *t, unsigned with, int64_t deadline_ns)
{
    (void)with;
    if (fake.mute[t->rank] || !fake_take(&fake.asked[t->rank], deadline_ns))
        return -1;
    fake.answer_ns[t->rank] = clock_now_ns() + t->rank * FAKE_SKEW_NS;
    fake_set(&fake.answered[t->rank]);
    return 0;
}

/* A launcher would end the lost ranks; here they receive a message instead. */
static void fake_leave(struct transport *t, bool broken, int code)
{
    const struct crew_close close = {code, broken};
    for (unsigned r = 1; broken && r < FAKE_RANKS; r++)
        fake_send(t, r, CREW_CLOSE, &close, sizeof(close));
    pthread_mutex_lock(&fake.lock);
    fake.left++;
    fake.broken += broken;
    pthread_mutex_unlock(&fake.lock);
}

static const struct transport_ops fake_ops = {.abi = TRANSPORT_ABI,
                                              .send = fake_send,
                                              .receive = fake_receive,
                                              .unsent = fake_unsent,
                                              .ping = fake_ping,
                                              .pong = fake_pong,
                                              .leave = fake_leave};

static inline void fake_crew(struct crew *crew, unsigned rank)
{
    fake.transport[rank].rank = rank;
    crew_init(crew, &fake_ops, &fake.transport[rank],
              (struct transport_world){.rank = rank, .ranks = FAKE_RANKS});
}

#endif
