/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples values of several sources during a run: of the server under load, of its replicas, of the
 * machine. Each source is read at regular times by a thread of its own, so a source that does not
 * answer delays nothing else. This module needs to know nothing about a source except its functions
 * (struct probe_source).
 *
 * If a source fails, it is read again when the next sample is due. If it refuses, it is not read
 * again. In both cases one warning is logged, and reports show a gap. No rate is computed across a
 * gap.
 *
 * The calls of a run, in this order: probes_create(), probes_add() for each source, probes_start(),
 * probes_begin(), probes_interval() for each interval, probes_finish(), probes_total(),
 * probes_stop(), probes_destroy(). Without sampling, `probes` may be NULL in probes_start(),
 * probes_begin(), probes_finish(), probes_stop() and probes_destroy(), which then do nothing.
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
    PROBE_FAILED,  /* the source is read again when the next sample is due */
    PROBE_REFUSED, /* the source is not read again */
};

struct probe_source {
    /* Key in JSON and prefix of columns, for example "server" or "replica". Owned by `self`. */
    const char *name;
    /* Place of the source in messages, for example "host 'db', port 3306"; owned by `self`. */
    const char *where;
    enum probe_role role;
    struct probe_table table;
    void *self;
    /*
     * Runs in the thread of the source. If it succeeds, it stores the values in
     * value[0..PROBE_VALUES), with NAN for those that are not known. Otherwise it stores the reason
     * in `error`, which has PROBE_ERROR_BYTES bytes.
     */
    enum probe_status (*read)(void *self, double *value, char *error);
    /* Frees `self`. No other function of the source runs at this time. */
    void (*destroy)(void *self);
};

struct probes;

/* Creates a set of sources, empty at first, that is sampled every `every_ns` nanoseconds. */
struct probes *probes_create(int64_t every_ns);
/* Adds a source: copies *source and takes ownership of its `self`. At most PROBE_SOURCES are
 * allowed. */
void probes_add(struct probes *probes, const struct probe_source *source);

/* Starts the threads, takes a first sample of each source and waits for these samples, up to two
 * seconds. */
void probes_start(struct probes *probes);
/* Notes that the run begins at start_ns (CLOCK_MONOTONIC). Further samples are due at start_ns + k
 * · every_ns. */
void probes_begin(struct probes *probes, int64_t start_ns);
/* Takes a last sample of each source and waits for these samples, up to one second. Sources that
 * have not answered lately are not waited for. */
void probes_finish(struct probes *probes);
/* Ends the threads. Returns false if a thread is stuck: then nothing that this thread uses may be
 * freed, in particular not `probes`. May be called again. */
bool probes_stop(struct probes *probes);
void probes_destroy(struct probes *probes);

/* A time during which a source did not answer, in nanoseconds since the start of the run. */
struct probe_gap {
    int64_t from_ns, to_ns;
    char error[PROBE_ERROR_BYTES]; /* reason; "" if the source only answered late */
};

/* Figures of one source over a span of time. */
struct probe_figures {
    const struct probe_source *source;
    unsigned samples;
    /* Mean and maximum duration of a read, NAN if there was no read. */
    double sample_ms, sample_max_ms;
    /* How long the source had not answered at the end of the span; 0 if it did. */
    int64_t silent_ns;
    /* True if growth in this span may have happened earlier, or may be counted later. */
    bool late;
    char error[PROBE_ERROR_BYTES]; /* reason why the source did not answer, if it is known */
    double figure[PROBE_SERIES];   /* figure of each series; NAN if not known */
    const struct probe_gap *gap;   /* gaps, filled in for a whole run only; owned by the probes */
    unsigned gaps;
};

/* Result of the comparison of a count of the client with the same count of a source. */
enum probe_agreement {
    PROBE_DIFFERS,      /* by more than the tolerance */
    PROBE_AGREES,       /* the counts are nearly equal */
    PROBE_UNCLEAR,      /* the difference is within the tolerance, but not small */
    PROBE_COUNTED_LATER /* the source has counted less, but may count the missing ones later */
};

/* Comparison of a count of the client with the same count of a source. */
struct probe_check {
    const char *what; /* name of the counted things, for example "statements" */
    double ours, theirs;
    double tolerance; /* largest difference that is accepted */
    enum probe_agreement agreement;
};

/*
 * Work of all sources with the same table, except replicas: of all servers under load, or of all
 * their machines.
 */
struct probe_work_group {
    const char *name; /* name of the first source of the group */
    const struct probe_table *table;
    /* Growth during the whole run per completed request; NAN if a source of the group does not
     * count this work, or did not answer at any time. */
    double per_request[PROBE_WORKS];
};

struct probe_report {
    int64_t every_ns;
    struct probe_figures source[PROBE_SOURCES];
    unsigned sources;
    struct probe_check check[4]; /* comparisons, filled in for a whole run only */
    unsigned checks;
    /* For a whole run: counts that were not checked, and why. NULL if all were checked. */
    const char *unchecked;
    /* For a whole run: what else the run did on the server, "" if nothing. */
    char beside[160];
    /* For a whole run: work per completed request. No groups if no request was completed. */
    struct probe_work_group work[2];
    unsigned works;
    uint64_t requests; /* completed requests, with those of the warm-up */
};

/*
 * Reports an interval: everything that was sampled since the last call. A sample that is due now is
 * waited for, up to a tenth of a second, unless the source has not answered lately. Only the
 * reporter's thread may call this function and probes_total().
 */
void probes_interval(struct probes *probes, int64_t now_ns, struct probe_report *report);
/* Reports the whole run, from the first sample to the last. Call it after probes_finish(). The gaps
 * in the report do not change until probes_destroy(), even if further samples are taken. */
void probes_total(struct probes *probes, struct probe_report *report);

/* Fills in the work of the whole run for each of `requests` completed requests. Call it after
 * probes_finish(). */
void probes_work(struct probes *probes, uint64_t requests, struct probe_report *report);

/* Returns source `i`, or NULL if `i` is not below the number of sources. */
const struct probe_source *probes_source(const struct probes *probes, unsigned i);

/* Returns by how much a value of source `i` grew from its first sample to its last, or NAN if the
 * growth is not known or the source failed at any time. Call it after probes_finish(). */
double probes_growth(struct probes *probes, unsigned i, unsigned value);
/* Returns a value of the last sample of source `i`, or NAN if it is not known. */
double probes_last(struct probes *probes, unsigned i, unsigned value);

#endif
