/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plans by which a server executes the statements of each class, at the beginning and at the
 * end of a run (--explain). */
#ifndef PLANS_H
#define PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The shapes of a plan: its operations, tables and indexes, without costs and numbers of rows. */
struct plan {
    char *class;        /* class of the statements */
    char *first, *last; /* shapes; NULL if the server did not explain the statement */
    char *failure;      /* why the first or the last shape is missing, or NULL */
};

struct plans {
    struct plan *list;
    unsigned count;
};

/* Frees the plans, which may be NULL. */
void plans_free(struct plans *plans);

/* Returns true if both shapes are known and differ. */
bool plan_changed(const struct plan *plan);
/* Returns the number of plans that changed. */
unsigned plans_changed(const struct plans *plans);
/* Stores a sentence without its full stop that names the first plan that changed; "" if none did.
 */
void plans_remark(const struct plans *plans, char *text, size_t bytes);
/* Returns a hash of a shape: FNV-1a of 64 bits (G. Fowler, L. C. Noll and K.-P. Vo). */
uint64_t plan_hash(const char *shape);

#endif
