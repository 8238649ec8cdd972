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
 * The exact answer consists of the k nearest rows among the certain ones and those uncertain ones
 * that the search has found. Recall is the share of the exact answer that was found. A row counts
 * as found if it was not absent and its distance is not larger than that of the last row of the
 * exact answer, up to a relative difference of 1e-6, because databases compute distances in single
 * precision.
 *
 * Rows that other processes insert are not known: they count as uncertain. Recall is −1 if no row
 * is known.
 *
 * All functions may be called by any thread. A lock guards the notes: it is taken for a search that
 * is checked, and for a changed row that is near to a query.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vectors/vector_file.h"
#include "base/vectors/vectors.h"

/*
 * A row is in the bucket row % NEIGHBOURS_BUCKETS. Each query q has a filtered query with the
 * number queries + q: the same vector, whose nearest rows are searched among the rows of `buckets`
 * buckets from neighbours_first_bucket(q) on.
 */
#define NEIGHBOURS_BUCKETS 100

struct neighbours;

struct neighbours_plan {
    struct vector_shape shape;
    /* Source of the vectors, or NULL for synthetic data. The last `queries` vectors of the file are
     * the queries, so the file must have more. The others are the rows, in this order; rows above
     * their number repeat them from the first one on. Of the shape, only the dimensions are used.
     */
    const struct vector_file *file;
    enum vector_metric metric;
    uint32_t rows, queries, k; /* k ≥ 1 and queries ≥ 1 */
    uint32_t buckets;          /* 1 to NEIGHBOURS_BUCKETS: number of buckets that a filter keeps */
};

struct neighbours *neighbours_create(const struct neighbours_plan *plan);
void neighbours_destroy(struct neighbours *n);
const struct neighbours_plan *neighbours_plan(const struct neighbours *n);

/* Draw or read a row, and a query. The number of a synthetic query is far from those of rows. */
void neighbours_row(const struct neighbours *n, uint32_t row, float *out);
void neighbours_query(const struct neighbours *n, uint32_t query, float *out);

uint32_t neighbours_first_bucket(const struct neighbours *n, uint32_t query);

/*
 * Finds the nearest rows of the queries first, first + step, ... and of their filtered queries. All
 * rows are added one after the other, each with its vector. If several threads add a part of the
 * rows each, their searches with the same queries are merged. One thread at a time may use a
 * search.
 */
struct neighbours_search *neighbours_search_create(const struct neighbours *n, uint32_t first,
                                                   uint32_t step);
void neighbours_search_destroy(struct neighbours_search *s);
void neighbours_search_add(struct neighbours_search *s, uint32_t row, const float *v);
/* Returns the number of rows that were added. */
uint32_t neighbours_search_rows(const struct neighbours_search *s);
/* Adds the rows of `from` to `s`. */
void neighbours_search_merge(struct neighbours_search *s, const struct neighbours_search *from);
/* Writes the nearest rows of a query or filtered query, nearest first. Returns their number, at
 * most k. */
uint32_t neighbours_search_answer(const struct neighbours_search *s, uint32_t query, double *rows);

/* Adds a row to the k nearest ones of a query. */
void neighbours_add(struct neighbours *n, uint32_t query, uint32_t row);

void neighbours_change(struct neighbours *n, uint32_t row, bool insert, bool done);
uint64_t neighbours_mark(struct neighbours *n);
double neighbours_recall(struct neighbours *n, uint32_t query, uint64_t mark, const double *rows,
                         uint32_t count);

#endif
