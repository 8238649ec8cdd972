/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/slow/wait_pending.h"

static void add_weight(struct wait_pending *p, unsigned label, double weight_ns)
{
    p->labels |= UINT64_C(1) << label;
    p->weight[label] += weight_ns;
    p->count[label]++;
}

void wait_pending_add(struct wait_pending *p, const struct wait_sample *s, bool near)
{
    add_weight(p, s->label, s->weight_ns);
    if (s->group != WAIT_NO_GROUP)
        add_weight(p, s->group, s->weight_ns);
    p->detail[s->detail] += s->weight_ns;
    p->total += s->weight_ns;
    p->samples++;
    p->near += near;
}

/* Puts an entry into a list that has the largest weights first and room for `room` entries. */
static void insert(struct exemplar_wait *list, unsigned *count, unsigned room,
                   struct exemplar_wait entry)
{
    unsigned at = *count < room ? (*count)++ : room;
    for (; at > 0 && list[at - 1].weight_ns < entry.weight_ns; at--)
        if (at < room)
            list[at] = list[at - 1];
    if (at < room)
        list[at] = entry;
}

void wait_pending_copy(const struct wait_pending *p, struct exemplar *e)
{
    e->weight_ns = p->total;
    for (uint64_t set = p->labels; set != 0; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        insert(e->wait, &e->waits, EXEMPLAR_WAITS,
               (struct exemplar_wait){i, p->count[i], p->weight[i]});
    }
    for (unsigned i = 0; i < WAIT_DETAILS; i++)
        if (p->detail[i] > 0)
            insert(e->detail, &e->details, EXEMPLAR_DETAILS,
                   (struct exemplar_wait){.number = i, .weight_ns = p->detail[i]});
}
