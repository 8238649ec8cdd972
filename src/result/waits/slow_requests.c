/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/slow_requests.h"

#include <stdlib.h>

#include "base/util.h"

struct slow_requests *slow_requests_of(struct exemplars *exemplars,
                                       const struct stats_thread *names, int64_t run_start_ns,
                                       unsigned asked)
{
    struct slow_requests *slow = xcalloc(1, sizeof(*slow));
    *slow = (struct slow_requests){.asked = asked,
                                   .run_start_ns = run_start_ns,
                                   .kept = exemplars_list(exemplars),
                                   .names = names};
    return slow;
}

void slow_requests_free(struct slow_requests *slow)
{
    if (slow == NULL)
        return;
    free(slow->kept.list);
    free(slow);
}

const char *slow_request_type(const struct slow_requests *slow, const struct exemplar *e)
{
    return e->type >= 0 ? targets_name(slow->names->types, (unsigned)e->type) : NULL;
}

const char *slow_request_class(const struct slow_requests *slow, const struct exemplar_step *step)
{
    if (step->class == EXEMPLAR_NO_CLASS)
        return NULL;
    return operations_class_name(slow->names->operations.shared, step->class);
}

const char *slow_request_host(const struct slow_requests *slow, const struct exemplar_step *step)
{
    if (step->target == EXEMPLAR_NO_TARGET)
        return NULL;
    return targets_name(slow->names->targets, step->target);
}
