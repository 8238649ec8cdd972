/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides the service time of requests among labels, separately for each range of response times.
 *
 * A sampler looks at the sessions of the workers from time to time. Each sample gives a session a
 * label and a detail of this label, and has a weight: the time in nanoseconds that the sample
 * stands for. waits_sample() joins the sample with the request that the session's worker served at
 * that moment. When the request ends, its samples are added to a matrix of label × bucket of
 * response times. So the shares of the labels above any percentile can be computed when the run has
 * ended.
 *
 * The time before the service is not sampled but divided exactly: `late` is the time until a worker
 * could have taken the request, for which the client is the cause, and `queued` is the time until a
 * worker was free.
 *
 * Each worker has a slot with a lock of its own, which the worker takes once at the end of each
 * request. The sampler takes the lock of a worker when it joins a sample.
 */
#ifndef WAITS_H
#define WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/histogram.h"
#include "stats/slow/wait_pending.h"

/* Every power of two is split into 16 buckets, which are 3 to 6 % wide. */
#define WAIT_SUB_BITS 4
#define WAIT_BUCKETS (HISTOGRAM_BUCKETS >> (HISTOGRAM_SUB_BITS - WAIT_SUB_BITS))

/* Largest number of sessions of a worker that are known at the same time. Further sessions are not
 * sampled. */
#define WAIT_SESSIONS 4

static inline unsigned waits_bucket(int64_t ns)
{
    return histogram_index(ns) >> (HISTOGRAM_SUB_BITS - WAIT_SUB_BITS);
}
/* Returns the smallest time of a bucket in nanoseconds. */
int64_t waits_bucket_lower_ns(unsigned bucket);

/* Requests of one bucket of response times. Weights of samples are in nanoseconds. */
struct wait_bucket {
    uint64_t requests;
    /* Sums, exact up to rounding. `locked_ns` is the part of the service that the driver has
     * measured itself (waits_locked()). */
    double late_ns, queued_ns, service_ns, locked_ns;
    uint64_t sampled;       /* requests with samples */
    uint64_t samples, near; /* samples, and those that are near an edge */
    /* Sums over the requests with samples: of the weights of a request, and of the squares of
     * these. */
    double weight, squares;
};

/* Samples of one label in requests of one bucket. The sums are over the requests with samples; w is
 * the weight of the label in a request. */
struct wait_cell {
    uint64_t samples;
    double weight;   /* of w */
    double squares;  /* of w² */
    double products; /* of w · (weight of all labels in the request) */
};

struct wait_totals {
    struct wait_bucket bucket[WAIT_BUCKETS];
    struct wait_cell cell[WAIT_BUCKETS][WAIT_LABELS];
    double detail[WAIT_BUCKETS][WAIT_DETAILS]; /* sums of the weights of each detail */
    double heaviest_ns;                        /* largest weight of a sample */
    uint64_t taken;     /* samples of sessions whose worker served a request */
    uint64_t unmatched; /* samples whose request is not known any longer */
};

/* A session of a worker. `host` is the number of the server. */
struct wait_key {
    uint64_t session;
    unsigned host;
};

/* A request that has ended, or was in service when the run ended. */
struct wait_request {
    int64_t arrival_ns, start_ns, end_ns;
    int64_t connection_wait_ns; /* waits for a connection of the pool since the start */
    int64_t before_ns;          /* end of the worker's previous request; 0 for its first one */
    bool measured;              /* false in the warm-up */
    enum exemplar_outcome outcome;
    int type; /* number of the type of the request, or −1 without types */
};

/* Reads the request in service of a worker. Returns false if the worker serves no request. */
typedef bool waits_serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns);

struct waits;

/* Creates a slot for each of the threads: the workers, and after them the executors of deferred
 * work, whose sessions are known but not sampled. */
struct waits *waits_create(unsigned threads);
void waits_destroy(struct waits *waits);
/* Sets the function that reads requests in service. Call it before the first sample. */
void waits_set_serving(struct waits *waits, waits_serving *serving, void *arg);

