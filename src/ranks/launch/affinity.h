/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that a launcher has left to this process: mpirun binds ranks to single cores
 * unless it is told otherwise, and all workers of a rank would share one. */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>
#include <sys/types.h>

struct affinity {
    unsigned own;    /* processors that this process may use */
    unsigned parent; /* that who has started it may use; 0: not known */
    unsigned online; /* of the machine */
    bool told;       /* the launcher says that it has bound the process */
};

/* `parent` is the process that has started this one. */
struct affinity affinity_look(pid_t parent);
/* Whether the launcher has bound the process to less than it could use. */
bool affinity_is_bound(const struct affinity *a);

#endif
