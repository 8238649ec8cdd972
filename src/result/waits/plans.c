/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plans_free(struct plans *plans)
{
    if (plans == NULL)
        return;
    for (unsigned i = 0; i < plans->count; i++) {
        free(plans->list[i].class);
        free(plans->list[i].first);
        free(plans->list[i].last);
        free(plans->list[i].failure);
    }
    free(plans->list);
    free(plans);
}

bool plan_changed(const struct plan *plan)
{
    return plan->first != NULL && plan->last != NULL && strcmp(plan->first, plan->last) != 0;
}

unsigned plans_changed(const struct plans *plans)
{
    unsigned changed = 0;
    for (unsigned i = 0; plans != NULL && i < plans->count; i++)
        changed += plan_changed(&plans->list[i]);
    return changed;
}

void plans_remark(const struct plans *plans, char *text, size_t bytes)
{
    const unsigned changed = plans_changed(plans);
    unsigned i = 0;
    text[0] = '\0';
    if (changed == 0)
        return;
    while (!plan_changed(&plans->list[i]))
        i++;
    if (changed == 1)
        snprintf(text, bytes, "the plan of the class '%.200s' changed during the run",
                 plans->list[i].class);
    else
        snprintf(text, bytes, "the plans of %u classes changed during the run, one is '%.200s'",
                 changed, plans->list[i].class);
}

uint64_t plan_hash(const char *shape)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *shape != '\0'; shape++)
        hash = (hash ^ (unsigned char)*shape) * 0x100000001b3;
    return hash;
}
