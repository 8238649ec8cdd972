/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hold.h"

#include <ck_pr.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/util.h"
#include "engine/early.h"

/* Number of semaphores that the workers share. With a single semaphore, thousands of workers would
 * contend for one lock in the kernel. Must be a power of two. */
#define PLACES 64

struct place {
    _Alignas(CACHE_ALIGN) sem_t recalled;
    atomic_int holders;
};

struct hold {
    struct place place[PLACES];
    atomic_bool may_be_early;
    _Alignas(CACHE_ALIGN) struct early early;
    atomic_int_least64_t spin_ns; /* total of all workers */
};

struct hold *hold_create(void)
{
    struct hold *h = checked_alloc(aligned_alloc(CACHE_ALIGN, sizeof(*h)));
    *h = (struct hold){0};
    for (unsigned i = 0; i < PLACES; i++)
        sem_init(&h->place[i].recalled, 0, 0);
    return h;
}

void hold_destroy(struct hold *h)
{
    if (h == NULL)
        return;
    for (unsigned i = 0; i < PLACES; i++)
        sem_destroy(&h->place[i].recalled);
    free(h);
}

void hold_allow_early(struct hold *h, bool allowed)
{
    atomic_store(&h->may_be_early, allowed);
}

/* Returns the place of the calling thread. Threads are assigned to places in turn, at their first
 * call. */
static struct place *own_place(struct hold *h)
{
    static atomic_uint threads;
    static _Thread_local unsigned number; /* 0 if not assigned yet */
    if (number == 0)
        number = atomic_fetch_add(&threads, 1) + 1;
    return &h->place[number % PLACES];
}

/*
 * By default the kernel may let a timer end about 50 µs late. Reduces that to 1 ns for this thread.
 */
static void wake_precisely(void)
{
    static _Thread_local bool precise;
    if (!precise)
        clock_set_slack_ns(1);
    precise = true;
}

struct wait {
    struct hold *hold;
    int64_t due_ns;
    hold_recalled *recalled;
    const void *arg;
};

static bool goes_on(const struct wait *w, int64_t now_ns, int64_t until_ns)
{
    return now_ns < until_ns && !w->recalled(w->arg, w->due_ns);
}

static int64_t wake_before_ns(const struct hold *h)
{
    if (!atomic_load_explicit(&h->may_be_early, memory_order_relaxed))
        return 0;
    wake_precisely();
    return early_ns(&h->early);
}

/* Sleeps until shortly before the request is due. */
static void sleep_on(const struct wait *w, sem_t *recalled)
{
    int64_t wake_ns = w->due_ns - wake_before_ns(w->hold);
    while (goes_on(w, clock_now_ns(), wake_ns))
        if (!clock_sem_wait(recalled, wake_ns))
            early_learn(&w->hold->early, clock_now_ns(), w->due_ns);
}

/* Spins for the remaining time. */
static void spin_on(const struct wait *w)
{
    int64_t from_ns = clock_now_ns(), now_ns = from_ns;
    while (goes_on(w, now_ns, w->due_ns)) {
        ck_pr_stall();
        now_ns = clock_now_ns();
    }
    /* Time past the deadline is scheduling delay, not spinning. */
    int64_t spin_ns = max_i64(0, min_i64(now_ns, w->due_ns) - from_ns);
    atomic_fetch_add_explicit(&w->hold->spin_ns, spin_ns, memory_order_relaxed);
}

bool hold_wait(struct hold *h, int64_t due_ns, hold_recalled *recalled, const void *arg)
{
    const struct wait wait = {h, due_ns, recalled, arg};
    struct place *place = own_place(h);
    /* Increment before calling recalled(): hold_recall() is called after the answer has changed and
     * then reads `holders`, so at least one side sees the other. */
    atomic_fetch_add(&place->holders, 1);
    sleep_on(&wait, &place->recalled);
    spin_on(&wait);
    atomic_fetch_sub(&place->holders, 1);
    return !recalled(arg, due_ns);
}

void hold_recall(struct hold *h)
{
    for (unsigned i = 0; i < PLACES; i++)
        for (int n = atomic_load(&h->place[i].holders); n > 0; n--)
            sem_post(&h->place[i].recalled);
}

int64_t hold_spin_ns(const struct hold *h)
{
    return atomic_load(&h->spin_ns);
}
