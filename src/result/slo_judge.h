/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges whether a run meets its objectives (--slo), at its end and during the run. Used by the
 * reporter's thread only.
 */
#ifndef SLO_JUDGE_H
#define SLO_JUDGE_H

#include "options/slo.h"
#include "stats/snapshot.h"

struct slo_figure {
    double value; /* value of the figure, in the unit that slo_unit() returns */
    /* The true value may be larger: too many requests have not ended (distribution.h). */
    bool lower_bound;
    bool known; /* true if there were requests from which the figure can be computed */
    /* True if the run has the type that the objective is for, but nothing of it was measured. */
    bool none;
    bool met;
};

struct slo_text {
    char text[64];
};

/* Returns a figure as text, for example ">12.30 ms": with two decimals, or with two significant
 * digits below 0.01, and with four decimals for a quality figure. Returns "-" if the figure is not known. */
struct slo_text slo_figure_text(const struct slo_objective *objective,
                                const struct slo_figure *figure);

struct slo_judgement {
    const struct slo *slo;
    bool met; /* true if all objectives are met */
    struct slo_figure figure[SLO_MAX];
};

/* Judges a snapshot that covers `span_ns` nanoseconds. An objective is met if its figure is known,
 * is on the right side of the limit, and is not a lower bound. */
void slo_judge(struct slo_judgement *j, const struct slo *slo, const struct snapshot *s,
               int64_t span_ns);

/* Returns the response times that an objective is for, or NULL if the run has no such type. */
const struct distribution *slo_responses(const struct slo_objective *o, const struct snapshot *s);

/*
 * Returns true if the whole run can no longer meet its objectives, whatever happens: too many
 * requests have missed them already. `arrivals` is the number of requests expected in the whole
 * run, and `s` has all records up to now.
 */
bool slo_is_lost(const struct slo *slo, const struct snapshot *s, double arrivals);

/* Judges windows of a run, to end it if its objectives are missed for too long. Times are in
 * nanoseconds since the start of the run. */
struct slo_watch {
    const struct slo *slo;
    int64_t abort_ns; /* the run ends if objectives are missed for this long */
    int64_t from_ns;  /* beginning of the current window */
    /* When the first missed window began; −1 if the last window met all objectives. */
    int64_t missed_since_ns;
    /* Since when, at least, the same requests are in the system; −1 if not known. */
    int64_t stuck_since_ns;
    struct snapshot window;
};

/* Begins to watch a run. The first window begins at `from_ns`. */
void slo_watch_init(struct slo_watch *w, const struct slo *slo, int64_t abort_ns, int64_t from_ns);
void slo_watch_fini(struct slo_watch *w);
void slo_watch_add(struct slo_watch *w, const struct snapshot *recorded);
/*
 * If the current window has lasted long enough at `now_ns`, judges it and begins the next one.
 * `in_system` is the number of requests waiting or in service. Returns true if all windows of the
 * last abort_ns have missed objectives. A window in which no request ended has missed them if
 * requests are known to have been in the system longer than the shortest time limit. Otherwise such
 * a window is judged like the one before it.
 */
bool slo_watch_look(struct slo_watch *w, int64_t now_ns, uint64_t in_system);

#endif
