/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load on the model server of the null driver (--null-capacity): with more statements in service
 * than its capacity, each takes longer in proportion. The statement "STALL 2s" stops the server:
 * until its end no other statement ends. All functions may be called by any thread.
 */
#ifndef NULL_LOAD_H
#define NULL_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct null_load {
    double capacity; /* statements that do not slow each other down; 0: the load has no effect */
    atomic_uint serving;
    _Atomic int64_t stall_end_ns; /* CLOCK_MONOTONIC */
};

/* Begins a statement that takes `ns` on a server without load. Returns how long it takes now. */
double null_load_begin(struct null_load *load, double ns);
void null_load_end(struct null_load *load);

/* If `text` is a stall, begins it and returns its end (CLOCK_MONOTONIC), otherwise 0. */
int64_t null_load_stall(struct null_load *load, const char *text, size_t length);

#endif
