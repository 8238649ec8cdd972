/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the arrival rate of the next probe, and estimates from the probes the highest rate that
 * meets all objectives. This module makes no runs: the caller makes the probes, or simulates them.
 * docs/capacity.md explains the method.
 */
#ifndef CAPACITY_SEARCH_H
#define CAPACITY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "tools/capacity/capacity_change.h"
#include "tools/capacity/capacity_fit.h"

/* Margins are limited to ± this value. */
#define CAPACITY_MARGIN_MAX 0.5

enum capacity_phase {
    CAPACITY_BRACKET, /* short probes at growing rates until one is too high */
    CAPACITY_NARROW,  /* bisection of the bracket */
    CAPACITY_EDGE,    /* random rates around the edge */
    CAPACITY_BELOW,   /* at the edge, coming from a lower rate */
    CAPACITY_ABOVE,   /* at the edge, coming from a higher rate */
};

struct capacity_probe {
    enum capacity_phase phase;
    double rate;   /* per second */
    int64_t seed;  /* seed of the run */
    double length; /* relative to the normal length */
    /* The outcome, set by the caller. */
    bool trusted; /* the client was not late */
    bool empty;   /* no request arrived, so the probe has no result */
    /*
     * Smallest margin of all objectives: 0 at the limit, > 0 if the objective is met. For errors it
     * is 1 − share/limit, for times limit/figure − 1.
     */
    double margin;
    bool counts; /* the search uses the outcome; if not, the probe is repeated */
};

/* Limits and precision of the search. */
struct capacity_goal {
    double min_rate, max_rate;
    double precision; /* half the width of the confidence interval, relative to the rate */
    unsigned pairs;   /* pairs of probes from a lower and from a higher rate */
    uint64_t seed;
};

enum capacity_outcome {
    CAPACITY_UNKNOWN, /* not found yet, or not to be found because the server changed */
    CAPACITY_FOUND,
    CAPACITY_BELOW_MIN, /* the lowest rate misses the objectives */
    CAPACITY_ABOVE_MAX, /* the highest rate meets the objectives */
};

struct capacity_result {
    enum capacity_outcome outcome;
    bool precise; /* FOUND with the requested precision */
    double rate;  /* FOUND: the estimate */
    /*
     * FOUND: the 95 % confidence interval. If the server changed, the rates before and after, the
     * smaller one first. Otherwise the highest rate that met the objectives (0 if
     * no rate did) and the lowest that missed them (INFINITY if no rate did).
     */
    double low, high;
    unsigned used; /* number of probes in the estimate */
    /* Mean margins at the edge when it is reached from a lower and from a higher rate; NAN if not
     * probed. */
    double below, above;
    bool hysteresis; /* the two margins differ by more than noise */
};

struct capacity_search {
    struct capacity_goal goal;
    struct rand_stream stream;
    struct capacity_probe *probe; /* all probes until now */
    size_t count;
    enum capacity_phase phase;
    bool finished;
    /* Used in the first two phases: the highest rate that met the objectives and the lowest rate
     * that missed them; 0 if unknown. */
    double low, high;
    double missed_rate; /* rate that missed the objectives once in the bracket; 0 if none did */
    double centre;      /* ln rate; centre of the rates that are probed around the edge */
    double reach;       /* farthest distance from the centre, as ln ratio */
    /* Moves of the centre since the last time that rates on both sides of the edge were nearby. */
    unsigned moves;
    unsigned repeats; /* number of repetitions of the last probe because it was not trusted */
    double length;    /* length of the next probe */
    int side;         /* side of the next edge probe, ±1; 0 if a new pair begins */
    bool second;      /* the next edge probe is the second one of its pair */
    struct fit fit;   /* fit of margin over ln rate, around the centre */
    struct capacity_change change; /* the search has ended because of it, if it was found */
};

void capacity_search_init(struct capacity_search *s, const struct capacity_goal *goal);
void capacity_search_fini(struct capacity_search *s);

/* Sets *probe to the next probe to be made. Returns false if the search has ended. */
bool capacity_search_next(struct capacity_search *s, struct capacity_probe *probe);
/* Adds a probe with its outcome. */
void capacity_search_add(struct capacity_search *s, const struct capacity_probe *probe);

/* Returns the current result; may be called at any time. */
struct capacity_result capacity_search_result(const struct capacity_search *s);

#endif
