/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result set in memory: the rows as text, read once from front to back. One per connection, used
 * again for each statement; its memory grows to the largest result and stays.
 */
#ifndef ROWSET_H
#define ROWSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rowset {
    uint64_t nrows;
    uint32_t nfields; /* 0: no result set */
    /* For each field its length (SIZE_MAX: NULL), then its bytes; one after another. */
    char *data;
    size_t used, room;
    size_t read;              /* where the next row to fetch starts */
    struct rowset_field *row; /* the row fetched last, nfields long */
    uint32_t row_room;
};

struct rowset_field {
    const char *text; /* NULL: SQL NULL; not NUL-terminated; valid until the next row is read */
    size_t length;
};

/* Empties the set for a result with `nfields` columns. */
void rowset_start(struct rowset *set, uint32_t nfields);
/* Adds the next field of the row being added; text NULL is SQL NULL. Copied. */
void rowset_add(struct rowset *set, const char *text, size_t length);
/* Ends the row being added. */
void rowset_end_row(struct rowset *set);
/* The next row, nfields long, or NULL after the last. Valid until the next call. */
const struct rowset_field *rowset_fetch(struct rowset *set);
/* No result set; memory is kept. */
void rowset_clear(struct rowset *set);
void rowset_fini(struct rowset *set);

#endif
