/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps single requests of a run with their details (--slowest): the slowest ones of the run, and a
 * few of each span of time, so that ordinary requests can be compared with them.
 *
 * A request has steps, such as statements: what it executed, when, and for how long. A worker
 * records the steps of the request that it serves. When the request ends, the request and its steps
 * are kept if the request belongs to the slowest ones of the run, if it is the slowest one of its
 * span, or if it is drawn. Each request draws a number between 0 and 1, and those with the
 * EXEMPLARS_DRAWN smallest numbers of a span are kept. So each request of a span is kept with the
 * same probability, and spans can be merged.
 *
 * Memory is bounded: 1.3 KiB per worker and 1.2 KiB per kept request, of which there are at most
 * `limit` + EXEMPLAR_SPANS · (1 + EXEMPLARS_DRAWN). If a run has more spans than EXEMPLAR_SPANS,
 * neighbours are merged, and spans become twice as long.
 *
 * All times are CLOCK_MONOTONIC in nanoseconds. The functions may be called by any thread, unless
 * stated otherwise. Recording a step takes no lock; keeping a request does.
 */
#ifndef EXEMPLARS_H
#define EXEMPLARS_H

#include <stdbool.h>
#include <stdint.h>

/* Number of steps that are kept for each request; oltp_read_write has 20. If there are more, the
 * shortest ones are left out. */
#define EXEMPLAR_STEPS 24
#define EXEMPLAR_STATE_BYTES 6 /* an SQLSTATE and the NUL */
/* Number of different labels and of different details of samples that are kept. */
#define EXEMPLAR_WAITS 6
#define EXEMPLAR_DETAILS 4
#define EXEMPLARS_MAX 1000
#define EXEMPLAR_SPANS 256
#define EXEMPLARS_DRAWN 3

enum exemplar_outcome { EXEMPLAR_COMPLETED, EXEMPLAR_FAILED, EXEMPLAR_UNFINISHED };

#define EXEMPLAR_NO_CLASS UINT16_MAX
#define EXEMPLAR_NO_TARGET UINT16_MAX

struct exemplar_step {
    int64_t start_ns;
    int64_t duration_ns; /* −1 if the step has not ended */
    uint64_t rows;       /* rows read or changed */
    int code;            /* error code; 0 if there is none */
    uint16_t class;      /* number of the class of the step, or EXEMPLAR_NO_CLASS */
    uint16_t target;     /* number of the target in the statistics, or EXEMPLAR_NO_TARGET */
    char state[EXEMPLAR_STATE_BYTES]; /* state of the error, such as an SQLSTATE; "" if there is
                                         none */
    bool failed;
};

/* The samples of a request that have the same label, or the same detail (stats/waits.h). */
struct exemplar_wait {
    unsigned number; /* of the label or of the detail */
    unsigned samples;
    double weight_ns;
};

struct exemplar {
    int64_t arrival_ns, start_ns, end_ns;
    int64_t late_ns, queued_ns; /* the parts of the time before the start, as in stats/waits.h */
    int64_t connection_wait_ns; /* between start and end: waits for a connection of the pool */
    enum exemplar_outcome outcome;
    unsigned worker;
    int type;         /* number of the type of the request, or −1 if it has none */
    unsigned retries; /* how often the request was repeated after an error */
    unsigned steps, left_out;
    struct exemplar_step step[EXEMPLAR_STEPS]; /* in the order of their starts */
    double weight_ns;                          /* of all samples of the request */
    unsigned waits, details;
    struct exemplar_wait wait[EXEMPLAR_WAITS]; /* labels, the largest weight first */
    struct exemplar_wait detail[EXEMPLAR_DETAILS];
};

struct exemplars;

/* Reads the request in service of a worker. Returns false if the worker serves no request. */
typedef bool exemplars_serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns);

/* `limit`, from 1 to EXEMPLARS_MAX, is the number of slowest requests that are kept. `span_ns` is
 * the length of a span. */
struct exemplars *exemplars_create(unsigned workers, unsigned limit, int64_t span_ns,
                                   uint64_t seed);
void exemplars_destroy(struct exemplars *ex);
/* Sets the start of the run, and the function that reads requests in service. To be called before
 * the first request. */
void exemplars_begin(struct exemplars *ex, int64_t start_ns, exemplars_serving *serving, void *arg);

/* The following three functions may only be called by the thread of the worker: steps have one
 * writer. */

/* Records the start of a step of the request that the worker serves. Does nothing if the worker
 * serves none. A step that starts before the previous one has ended replaces the previous one. */
void exemplars_begin_step(struct exemplars *ex, unsigned worker, unsigned class, unsigned target,
                          int64_t now_ns);
/* Records the end of the step that has begun. Does nothing if none has. `state` is NULL if the step
 * has not failed. */
void exemplars_end_step(struct exemplars *ex, unsigned worker, int64_t now_ns, uint64_t rows,
                        int code, const char *state);
/* Notes that the request in service is repeated. */
void exemplars_retry(struct exemplars *ex, unsigned worker);

/* Draws the number of a request that has ended. Returns true if the request may have to be kept; if
 * so, exemplars_keep() is to be called. The calls for one worker must not overlap. */
bool exemplars_wants(struct exemplars *ex, unsigned worker, int64_t end_ns, int64_t response_ns,
                     double *number);
/* Keeps a request, unless others have to be kept instead. Fills in `retries`, and the steps if they
 * are steps of this request. */
void exemplars_keep(struct exemplars *ex, struct exemplar *e, double number);

/* What was kept. Requests are in one of the lists only. */
struct exemplar_list {
    int64_t span_ns;
    unsigned slowest, others;
    struct exemplar *list; /* the slowest requests, the slowest first; then the others, by their
                              ends */
};

/* Returns a copy of what was kept. The caller frees `list`. */
struct exemplar_list exemplars_list(struct exemplars *ex);

#endif
