/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/connections/idle_pool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/port.h"
#include "base/thread.h"

#define FIRST_PAUSE_NS (10 * NS_PER_MS)
#define LONGEST_PAUSE_NS NS_PER_SEC
/* If all connections are open, the thread looks for a free seat after this time, or when it has
 * lost a connection. */
#define FULL_PAUSE_NS NS_PER_SEC
/* Most threads in which a storm opens connections at the same time. */
#define STORM_THREADS 256
#define STORM_STACK_BYTES (256 * 1024)
/* Descriptors of the pool itself, and for files that a client library opens for a moment. */
#define OTHER_FILES 16
#define EVENTS 64
/* From this number of connections on, memory matters more than the time to allocate it. MariaDB's
 * library has a buffer of 16 KiB for each connection, most of which an idle connection never
 * writes. */
#define MANY 1000
#define BUFFER_BYTES 12000

struct idle_pool {
    const struct settings *settings;
    const struct idle_source *source;
    void *server;
    struct stats *stats;
    int64_t measure_ns;
    int epoll_fd, stop_fd;
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* guards everything below */
    void **seats;         /* connection of each seat; NULL if it is not open */
    uint32_t *visit;      /* number of the connections that this seat has had */
    bool *taken;          /* a thread is about to open a connection for this seat */
    unsigned next_seat;   /* where to look for a seat without connection */
    bool stopping;
    struct idle_counts counts;
};

/* Preparation. */

static int refuse(const struct idle_source *source, const void *server)
{
    if (source == NULL) {
        log_text(LOG_FATAL, "--idle-connections: this test has no database");
        return -1;
    }
    const char *objection = source->objection(server);
    if (objection != NULL)
        log_text(LOG_FATAL, "--idle-connections: %s", objection);
    return objection != NULL ? -1 : 0;
}

static int open_descriptors(struct idle_pool *pool)
{
    const struct settings *s = pool->settings;
    if (limits_reserve_files(s->idle_connections + s->threads + OTHER_FILES) != 0)
        return -1;
    pool->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    pool->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    if (pool->epoll_fd >= 0 && pool->stop_fd >= 0 &&
        epoll_ctl(pool->epoll_fd, EPOLL_CTL_ADD, pool->stop_fd, &event) == 0)
        return 0;
    log_errno(LOG_FATAL, "--idle-connections: cannot create an event descriptor");
    return -1;
}

int idle_pool_create(struct idle_pool **pool, const struct settings *settings,
                     const struct workload *workload, struct stats *stats)
{
    *pool = NULL;
    if (settings->idle_connections == 0)
        return 0;
    if (refuse(workload->ops->idle, workload->server) != 0)
        return -1;
    if (settings->idle_connections >= MANY)
        port_map_blocks(BUFFER_BYTES);
    struct idle_pool *new = xcalloc(1, sizeof(*new));
    *new = (struct idle_pool){.settings = settings,
                              .source = workload->ops->idle,
                              .server = workload->server,
                              .stats = stats,
                              .epoll_fd = -1,
                              .stop_fd = -1};
    new->seats = xcalloc((size_t)settings->idle_connections, sizeof(*new->seats));
    new->visit = xcalloc((size_t)settings->idle_connections, sizeof(*new->visit));
    new->taken = xcalloc((size_t)settings->idle_connections, sizeof(*new->taken));
    new->counts.wanted = (uint64_t)settings->idle_connections;
    pthread_mutex_init(&new->lock, NULL);
    *pool = new;
    return open_descriptors(new);
}

void idle_pool_destroy(struct idle_pool *pool)
{
    if (pool == NULL)
        return;
    idle_pool_stop(pool);
    if (pool->epoll_fd >= 0)
        close(pool->epoll_fd);
    if (pool->stop_fd >= 0)
        close(pool->stop_fd);
    pthread_mutex_destroy(&pool->lock);
    free(pool->seats);
    free(pool->visit);
    free(pool->taken);
    free(pool);
}

/* Opening and closing. */

static void count_open(struct idle_pool *pool)
{
    pool->counts.open++;
    if (pool->counts.open > pool->counts.most)
        pool->counts.most = pool->counts.open;
}

/* Adds an open connection to its seat. The descriptor is watched for the end of the connection
 * only: some servers send data that nobody has asked for. */
static void sit_down(struct idle_pool *pool, unsigned seat, void *con)
{
    const uint64_t visit = ++pool->visit[seat];
    struct epoll_event event = {.events = EPOLLRDHUP, .data.u64 = visit << 32 | seat};
    pool->seats[seat] = con;
    pool->counts.opened++;
    count_open(pool);
    epoll_ctl(pool->epoll_fd, EPOLL_CTL_ADD, pool->source->descriptor(con), &event);
}

/* Takes the connection out of its seat. The caller closes it. */
static void *stand_up(struct idle_pool *pool, unsigned seat)
{
    void *con = pool->seats[seat];
    epoll_ctl(pool->epoll_fd, EPOLL_CTL_DEL, pool->source->descriptor(con), NULL);
    pool->seats[seat] = NULL;
    pool->counts.open--;
    return con;
}

