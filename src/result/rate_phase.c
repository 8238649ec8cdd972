/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/rate_phase.h"

#include <stdlib.h>

void rate_phases_free(struct rate_phase *phases, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        distribution_fini(&phases[i].response);
    free(phases);
}
