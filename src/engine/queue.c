/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/queue.h"

#include <ck_ring.h>
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/util.h"

CK_RING_PROTOTYPE(request, request)

/*
 * Sleeping and waking. A taker that finds the ring empty registers in `sleepers` and then waits for
 * a permit of the semaphore. Whoever wakes it moves it from `sleepers` to `granted` and posts one
 * permit; the taker takes itself out of `granted` and looks at the ring again. Permits belong to
 * nobody in particular, and at any time
 *
 *     takers that wait = sleepers + granted.
 *
 * No lost wake-up: put() appends and then reads the two counts, a taker changes a count and then
 * reads the ring, with a full fence between in both. So at least one of them sees what the other
 * did.
 *
 * No herd: put() grants only until granted ≥ requests in the ring. Each granted taker will look, so
 * no request is left lying while a taker sleeps.
 *
 * Standing by. Waking a thread takes the generator 5 to 10 µs, in which further arrivals become
 * due, and the thread 20 to 60 µs. So where the generator spins anyway, it says when it will put
 * next (queue_expect) and wakes a taker shortly before (queue_alert). One taker at a time looks at
 * the ring until the request is there; it counts as granted. A taker that has just finished stands
 * by only if there is no time to wake another: else those that have slept longest would never get
 * a request.
 *
 * The generator's processor. Linux may put a thread that is woken onto the processor of the thread
 * that wakes it, even though that one spins and another is idle (seen on virtual machines with two
 * processors). The two would take turns of milliseconds. So a taker avoids that processor as long
 * as the generator spins on it, from its first request on.
 */

/* How long before the expected put a taker stands by that has just finished, */
#define STANDBY_BUSY_NS (200 * NS_PER_US)
/* and one that was woken, */
#define STANDBY_WOKEN_NS (300 * NS_PER_US)
/* and how long after it both still believe in it. */
#define STANDBY_AFTER_NS (100 * NS_PER_US)

struct queue {
    uint32_t size;
    struct request *buffer;
    _Alignas(CACHE_ALIGN) ck_ring_t ring;
    _Alignas(CACHE_ALIGN) atomic_int sleepers;
    atomic_int granted;
    sem_t permits;
    atomic_bool sealed; /* no further put */
    atomic_bool closed; /* nothing more is taken */
    _Alignas(CACHE_ALIGN)
        atomic_int_least64_t expected_ns; /* the next put; INT64_MAX: unknown or far */
    atomic_int generator_cpu;
    atomic_bool standby;             /* a taker stands by */
    atomic_int_least64_t standby_ns; /* CPU time that went into it */
};

#if defined(__SANITIZE_THREAD__)
/* The ring synchronises with inline assembly, which the sanitizer cannot see. */
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#define RING_PUBLISHED(ring) __tsan_release(ring)
#define RING_CONSUMED(ring) __tsan_acquire(ring)
#else
#define RING_PUBLISHED(ring) ((void)0)
#define RING_CONSUMED(ring) ((void)0)
#endif

/* The smallest power of two above `size`: a ring of n slots holds n − 1 entries. */
static unsigned ring_slots(uint32_t size)
{
    unsigned slots = 4;
    while (slots <= size)
        slots *= 2;
    return slots;
}

struct queue *queue_create(uint32_t size)
{
    struct queue *q = checked_alloc(aligned_alloc(CACHE_ALIGN, sizeof(*q)));
    *q = (struct queue){.size = size, .expected_ns = INT64_MAX, .generator_cpu = -1};
    q->buffer = xcalloc(ring_slots(size), sizeof(*q->buffer));
    ck_ring_init(&q->ring, ring_slots(size));
    sem_init(&q->permits, 0, 0);
    return q;
}

void queue_destroy(struct queue *q)
{
    if (q == NULL)
        return;
    sem_destroy(&q->permits);
    free(q->buffer);
    free(q);
}

uint32_t queue_length(const struct queue *q)
{
    return ck_ring_size(&q->ring);
}

/* One fewer sleeper, if there is one. */
static bool claim_sleeper(struct queue *q)
{
    int n = atomic_load(&q->sleepers);
    while (n > 0)
        if (atomic_compare_exchange_weak(&q->sleepers, &n, n - 1))
            return true;
    return false;
}

static bool wake_one(struct queue *q)
{
    if (!claim_sleeper(q))
        return false;
    atomic_fetch_add(&q->granted, 1);
    sem_post(&q->permits);
    return true;
}

static void wake_for_requests(struct queue *q)
{
    ck_pr_fence_memory();
    /* The length is read anew each time: what active takers have taken meanwhile needs nobody. */
    while (atomic_load(&q->sleepers) > 0 && (int)queue_length(q) > atomic_load(&q->granted))
        if (!wake_one(q))
            return;
}