static void note_refusal(struct idle_pool *pool, const char *failure)
{
    pool->counts.refused++;
    snprintf(pool->counts.failure, sizeof(pool->counts.failure), "%s", failure);
}

/* Opens a connection for a seat that the caller has taken. Returns false if it was refused. */
static bool open_one(struct idle_pool *pool, unsigned seat)
{
    char failure[IDLE_FAILURE_BYTES] = "";
    const int64_t from_ns = clock_now_ns();
    void *con = pool->source->open(pool->server, seat, failure, sizeof(failure));
    const int64_t to_ns = clock_now_ns();
    stats_record_connect(pool->stats, to_ns < pool->measure_ns ? PHASE_WARMUP : PHASE_MEASURED,
                         from_ns, con != NULL ? to_ns - from_ns : -1);
    pthread_mutex_lock(&pool->lock);
    if (con != NULL)
        sit_down(pool, seat, con);
    else
        note_refusal(pool, failure);
    pool->taken[seat] = false;
    pthread_mutex_unlock(&pool->lock);
    return con != NULL;
}

/* Takes a seat that has no connection. Returns false if there is none. */
static bool take_seat(struct idle_pool *pool, unsigned *seat)
{
    const unsigned count = (unsigned)pool->counts.wanted;
    bool found = false;
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < count && !found && pool->counts.open < count; i++) {
        *seat = pool->next_seat;
        pool->next_seat = (pool->next_seat + 1) % count;
        found = pool->seats[*seat] == NULL && !pool->taken[*seat];
    }
    if (found)
        pool->taken[*seat] = true;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

/* The connection of a seat has ended, unless a storm has replaced it: then the seat has had further
 * visits. */
static void lose(struct idle_pool *pool, unsigned seat, uint32_t visit)
{
    pthread_mutex_lock(&pool->lock);
    const bool same = pool->seats[seat] != NULL && pool->visit[seat] == visit;
    void *con = same ? stand_up(pool, seat) : NULL;
    pool->counts.closed += con != NULL;
    pthread_mutex_unlock(&pool->lock);
    if (con != NULL)
        pool->source->close(con);
}

/* The thread. */

/* When the thread opens and touches next. */
struct schedule {
    int64_t open_ns, touch_ns; /* INT64_MAX: never */
    int64_t pause_ns;          /* pause after the next refusal */
    unsigned touch_seat;
};

static int64_t gap_ns(const struct idle_pool *pool)
{
    return (int64_t)(NS_PER_SEC / pool->settings->connect_rate);
}

static void open_due(struct idle_pool *pool, struct schedule *s, int64_t now_ns)
{
    unsigned seat;
    if (now_ns < s->open_ns)
        return;
    /* The schedule does not catch up by more than a tenth of a second after a slow connect. */
    s->open_ns = max_i64(s->open_ns + gap_ns(pool), now_ns - NS_PER_SEC / 10);
    if (!take_seat(pool, &seat)) {
        s->open_ns = now_ns + FULL_PAUSE_NS;
    } else if (open_one(pool, seat)) {
        s->pause_ns = FIRST_PAUSE_NS;
    } else {
        s->open_ns = clock_now_ns() + s->pause_ns;
        s->pause_ns = min_i64(2 * s->pause_ns, LONGEST_PAUSE_NS);
    }
}

/* Takes the connection of the seat out of reach of storms while the statement executes. */
static void touch(struct idle_pool *pool, unsigned seat)
{
    pthread_mutex_lock(&pool->lock);
    void *con = pool->seats[seat];
    if (con != NULL) {
        pool->seats[seat] = NULL;
        pool->taken[seat] = true;
    }
    pthread_mutex_unlock(&pool->lock);
    if (con == NULL)
        return;
    const bool good = pool->source->touch(pool->server, con);
    pthread_mutex_lock(&pool->lock);
    pool->seats[seat] = con;
    pool->taken[seat] = false;
    pool->counts.touched += good;
    pthread_mutex_unlock(&pool->lock);
    if (!good)
        lose(pool, seat, pool->visit[seat]);
}

static void touch_due(struct idle_pool *pool, struct schedule *s, int64_t now_ns)
{
    if (now_ns < s->touch_ns)
        return;
    s->touch_ns += max_i64(1, pool->settings->idle_touch_ns / (int64_t)pool->counts.wanted);
    s->touch_ns = max_i64(s->touch_ns, now_ns - NS_PER_SEC);
    touch(pool, s->touch_seat);
    s->touch_seat = (s->touch_seat + 1) % (unsigned)pool->counts.wanted;
}

