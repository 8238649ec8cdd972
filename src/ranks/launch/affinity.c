/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/affinity.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* number of bits, more than any machine has processors */
#define SET_BITS 8192

/* Returns the number of processors that the process may use, or 0 if unknown. */
static unsigned allowed(pid_t pid)
{
    unsigned long set[SET_BITS / (8 * sizeof(unsigned long))];
    if (sched_getaffinity(pid, sizeof(set), (cpu_set_t *)set) != 0)
        return 0;
    return (unsigned)CPU_COUNT_S(sizeof(set), (cpu_set_t *)set);
}

struct affinity affinity_look(pid_t parent)
{
    const char *bound = getenv("OMPI_MCA_orte_bound_at_launch");
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return (struct affinity){.own = allowed(0),
                             .parent = allowed(parent),
                             .online = online > 0 ? (unsigned)online : 0,
                             .told = bound != NULL && strcmp(bound, "0") != 0};
}

bool affinity_is_bound(const struct affinity *a)
{
    if (a->own == 0)
        return false;
    return a->own < a->parent || (a->told && a->own < a->online);
}
