/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/stats_part.h"

const char *counter_name(enum counter counter)
{
    static const char *const names[COUNTER_TYPES] = {
        [COUNTER_READ] = "reads",
        [COUNTER_WRITE] = "writes",
        [COUNTER_OTHER] = "other",
        [COUNTER_EVENT] = "events",
        [COUNTER_ERROR] = "errors",
        [COUNTER_RECONNECT] = "reconnects",
        [COUNTER_BYTES_READ] = "bytes_read",
        [COUNTER_BYTES_WRITTEN] = "bytes_written",
        [COUNTER_FAILED] = "failed",
        [COUNTER_DOWN_NS] = "down_ns",
        [COUNTER_TIMEOUT] = "timeouts",
        [COUNTER_UNSENT] = "unsent",
        [COUNTER_RETRY] = "retries",
        [COUNTER_NO_BUDGET] = "refused_retries",
        [COUNTER_LATE] = "late",
        [COUNTER_POOL_TIMEOUT] = "pool_timeouts",
        [COUNTER_LOST_NS] = "lost_ns",
    };
    return names[counter];
}

void stats_histograms_init(struct stats_histograms *h, unsigned arrays, bool timed)
{
    *h = (struct stats_histograms){.arrays = arrays};
    for (unsigned phase = 0; phase < PHASES; phase++)
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            if (m != METRIC_SESSION && m != METRIC_CONNECTION_WAIT &&
                (timed || m == METRIC_RESPONSE || m == METRIC_FAILED))
                h->of[phase][m] = histogram_create(arrays);
}

void stats_histograms_fini(struct stats_histograms *h)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            histogram_destroy(h->of[phase][m], h->arrays);
}

void stats_part_init(struct stats_part *part, const struct stats_histograms *h, unsigned thread)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        for (unsigned m = 0; m < METRIC_TYPES; m++) {
            struct stats_cell *cell = &part->cell[phase];
            counter_extremes_init(&cell->min_ns[m], &cell->max_ns[m]);
            if (h->of[phase][m] != NULL)
                part->histogram[phase][m] = &h->of[phase][m][thread % h->arrays];
        }
}

void stats_cell_drain(struct stats_cell *cell, struct stats_seen *seen,
                      uint64_t counter[COUNTER_TYPES], struct distribution metric[METRIC_TYPES])
{
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        counter[c] += counter_growth(&cell->counter[c], &seen->counter[c]);
    for (unsigned m = 0; m < METRIC_TYPES; m++) {
        metric[m].sum_ns += counter_growth(&cell->sum_ns[m], &seen->sum_ns[m]);
        distribution_take_extremes(&metric[m], &cell->min_ns[m], &cell->max_ns[m]);
    }
}

void stats_histograms_drain(struct stats_histograms *h, enum phase phase,
                            struct distribution metric[METRIC_TYPES])
{
    for (unsigned m = 0; m < METRIC_TYPES; m++) {
        if (h->of[phase][m] == NULL)
            continue;
        for (unsigned i = 0; i < h->arrays; i++)
            distribution_drain(&metric[m], &h->of[phase][m][i]);
    }
}

void metrics_censor_failed(struct distribution metric[METRIC_TYPES])
{
    distribution_censor_all(&metric[METRIC_RESPONSE], &metric[METRIC_FAILED]);
    distribution_censor_all(&metric[METRIC_SERVICE], &metric[METRIC_FAILED_SERVICE]);
}