/* Waits until something is due or a connection has ended. Returns false at the end of the run. */
static bool watch(struct idle_pool *pool, struct schedule *s)
{
    struct epoll_event events[EVENTS];
    const int64_t left_ns = max_i64(0, min_i64(s->open_ns, s->touch_ns) - clock_now_ns());
    const int ms = (int)min_i64((left_ns + NS_PER_MS - 1) / NS_PER_MS, 1000);
    const int count = epoll_wait(pool->epoll_fd, events, EVENTS, ms);
    for (int i = 0; i < count; i++)
        if (events[i].data.u64 == UINT64_MAX)
            return false;
    for (int i = 0; i < count; i++)
        lose(pool, (unsigned)(events[i].data.u64 & UINT32_MAX),
             (uint32_t)(events[i].data.u64 >> 32));
    if (count > 0)
        s->open_ns = min_i64(s->open_ns, clock_now_ns() + s->pause_ns);
    return count >= 0 || errno == EINTR;
}

static void *keep_open(void *arg)
{
    struct idle_pool *pool = arg;
    const int64_t now_ns = clock_now_ns(), every_ns = pool->settings->idle_touch_ns;
    struct schedule s = {.open_ns = now_ns,
                         .touch_ns = every_ns > 0 ? now_ns + every_ns : INT64_MAX,
                         .pause_ns = FIRST_PAUSE_NS};
    while (watch(pool, &s)) {
        open_due(pool, &s, clock_now_ns());
        touch_due(pool, &s, clock_now_ns());
    }
    return NULL;
}

int idle_pool_start(struct idle_pool *pool, int64_t measure_ns)
{
    if (pool == NULL)
        return 0;
    pool->measure_ns = measure_ns;
    const int error = thread_start_quiet(&pool->thread, keep_open, pool);
    pool->started = error == 0;
    if (error != 0)
        log_text(LOG_FATAL, "--idle-connections: cannot start a thread: %s", strerror(error));
    return error == 0 ? 0 : -1;
}

void idle_pool_stop(struct idle_pool *pool)
{
    if (pool == NULL || !pool->started)
        return;
    pool->started = false;
    eventfd_write(pool->stop_fd, 1);
    pthread_join(pool->thread, NULL);
    const struct idle_counts counts = idle_pool_counts(pool);
    for (unsigned seat = 0; seat < counts.wanted; seat++)
        if (pool->seats[seat] != NULL)
            pool->source->close(stand_up(pool, seat));
    pool->counts = counts;
}

struct idle_counts idle_pool_counts(struct idle_pool *pool)
{
    struct idle_counts counts = {0};
    if (pool == NULL)
        return counts;
    pthread_mutex_lock(&pool->lock);
    counts = pool->counts;
    pthread_mutex_unlock(&pool->lock);
    return counts;
}

/* Storms. */

struct storm {
    struct idle_pool *pool;
    const atomic_bool *stopping;
    unsigned *seats; /* whose connections were closed */
    unsigned count;
    atomic_uint next; /* index of the next seat to open */
    atomic_uint opened, refused;
};

/* Takes up to `count` open connections. Their seats are taken until they are open again. */
static void **take_many(struct storm *storm, uint64_t count)
{
    struct idle_pool *pool = storm->pool;
    void **cons = xcalloc(count, sizeof(*cons));
    storm->seats = xcalloc(count, sizeof(*storm->seats));
    pthread_mutex_lock(&pool->lock);
    for (unsigned seat = 0; seat < pool->counts.wanted && storm->count < count; seat++) {
        if (pool->seats[seat] == NULL)
            continue;
        storm->seats[storm->count] = seat;
        cons[storm->count++] = stand_up(pool, seat);
        pool->taken[seat] = true;
    }
    pthread_mutex_unlock(&pool->lock);
    return cons;
}

static void leave_seat(struct idle_pool *pool, unsigned seat)
{
    pthread_mutex_lock(&pool->lock);
    pool->taken[seat] = false;
    pthread_mutex_unlock(&pool->lock);
}

static void *open_again(void *arg)
{
    struct storm *s = arg;
    unsigned i;
    while ((i = atomic_fetch_add(&s->next, 1)) < s->count)
        if (atomic_load(s->stopping))
            leave_seat(s->pool, s->seats[i]);
        else
            atomic_fetch_add(open_one(s->pool, s->seats[i]) ? &s->opened : &s->refused, 1);
    return NULL;
}

static void open_in_threads(struct storm *s)
{
    pthread_t threads[STORM_THREADS];
    pthread_attr_t attributes;
    unsigned started = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STORM_STACK_BYTES);
    while (started < STORM_THREADS && started < s->count &&
           pthread_create(&threads[started], &attributes, open_again, s) == 0)
        started++;
    open_again(s);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

struct idle_storm idle_pool_storm(struct idle_pool *pool, uint64_t count,
                                  const atomic_bool *stopping)
{
    struct storm s = {.pool = pool, .stopping = stopping};
    void **cons = take_many(&s, count);
    for (unsigned i = 0; i < s.count; i++)
        pool->source->close(cons[i]);
    open_in_threads(&s);
    free(cons);
    free(s.seats);
    return (struct idle_storm){s.count, atomic_load(&s.opened), atomic_load(&s.refused)};
}
