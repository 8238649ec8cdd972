/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/waits/wait_history.h"

#include <stdlib.h>

/* Samples of one label in one slot of time, counted from the start of CLOCK_MONOTONIC. */
struct wait_entry {
    uint32_t slot;
    uint16_t label, samples;
    float weight_ms;
};

void wait_history_fini(struct wait_history *history)
{
    free(history->list);
}

/* Returns the entry of a label and a slot. Samples come nearly in the order of time, so the entry
 * is one of the last ones. */
static struct wait_entry *find(struct wait_history *history, uint32_t slot, unsigned label)
{
    for (size_t i = history->count; i-- > 0 && history->list[i].slot >= slot;)
        if (history->list[i].slot == slot && history->list[i].label == label &&
            history->list[i].samples < UINT16_MAX)
            return &history->list[i];
    if (history->count == history->room) {
        history->room = history->room * 2 + 64;
        history->list = xrealloc(history->list, history->room * sizeof(*history->list));
    }
    struct wait_entry *entry = &history->list[history->count++];
    *entry = (struct wait_entry){.slot = slot, .label = (uint16_t)label};
    return entry;
}

void wait_history_add(struct wait_history *history, int64_t at_ns, unsigned label, double weight_ns)
{
    struct wait_entry *entry = find(history, (uint32_t)(at_ns / WAIT_SLOT_NS), label);
    entry->samples++;
    entry->weight_ms += (float)(weight_ns / NS_PER_MS);
    history->all.samples++;
    history->all.weight_ns[label] += weight_ns;
}

void wait_history_between(const struct wait_history *history, int64_t from_ns, int64_t to_ns,
                          struct wait_sums *sums)
{
    *sums = (struct wait_sums){.samples = 0};
    for (size_t i = 0; i < history->count; i++) {
        const struct wait_entry *entry = &history->list[i];
        const int64_t middle_ns = entry->slot * WAIT_SLOT_NS + WAIT_SLOT_NS / 2;
        if (middle_ns < from_ns || middle_ns > to_ns)
            continue;
        sums->samples += entry->samples;
        sums->weight_ns[entry->label] += (double)entry->weight_ms * NS_PER_MS;
    }
}
