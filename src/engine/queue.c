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
 * a permit of the semaphore. The thread that wakes it moves it from `sleepers` to `granted` and
 * posts one permit; the taker removes itself from `granted` and looks at the ring again. Permits
 * are not assigned to particular takers, and at any time
 *
 *     number of waiting takers = sleepers + granted.
 *
 * No lost wake-up: queue_put() appends to the ring and then reads the two counts; a taker changes a
 * count and then reads the ring. Both have a full fence in between. So at least one of them sees
 * the change of the other.
 *
 * No herd: queue_put() wakes takers only while granted < requests in the ring. Each granted taker
 * will look at the ring, so no request remains in the ring while a taker sleeps.
 *
 * Standing by. Waking a thread takes the generator 5 to 10 µs, in which further arrivals become
 * due, and takes the woken thread 20 to 60 µs. So a generator that spins announces its next put
 * (queue_expect()) and wakes a taker shortly before it (queue_alert()). One taker at a time polls
 * the ring until the request is there; it counts as granted. A taker that has just finished a
 * request stands by only if there is no time to wake another one. Otherwise takers that have slept
 * longest would never get a request.
 *
 * The generator's processor. Linux may put a woken thread onto the processor of the thread that
 * wakes it, even if that thread spins and another processor is idle (seen on virtual machines with
 * two processors). The two threads would then alternate in time slices of milliseconds. So each
 * taker avoids that processor as long as the generator spins on it, from its first request on.
 */

/* A taker that has just finished a request stands by if a put is expected within this time. */
#define STANDBY_BUSY_NS (200 * NS_PER_US)
/* A taker that was woken stands by if a put is expected within this time. */
#define STANDBY_WOKEN_NS (300 * NS_PER_US)
/* Takers stop standing by if the expected put is this late. */
#define STANDBY_AFTER_NS (100 * NS_PER_US)

/* State that takers check before they take a request. SEALED: no more puts. CLOSED: no more takes.
 * CUT: requests that arrive after end_ns are revoked. */
enum { SEALED = 1, CLOSED = 2, CUT = 4 };

struct queue {
    uint32_t size;
    struct request *buffer;
    struct hold *hold;
    atomic_int_least64_t end_ns; /* end of the arrivals; INT64_MAX if not known yet */
    pthread_mutex_t lock;        /* guards the requests that were given back */
    struct request *given_back;
    size_t given_back_count;
    _Alignas(CACHE_ALIGN) ck_ring_t ring;
    _Alignas(CACHE_ALIGN) atomic_int sleepers;
    atomic_int granted;
    sem_t permits;
    atomic_uint state;
    _Alignas(CACHE_ALIGN)
        atomic_int_least64_t expected_ns; /* time of the next put; INT64_MAX if unknown or far */
    atomic_int generator_cpu;
    atomic_bool standby;             /* a taker is standing by */
    atomic_int_least64_t standby_ns; /* CPU time spent standing by */
};

#if defined(__SANITIZE_THREAD__)
/* The ring synchronises with inline assembly, which the thread sanitizer cannot see. */
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#define RING_PUBLISHED(ring) __tsan_release(ring)
#define RING_CONSUMED(ring) __tsan_acquire(ring)
#else
#define RING_PUBLISHED(ring) ((void)0)
#define RING_CONSUMED(ring) ((void)0)
#endif

/* Returns the smallest power of two above `size`: a ring of n slots holds n − 1 entries. */
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

/* Decrements `sleepers`. Returns false if no taker sleeps. */
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
    /* The length is read again each time, because requests that active takers have taken in the
     * meantime need no wake-up. */
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

/* Leaves `granted`: the permit of this taker was posted or is about to be posted. */
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
 * If a put is expected within `within_ns`, polls the ring until there is a reason to look, and
 * yields to every other thread in between. Returns false if the taker did not stand by.
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

/* Sleeps until there is a reason to look at the ring again. */
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

/* Returns true if the request arrives after a cut. queue_cut() sets CUT first and end_ns very soon
 * after it, so the loop is short. */
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

/* Records for the ledger when the request became takeable. If the ledger has settled the entry, the
 * compare-and-swap fails and nothing changes. */
static void mark(const struct request *request, int64_t from, int64_t to)
{
    if (request->ready_ns != NULL)
        atomic_compare_exchange_strong(request->ready_ns, &from, to);
}

/* Waits until a request that was taken is due. Returns false if the request must not be started. */
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

/* Slow path of queue_take(): no due request was available immediately. */
static bool take_slowly(struct queue *q, struct request *request)
{
    int64_t within_ns = STANDBY_BUSY_NS;
    for (;;) {
        /* Read the state before the ring: nothing is put after the seal. */
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
    /* A request that is due by `now_ns` cannot be revoked by a cut that comes after the state was
     * read. */
    unsigned state = atomic_load_explicit(&q->state, memory_order_acquire);
    bool taken = (state & (CLOSED | CUT)) == 0 && ring_take(q, request);
    *slept = !taken || request->arrival_ns > now_ns;
    if (LIKELY(!*slept))
        return true;
    return (taken && hold(q, request)) || take_slowly(q, request);
}

int64_t queue_cut(struct queue *q)
{
    /* A taker whose request arrives after end_ns reads the state after that arrival, so it sees
     * CUT. */
    atomic_fetch_or(&q->state, CUT);
    /* Reading the clock is no memory access: without the fence, it might happen before other
     * threads see the new state. */
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
