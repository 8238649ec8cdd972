/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that a launcher has left to this process: mpirun binds ranks to single cores
 * unless it is told otherwise, and all workers of a rank would share one. */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>

struct affinity {
    unsigned own;    /* processors that this process may use */
    unsigned parent; /* that its parent may use; 0: not known */
    unsigned online; /* of the machine */
    bool told;       /* the launcher says that it has bound the process */
};

struct affinity affinity_look(void);
/* Whether the launcher has bound the process to less than it could use. */
bool affinity_is_bound(const struct affinity *a);

#endif
