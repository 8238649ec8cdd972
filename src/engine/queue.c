/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/queue.h"

#include <ck_ring.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/util.h"
#include "engine/hold.h"

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

/* What takers find out before they take: nothing more is put, nothing more is taken, what arrives
 * after end_ns is revoked. */
enum { SEALED = 1, CLOSED = 2, CUT = 4 };

struct queue {
    uint32_t size;
    struct request *buffer;
    struct hold *hold;
    atomic_int_least64_t end_ns; /* of the arrivals; INT64_MAX: not known yet */
    pthread_mutex_t lock;        /* guards what was given back */
    struct request *given_back;
    size_t given_back_count;
    _Alignas(CACHE_ALIGN) ck_ring_t ring;
    _Alignas(CACHE_ALIGN) atomic_int sleepers;
    atomic_int granted;
    sem_t permits;
    atomic_uint state;
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
    *q = (struct queue){
        .size = size, .end_ns = INT64_MAX, .expected_ns = INT64_MAX, .generator_cpu = -1};
    q->buffer = xcalloc(ring_slots(size), sizeof(*q->buffer));
    ck_ring_init(&q->ring, ring_slots(size));
    sem_init(&q->permits, 0, 0);
    pthread_mutex_init(&q->lock, NULL);
    q->hold = hold_create();
    return q;
}

void queue_destroy(struct queue *q)
{
    if (q == NULL)
        return;
    hold_destroy(q->hold);
    pthread_mutex_destroy(&q->lock);
    sem_destroy(&q->permits);
    free(q->given_back);
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

uint32_t queue_room(const struct queue *q)
{
    return q->size - min_u32(q->size, queue_length(q));
}

uint32_t queue_put(struct queue *q, const struct request *requests, uint32_t count)
{
    uint32_t n = min_u32(count, queue_room(q));
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
    return atomic_load(&q->standby_ns) + hold_spin_ns(q->hold);
}

void queue_allow_early(struct queue *q, bool allowed)
{
    hold_allow_early(q->hold, allowed);
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
    return queue_length(q) > 0 || (atomic_load(&q->state) & (SEALED | CLOSED)) != 0;
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

void queue_give_back(struct queue *q, const struct request *request)
{
    pthread_mutex_lock(&q->lock);
    q->given_back = xrealloc(q->given_back, (q->given_back_count + 1) * sizeof(*q->given_back));
    q->given_back[q->given_back_count++] = *request;
    pthread_mutex_unlock(&q->lock);
}

/* Whether it arrives after a cut. Once CUT is seen the end is known in a moment. */
static bool is_revoked(const struct queue *q, unsigned state, int64_t arrival_ns)
{
    if (LIKELY((state & CUT) == 0))
        return false;
    int64_t end_ns;
    while ((end_ns = atomic_load(&q->end_ns)) == INT64_MAX)
        sched_yield();
    return arrival_ns > end_ns;
}

static bool is_recalled(const void *arg, int64_t due_ns)
{
    const struct queue *q = arg;
    unsigned state = atomic_load(&q->state);
    return (state & CLOSED) != 0 || is_revoked(q, state, due_ns);
}

/* Marks, for who wants to know, when the request could be taken. What has been judged meanwhile is
 * left as it is. */
static void mark(const struct request *request, int64_t from, int64_t to)
{
    if (request->ready_ns != NULL)
        atomic_compare_exchange_strong(request->ready_ns, &from, to);
}

/* Waits until a request that was taken is due. False: it is not to be begun. */
static bool hold(struct queue *q, const struct request *request)
{
    if (request->arrival_ns <= clock_now_ns() && !is_recalled(q, request->arrival_ns))
        return true;
    mark(request, request->arrival_ns, -request->arrival_ns);
    keep_off_generator(q);
    bool due = hold_wait(q->hold, request->arrival_ns, is_recalled, q);
    mark(request, -request->arrival_ns, clock_now_ns());
    if (!due && !is_revoked(q, atomic_load(&q->state), request->arrival_ns))
        queue_give_back(q, request);
    return due;
}

/* The way of a taker that does not find a request at once which is due. */
static bool take_slowly(struct queue *q, struct request *request)
{
    int64_t within_ns = STANDBY_BUSY_NS;
    for (;;) {
        /* Read before the ring is: nothing is put after the seal. */
        unsigned state = atomic_load_explicit(&q->state, memory_order_acquire);
        if ((state & CLOSED) != 0)
            return false;
        if (ring_take(q, request)) {
            if (!is_revoked(q, state, request->arrival_ns) && hold(q, request))
                return true;
            continue;
        }
        if ((state & SEALED) != 0)
            return false;
        if (!stand_by(q, within_ns))
            sleep_until_woken(q);
        within_ns = STANDBY_WOKEN_NS;
    }
}

bool queue_take(struct queue *q, int64_t now_ns, struct request *request, bool *slept)
{
    /* What is due by `now_ns` cannot be revoked by a cut that comes after the state was read. */
    unsigned state = atomic_load_explicit(&q->state, memory_order_acquire);
    bool taken = (state & (CLOSED | CUT)) == 0 && ring_take(q, request);
    *slept = !taken || request->arrival_ns > now_ns;
    if (LIKELY(!*slept))
        return true;
    return (taken && hold(q, request)) || take_slowly(q, request);
}

int64_t queue_cut(struct queue *q)
{
    /* A taker whose request arrives after the end reads the state later than that, and sees this.
     */
    atomic_fetch_or(&q->state, CUT);
    /* The clock is no memory: without this it might be read before others see the state. */
    ck_pr_fence_memory();
    int64_t end_ns = clock_now_ns();
    atomic_store(&q->end_ns, end_ns);
    hold_recall(q->hold);
    return end_ns;
}

void queue_seal(struct queue *q)
{
    atomic_fetch_or(&q->state, SEALED);
    wake_all(q);
}

void queue_close(struct queue *q)
{
    atomic_fetch_or(&q->state, CLOSED);
    hold_recall(q->hold);
    wake_all(q);
}

static bool remove_given_back(struct queue *q, struct request *request)
{
    pthread_mutex_lock(&q->lock);
    bool any = q->given_back_count > 0;
    if (any)
        *request = q->given_back[--q->given_back_count];
    pthread_mutex_unlock(&q->lock);
    return any;
}

bool queue_remove(struct queue *q, struct request *request)
{
    if (remove_given_back(q, request))
        return true;
    while (ring_take(q, request))
        if (!is_revoked(q, atomic_load(&q->state), request->arrival_ns))
            return true;
    return false;
}