static void wake_all(struct queue *q)
{
    ck_pr_fence_memory();
    while (wake_one(q))
        ;
}

uint32_t queue_put(struct queue *q, const struct request *requests, uint32_t count)
{
    uint32_t room = q->size - min_u32(q->size, queue_length(q));
    uint32_t n = min_u32(count, room);
    RING_PUBLISHED(&q->ring);
    for (uint32_t i = 0; i < n; i++) {
        struct request copy = requests[i];
        ck_ring_enqueue_spmc_request(&q->ring, q->buffer, &copy);
    }
    if (n > 0)
        wake_for_requests(q);
    return n;
}

void queue_expect(struct queue *q, int64_t at_ns)
{
    int cpu = at_ns == INT64_MAX ? -1 : sched_getcpu();
    atomic_store_explicit(&q->generator_cpu, cpu, memory_order_relaxed);
    atomic_store_explicit(&q->expected_ns, at_ns, memory_order_relaxed);
}

void queue_alert(struct queue *q)
{
    if (atomic_load(&q->granted) == 0)
        wake_one(q);
}

bool queue_relies_on_standby(const struct queue *q)
{
    return atomic_load(&q->standby) && queue_length(q) > 0;
}

void queue_relieve_standby(struct queue *q)
{
    if (queue_relies_on_standby(q))
        wake_one(q);
}

int64_t queue_standby_ns(const struct queue *q)
{
    return atomic_load(&q->standby_ns);
}

static bool ring_take(struct queue *q, struct request *request)
{
    if (!ck_ring_dequeue_spmc_request(&q->ring, q->buffer, request))
        return false;
    RING_CONSUMED(&q->ring);
    return true;
}

/* Takes the permit that this taker was or is about to be given. */
static void use_permit(struct queue *q)
{
    atomic_fetch_sub(&q->granted, 1);
    ck_pr_fence_memory();
}

static bool has_reason_to_look(const struct queue *q)
{
    return queue_length(q) > 0 || atomic_load(&q->sealed) || atomic_load(&q->closed);
}

static bool is_expected(const struct queue *q, int64_t within_ns)
{
    int64_t expected_ns = atomic_load_explicit(&q->expected_ns, memory_order_relaxed);
    if (expected_ns == INT64_MAX)
        return false;
    int64_t until_ns = expected_ns - clock_now_ns();
    return until_ns <= within_ns && until_ns >= -STANDBY_AFTER_NS;
}

static void keep_off_generator(const struct queue *q)
{
    cpu_avoid(atomic_load_explicit(&q->generator_cpu, memory_order_relaxed));
}

static void watch(struct queue *q)
{
    int64_t from_ns = clock_thread_cpu_ns();
    while (!has_reason_to_look(q) && is_expected(q, STANDBY_WOKEN_NS)) {
        keep_off_generator(q);
        sched_yield();
    }
    atomic_fetch_add(&q->standby_ns, clock_thread_cpu_ns() - from_ns);
}

/*
 * Looks until there is reason to, if a request is expected within that time; gives way to every
 * other thread. False: not now.
 */
static bool stand_by(struct queue *q, int64_t within_ns)
{
    if (!is_expected(q, within_ns) || atomic_exchange(&q->standby, true))
        return false;
    atomic_fetch_add(&q->granted, 1);
    watch(q);
    use_permit(q);
    atomic_store(&q->standby, false);
    return true;
}

/* Sleeps until there is reason to look again. */
static void sleep_until_woken(struct queue *q)
{
    atomic_fetch_add(&q->sleepers, 1);
    ck_pr_fence_memory();
    if (has_reason_to_look(q) && claim_sleeper(q))
        return;
    while (sem_wait(&q->permits) != 0)
        ;
    use_permit(q);
    keep_off_generator(q);
}

bool queue_take(struct queue *q, struct request *request, bool *slept)
{
    int64_t within_ns = STANDBY_BUSY_NS;
    *slept = false;
    for (;;) {
        if (UNLIKELY(atomic_load_explicit(&q->closed, memory_order_acquire)))
            return false;
        /* Read before the ring is: nothing is put after the seal. */
        bool sealed = atomic_load_explicit(&q->sealed, memory_order_acquire);
        if (LIKELY(ring_take(q, request)))
            return true;
        if (sealed)
            return false;
        *slept = true;
        if (!stand_by(q, within_ns))
            sleep_until_woken(q);
        within_ns = STANDBY_WOKEN_NS;
    }
}

void queue_seal(struct queue *q)
{
    atomic_store(&q->sealed, true);
    wake_all(q);
}

void queue_close(struct queue *q)
{
    atomic_store(&q->closed, true);
    wake_all(q);
}

bool queue_remove(struct queue *q, struct request *request)
{
    return ring_take(q, request);
}
