/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/result.h"

#include <stdlib.h>

void result_fini(struct result *result)
{
    snapshot_fini(&result->total.snapshot);
    snapshot_fini(&result->part.snapshot);
    audit_fini(&result->audit);
    free(result->outages.list);
    slow_requests_free(result->slowest);
    wait_record_free(result->sampled);
    free(result->waits);
    plans_free(result->plans);
    rate_phases_free(result->phases, result->phase_count);
    free(result->no_op_cause);
}
