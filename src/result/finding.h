/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evidence by which a run is judged, and the findings of the judgement. */
#ifndef FINDING_H
#define FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/audit.h"
#include "result/episodes.h"
#include "result/outage.h"
#include "result/summary.h"

/* Why a run ended early, if its user did not end it. */
enum cut { CUT_NONE, CUT_ERROR, CUT_FORCED };

/* The evidence by which a run is judged. All shares are between 0 and 1. */
struct evidence {
    const struct settings *settings;
    const struct summary *summary;
    const struct audit *audit;
    const struct outages *outages; /* NULL if outages are not known */
    enum cut cut;
    int64_t arrivals_end_ns; /* end of the arrivals, in nanoseconds since the start of the run */
    /* Share of the machine's CPU time, without generator and standby; < 0 if unknown. */
    double client_cpu;
    double steal; /* share of the machine's CPU time taken by the hypervisor; < 0 if unknown */
    /*
     * For a closed loop: CPU time of the client as a share of the time of its workers, of which at
     * most one per processor is counted. < 0 if unknown, or if the system under test is part of the
     * client.
     */
    double worker_cpu;

    /* The following fields are set only if the run has an arrival rate. */
    double goodness; /* deviation of the arrivals from the arrival process: goodness_distance() */
    double dispersion[3]; /* indices of dispersion of the arrivals in 0.1, 1 and 10 s; 0 if unknown,
                             or if arrivals have no law with variance or bursts */
    uint64_t gaps;        /* number of gaps between arrivals from which goodness was computed */
    double generator_cpu; /* share of one processor used by the generator */
    double standby_cpu;   /* share of one processor used by workers that stand by for arrivals */
    bool spins_beside;    /* true if the generator spun on a machine that the server shares */
};

struct finding {
    const char *name; /* name of the finding, for example "CLIENT-LIMITED" */
    char figure[320];
    const char *advice; /* one sentence about what to do */
};

struct verdict {
    unsigned count;            /* number of findings; 0 means that the run is VALID */
    struct finding finding[8]; /* a single process has at most 6 findings */
    /* Value of `goodness` that chance alone exceeds in at most one run of 1000; 0 if the gaps
     * are not judged by a law. */
    double ks_critical;
    struct episodes episodes; /* episodes of a run at an arrival rate */
    /* A sentence about episodes of overload that are too short for a finding; "" if there are no
     * such episodes. */
    char remark[320];
    char plans[320]; /* names a class of statements whose plan changed; "" if none did */
};

/* Adds a finding with the figure `fmt`. `advice` must outlive the verdict. */
__attribute__((format(printf, 4, 5))) void finding_add(struct verdict *v, const char *name,
                                                       const char *advice, const char *fmt, ...);

/* A time of the run in seconds, as text. */
struct moment {
    char text[24];
};

/* Returns the text of a time since the start of the run. */
struct moment moment(int64_t ns);

/* A time of the run, in nanoseconds since its start. */
struct span {
    int64_t from_ns, to_ns;
};

/* Most spans whose times are part of a sentence. */
#define SPANS_NAMED 3

/*
 * Writes "from 1.00 to 2.00 s, from 5.00 to 6.00 s and 3 more times" for `count` ≥ 1 spans. The
 * array has the first SPANS_NAMED of them. Returns the number of characters written.
 */
size_t spans_name(char *text, size_t bytes, const struct span *span, unsigned count);

#endif
