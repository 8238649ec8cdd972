/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out whether a server or machine became slower or faster in the middle of a search, from the
 * order of its probes (docs/capacity.md). Pure functions.
 */
#ifndef CAPACITY_CHANGE_H
#define CAPACITY_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* A probe around the edge, in which the client was not late. */
struct change_probe {
    size_t number; /* index of the probe in the search */
    double rate, margin;
};

struct capacity_change {
    bool found;
    size_t probe; /* number of the first probe after the change */
    /* Rates at which the margin was 0 before it and is 0 since then; limited to rates of probes, so
     * the true change may be larger. */
    double before, after;
};

/*
 * Looks for one change among `count` probes in the order of their time, whose margins are kept
 * within ± `bound`. A change is found if chance explains it in at most 1 % of whole searches, and
 * if the two rates differ by more than `least`, as a logarithm of their ratio.
 */
struct capacity_change capacity_find_change(const struct change_probe *probe, size_t count,
                                            double bound, double least);

#endif
