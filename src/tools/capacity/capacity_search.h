/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which arrival rate to probe next, and what the probes say of the highest one that meets all
 * objectives. Knows nothing of runs: the caller carries the probes out, or simulates them.
 * docs/capacity.md explains the method.
 */
#ifndef CAPACITY_SEARCH_H
#define CAPACITY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "tools/capacity/capacity_fit.h"

/* Margins lie in ± this. */
#define CAPACITY_MARGIN_MAX 0.5

enum capacity_phase {
    CAPACITY_BRACKET, /* short probes at rates that grow until one is too high */
    CAPACITY_NARROW,  /* halving of that span */
    CAPACITY_EDGE,    /* random rates around the edge */
    CAPACITY_BELOW,   /* at the edge, coming from a lower rate */
    CAPACITY_ABOVE,   /* at the edge, coming from a higher rate */
};

struct capacity_probe {
    enum capacity_phase phase;
    double rate;   /* per second */
    int64_t seed;  /* of the run */
    double length; /* as a multiple of what is usual */
    /* The outcome. */
    bool trusted; /* the client was not in the way */
    bool empty;   /* no request arrived: it says nothing */
    /*
     * 0 at the limit, 1 − share/limit for errors, limit/figure − 1 for times; the smallest of all
     * objectives. > 0: met.
     */
    double margin;
    bool counts; /* the search goes by it; else the probe was asked for again */
};

/* What is looked for. */
struct capacity_goal {
    double min_rate, max_rate;
    double precision; /* half the width of the interval, as a part of the rate */
    unsigned pairs;   /* of probes from below and from above */
    uint64_t seed;
};

enum capacity_outcome {
    CAPACITY_UNKNOWN, /* not found yet */
    CAPACITY_FOUND,
    CAPACITY_BELOW_MIN, /* the lowest rate misses already */
    CAPACITY_ABOVE_MAX, /* the highest rate meets them still */
};

struct capacity_result {
    enum capacity_outcome outcome;
    bool precise; /* FOUND as precisely as asked */
    double rate;  /* FOUND: the estimate */
    /*
     * FOUND: its interval of 95 %. Else the highest rate that met (0: none did) and the lowest that
     * missed (INFINITY: none did).
     */
    double low, high;
    unsigned used; /* probes that the estimate comes from */
    /* Margins at the edge, means; NAN: not probed. */
    double below, above;
    bool hysteresis; /* they differ by more than noise */
};

struct capacity_search {
    struct capacity_goal goal;
    struct rand_stream stream;
    struct capacity_probe *probe; /* all so far */
    size_t count;
    enum capacity_phase phase;
    bool finished;
    /* the highest rate that met and the lowest that missed, while they are looked for; 0: none */
    double low, high;
    double missed_rate; /* of the bracket, once; 0: none */
    double centre;      /* of the edge: ln rate */
    double reach;       /* how far from it rates are probed: ln ratio */
    unsigned moves;     /* of the centre, since there were rates on both sides of the edge nearby */
    unsigned repeats;   /* how often the last probe has been asked for again, not being trusted */
    double length;      /* of the next probe */
    int side;           /* of the next edge probe, ±1; 0: a new pair begins */
    bool second;        /* the next edge probe is the second one of its pair */
    struct fit fit;     /* of margins to ln rate, around the centre */
};

void capacity_search_init(struct capacity_search *s, const struct capacity_goal *goal);
void capacity_search_fini(struct capacity_search *s);

/* The next probe to carry out. False: there is none, the search has ended. */
bool capacity_search_next(struct capacity_search *s, struct capacity_probe *probe);
/* Its outcome. */
void capacity_search_add(struct capacity_search *s, const struct capacity_probe *probe);

/* What is known now; may be asked at any time. */
struct capacity_result capacity_search_result(const struct capacity_search *s);

#endif
