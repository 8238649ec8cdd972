/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact nearest neighbours of queries among the rows of a table that changes while it is searched.
 *
 * The rows 1 to `rows` never change; their k nearest neighbours are computed once. Further rows are
 * inserted and deleted during the run. A row that is nearer to a query than its k-th neighbour is
 * noted with the marks of its insert and its delete. A mark is the value of a clock that ticks with
 * each change. For a search between two marks, a row is certain if its insert had ended before and
 * its delete had not begun until the search ended; it is uncertain if an insert or a delete
 * overlapped the search; otherwise it was absent.
 *
 * The exact answer consists of the k nearest rows among the certain ones and those uncertain ones that
 * the search has found. Recall is the share of the exact answer that was found. A row counts as found
 * if it was not absent and its distance is not larger than that of the last row of the exact answer,
 * up to a relative difference of 1e-6, because databases compute distances in single precision.
 *
 * Rows that other processes insert are not known: they count as uncertain. Recall is −1 if no row is
 * known.
 *
 * All functions may be called by any thread. A lock guards the notes: it is taken for a search that
 * is checked, and for a changed row that is near to a query.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vectors/vectors.h"

struct neighbours;

struct neighbours_plan {
    struct vector_shape shape;
    enum vector_metric metric;
    uint32_t rows, queries, k; /* k ≥ 1 */
};

struct neighbours *neighbours_create(const struct neighbours_plan *plan);
void neighbours_destroy(struct neighbours *n);
const struct neighbours_plan *neighbours_plan(const struct neighbours *n);

/* Draw a row, and a query, whose number is far from those of rows. */
void neighbours_row(const struct neighbours *n, uint32_t row, float *out);
void neighbours_query(const struct neighbours *n, uint32_t query, float *out);

/* Computes the k nearest of the rows 1 to `rows` for the queries first, first + step, … Writes k
 * numbers for each, nearest first, and 0 where there are fewer rows. */
void neighbours_find(const struct neighbours *n, uint32_t first, uint32_t step, double *rows);

/* Adds a row to the k nearest ones of a query. */
void neighbours_add(struct neighbours *n, uint32_t query, uint32_t row);

void neighbours_change(struct neighbours *n, uint32_t row, bool insert, bool done);
uint64_t neighbours_mark(struct neighbours *n);
double neighbours_recall(struct neighbours *n, uint32_t query, uint64_t mark, const double *rows,
                         uint32_t count);

#endif
