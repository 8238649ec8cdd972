/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/summary.h"

#include <stdlib.h>

#include "base/util.h"

struct interval_rank *interval_ranks_create(unsigned count)
{
    struct interval_rank *ranks = xcalloc(count, sizeof(*ranks));
    for (unsigned r = 0; r < count; r++) {
        ranks[r].number = r;
        distribution_init(&ranks[r].response);
    }
    return ranks;
}

void interval_ranks_destroy(struct interval_rank *ranks, unsigned count)
{
    for (unsigned r = 0; ranks != NULL && r < count; r++)
        distribution_fini(&ranks[r].response);
    free(ranks);
}

void interval_rank_add(struct interval_rank *rank, const struct snapshot *recorded)
{
    rank->known = true;
    rank->completed += recorded->counter[COUNTER_EVENT];
    distribution_add(&rank->response, &recorded->metric[METRIC_RESPONSE]);
}

void interval_ranks_reset(struct interval_rank *ranks, unsigned count)
{
    for (unsigned r = 0; r < count; r++) {
        ranks[r].known = false;
        ranks[r].completed = 0;
        distribution_reset(&ranks[r].response);
    }
}