/* Looks for slow requests. Called by a worker whose request has ended at `now_ns`, before the
 * request is cleared. Several workers may call it at the same time. It must not block. */
typedef void waits_look(void *arg, unsigned worker, int64_t now_ns);

/*
 * waits_set_look() sets a function that is called after each request that ends at `from_ns` of
 * waits_look_from() or later. INT64_MAX means never, which holds at first. Call waits_set_look()
 * before waits_look_from(), which any thread may call.
 */
void waits_set_look(struct waits *waits, waits_look *look, void *arg);
void waits_look_from(struct waits *waits, int64_t from_ns);

/* Requests that have ended are offered to `exemplars` (slow/exemplars.h), with their samples. Call
 * it before the first request. */
void waits_set_exemplars(struct waits *waits, struct exemplars *exemplars);

/* Returns the number of slots. */
unsigned waits_slots(const struct waits *waits);

/*
 * waits_join() adds a session to those of a worker or an executor, waits_leave() removes the
 * session. Any thread may call these functions. `owner` identifies the connection, which has one
 * session at a time. A worker can have WAIT_SESSIONS sessions here; waits_note_unlisted() notes
 * that it has others, which are not sampled. waits_join() does so if there is no room.
 */
void waits_join(struct waits *waits, unsigned worker, const void *owner, struct wait_key key);
void waits_leave(struct waits *waits, unsigned worker, const void *owner);
void waits_note_unlisted(struct waits *waits, unsigned worker);
/* Returns true if the worker has had sessions that are not sampled. */
bool waits_has_unlisted(struct waits *waits, unsigned worker);
/* Copies the sessions of a worker to `key`. Returns their number; *others is set to true if the
 * worker has sessions on other hosts than `host`. */
unsigned waits_sessions(struct waits *waits, unsigned worker, unsigned host,
                        struct wait_key key[WAIT_SESSIONS], bool *others);

/* Adds time for which the worker waited for the lock of the database file, as measured by the
 * driver (WAIT_LOCKED_EVENT), to the request that it serves. Does nothing if it serves none. Called
 * by the worker. */
void waits_locked(struct waits *waits, unsigned worker, int64_t ns);

/* Records the end of a request. Called by the worker. */
void waits_end(struct waits *waits, unsigned worker, const struct wait_request *request);
/* For the end of the run: records a request that is still in service. Later ends of this worker,
 * which may have been given up, are ignored. */
void waits_end_last(struct waits *waits, unsigned worker, const struct wait_request *request);
/* Records requests that were never started, `age_ns` after their arrival. */
void waits_never_started(struct waits *waits, int64_t age_ns, uint64_t count);

/* Notes that requests which arrived from `first_ns` to `last_ns` could be taken only at `ready_ns`.
 * Called by the generator. */
void waits_note_late(struct waits *waits, int64_t first_ns, int64_t last_ns, int64_t ready_ns);

/* Joins a sample with the request that the worker served at that moment. Does nothing if the worker
 * served no request. Called by the sampler. */
void waits_sample(struct waits *waits, unsigned worker, const struct wait_sample *sample);
/*
 * Add up all samples that were joined until now, or those of a span of time, whether their requests
 * have ended or not. Those of the warm-up are included.
 */
void waits_sums(struct waits *waits, struct wait_sums *sums);
void waits_sums_between(struct waits *waits, int64_t from_ns, int64_t to_ns,
                        struct wait_sums *sums);
/* Returns the start of the service of the request that is in service for the longest time, or
 * `now_ns` if no worker serves a request. The worker `except` is left out; UINT_MAX for none. */
int64_t waits_oldest_start_ns(const struct waits *waits, unsigned except, int64_t now_ns);
/* Returns a percentile (in millionths of a percent) of the service times, rounded up to the
 * end of a bucket; INT64_MAX if there are fewer than `least` of them. */
int64_t waits_service_percentile(struct waits *waits, int64_t percentile, uint64_t least);

/* Adds everything to *totals, which the caller has zeroed. Workers that were given up may
 * still record requests; these may be missing. */
void waits_total(struct waits *waits, struct wait_totals *totals);

#endif
