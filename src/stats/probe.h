/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is watched while a run goes on (the server that the load goes to, its replicas, the
 * machine): sources that are read again and again, each by a thread of its own, so that one that
 * does not answer holds up nothing. Knows nothing of what a source is.
 *
 * A source that fails is asked again when the next sample is due, one that refuses is not; either
 * is told once as a warning and shows in the reports as a gap. No rate is made across a gap.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/probe_series.h"

#define PROBE_SOURCES 8
#define PROBE_ERROR_BYTES 256

enum probe_status {
    PROBE_READ,
    PROBE_FAILED,  /* worth another attempt */
    PROBE_REFUSED, /* for good */
};

struct probe_source {
    /* "server", "replica": a key in JSON and the beginning of columns. Owned by `self`. */
    const char *name;
    const char *where; /* "host 'db', port 3306"; owned by `self` */
    enum probe_role role;
    struct probe_table table;
    void *self;
    /*
     * In the source's thread: fills value[0..PROBE_VALUES), NAN for what is not known; else the
     * reason in `error`.
     */
    enum probe_status (*read)(void *self, double *value, char *error);
    /* Frees `self`; no other call is in progress. */
    void (*destroy)(void *self);
};

struct probes;

/* Samples are taken every `every_ns`. */
struct probes *probes_create(int64_t every_ns);
/* Copies *source and takes over its `self`. */
void probes_add(struct probes *probes, const struct probe_source *source);

/*
 * Takes the first sample of each source and waits for it, up to two seconds. NULL for `probes`,
 * here and until probes_destroy(): nothing is watched.
 */
void probes_start(struct probes *probes);
/* The run begins: further samples are due at start_ns + k · every. */
void probes_begin(struct probes *probes, int64_t start_ns);
/*
 * Takes a last sample and waits for it, up to a second, but not for sources that have not answered
 * lately.
 */
void probes_finish(struct probes *probes);
/*
 * Ends the threads. False: one is stuck, and nothing that it uses may be freed, `probes` least of
 * all. May be called again.
 */
bool probes_stop(struct probes *probes);
void probes_destroy(struct probes *probes);

/* A time, since the start of the run, in which a source did not answer. */
struct probe_gap {
    int64_t from_ns, to_ns;
    char error[PROBE_ERROR_BYTES]; /* "": it gave none, it answered late */
};

/* One source over a span of time. */
struct probe_figures {
    const struct probe_source *source;
    unsigned samples;
    double sample_ms, sample_max_ms; /* what taking a sample took; NAN without any */
    int64_t silent_ns;               /* > 0: it has not answered for so long when the span ended */
    char error[PROBE_ERROR_BYTES];   /* then: why, as far as it is known */
    double figure[PROBE_SERIES];     /* of its series; NAN: not known */
    const struct probe_gap *gap;     /* of a whole run; owned by the probes */
    unsigned gaps;
};

/* How a count of ours and one of a source's compare. */
struct probe_check {
    const char *what; /* "statements" */
    double ours, theirs;
    double tolerance; /* by how much they may differ */
    bool agrees;
};

struct probe_report {
    int64_t every_ns;
    struct probe_figures source[PROBE_SOURCES];
    unsigned sources;
    struct probe_check check[4]; /* of a whole run */
    unsigned checks;
    const char *unchecked; /* of a whole run: what was not checked, and why; NULL: all was */
    char beside[160];      /* of a whole run: what else it did to the server; "": nothing */
};

/*
 * Ends a span: all that was sampled since the last call. A sample that is due right now is waited
 * for, up to a tenth of a second, unless the source has not answered lately. The reporter's thread
 * only, as probes_total().
 */
void probes_interval(struct probes *probes, int64_t now_ns, struct probe_report *report);
/*
 * The whole run, from the first sample to the last; after probes_finish(). The gaps in the report
 * stay as they are until probes_destroy(), whatever is sampled meanwhile.
 */
void probes_total(struct probes *probes, struct probe_report *report);

/* Source `i`, NULL after the last. */
const struct probe_source *probes_source(const struct probes *probes, unsigned i);

/*
 * By how much a value of source `i` grew from its first sample to its last; NAN when it is not
 * known or the source was lost meanwhile. After probes_finish().
 */
double probes_growth(struct probes *probes, unsigned i, unsigned value);
/* A value of source `i` in its last sample, NAN when it is not known. */
double probes_last(struct probes *probes, unsigned i, unsigned value);

#endif
