/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that a launcher lets this process use. By default, mpirun binds each rank to a
 * single core, and all workers of the rank share it. */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>
#include <sys/types.h>

struct affinity {
    unsigned own;    /* processors that this process may use; 0 if unknown */
    unsigned parent; /* processors that the parent process may use; 0 if unknown */
    unsigned online; /* online processors of the machine */
    bool told;       /* true if the launcher reports that it has bound the process */
};

/* `parent` is the process that started this one. */
struct affinity affinity_look(pid_t parent);
/* Returns true if the launcher has bound the process to fewer processors than are available. */
bool affinity_is_bound(const struct affinity *a);

#endif
