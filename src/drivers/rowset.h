/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result set in memory. Values are stored as text and can be read once, from the first row to
 * the last. Each connection has one rowset that it reuses for every statement; its memory grows to
 * the size of the largest result and is kept.
 */
#ifndef ROWSET_H
#define ROWSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rowset {
    uint64_t nrows;
    uint32_t nfields; /* 0 if there is no result set */
    /* All fields of all rows in order; each field is its length (SIZE_MAX for SQL NULL), followed
     * by its bytes. */
    char *data;
    size_t used, room;
    size_t read;              /* offset of the next row to fetch */
    struct rowset_field *row; /* the row fetched last, an array of nfields */
    uint32_t row_room;
};

struct rowset_field {
    /* not NUL-terminated, valid until the next row is read; NULL for SQL NULL */
    const char *text;
    size_t length;
};

/* Empties the set for a result with `nfields` columns. */
void rowset_start(struct rowset *set, uint32_t nfields);
/* Adds a copy of `text` as the next field of the row being added; NULL means SQL NULL. */
void rowset_add(struct rowset *set, const char *text, size_t length);
/* Ends the row being added. */
void rowset_end_row(struct rowset *set);
/* Returns the next row, an array of nfields fields that is valid until the next call, or NULL after
 * the last row. */
const struct rowset_field *rowset_fetch(struct rowset *set);
/* Removes the result set; keeps the memory. */
void rowset_clear(struct rowset *set);
void rowset_fini(struct rowset *set);

#endif
