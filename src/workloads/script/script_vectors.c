/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the vectors of script_api.h. */
#include <pthread.h>

#include "base/util.h"
#include "workloads/script/neighbours.h"
#include "workloads/script/script_api.h"

/* The vectors of the process: created by the first thread, and never freed, because a worker that
 * is stuck may still use them. */
static struct neighbours *all;
static struct vector_file file; /* its data are NULL without a file */
static uint32_t file_checksum;
/* Guards `all`, `found` and the opening of `file`. */
static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;
/* The nearest rows that prepare finds: those of one thread, and those of all threads. */
static _Thread_local struct neighbours_search *mine;
static struct neighbours_search *found;

const char *script_vectors_open(const char *path)
{
    const char *problem = NULL;
    pthread_mutex_lock(&creating);
    if (file.data == NULL) {
        problem = vector_file_open(&file, path);
        if (problem == NULL)
            file_checksum = vector_file_checksum(&file);
        else
            file.data = NULL;
    }
    pthread_mutex_unlock(&creating);
    return problem;
}

double script_vectors_count(void)
{
    return file.count;
}

uint32_t script_vectors_dimensions(void)
{
    return file.dimensions;
}

double script_vectors_checksum(void)
{
    return file_checksum;
}

bool script_vectors_begin(double seed, uint32_t dimensions, uint32_t clusters, uint32_t metric,
                          double rows, uint32_t queries, uint32_t k, uint32_t buckets)
{
    const struct neighbours_plan plan = {
        .shape = {(uint64_t)seed, dimensions, clusters},
        .file = file.data != NULL ? &file : NULL,
        .metric = (enum vector_metric)metric,
        .rows = (uint32_t)rows,
        .queries = queries,
        .k = k,
        .buckets = buckets,
    };
    pthread_mutex_lock(&creating);
    const bool first = all == NULL;
    if (first)
        all = neighbours_create(&plan);
    pthread_mutex_unlock(&creating);
    return first;
}

uint32_t script_vector_bytes(void)
{
    return neighbours_plan(all)->shape.dimensions * VECTOR_COMPONENT_BYTES + 2;
}

uint32_t script_vector_text(char *to, double row)
{
    const uint32_t count = neighbours_plan(all)->shape.dimensions;
    float *v = xcalloc(count, sizeof(*v));
    neighbours_row(all, (uint32_t)row, v);
    if (mine != NULL)
        neighbours_search_add(mine, (uint32_t)row, v);
    const size_t length = vector_text(to, v, count);
    free(v);
    return (uint32_t)length;
}

uint32_t script_query_text(char *to, uint32_t query)
{
    const uint32_t count = neighbours_plan(all)->shape.dimensions;
    float *v = xcalloc(count, sizeof(*v));
    neighbours_query(all, query, v);
    const size_t length = vector_text(to, v, count);
    free(v);
    return (uint32_t)length;
}

void script_neighbours_begin(void)
{
    mine = neighbours_search_create(all, 0, 1);
}

void script_neighbours_done(void)
{
    pthread_mutex_lock(&creating);
    if (found == NULL) {
        found = mine;
    } else {
        neighbours_search_merge(found, mine);
        neighbours_search_destroy(mine);
    }
    mine = NULL;
    pthread_mutex_unlock(&creating);
}

bool script_neighbours_complete(void)
{
    return found != NULL && neighbours_search_rows(found) == neighbours_plan(all)->rows;
}

void script_neighbours_find(uint32_t first, uint32_t step)
{
    const struct neighbours_plan *plan = neighbours_plan(all);
    float *v = xcalloc(plan->shape.dimensions, sizeof(*v));
    mine = neighbours_search_create(all, first, step);
    for (uint32_t row = 1; row <= plan->rows && first < plan->queries; row++) {
        neighbours_row(all, row, v);
        neighbours_search_add(mine, row, v);
    }
    free(v);
}

uint32_t script_neighbours_answer(uint32_t query, double *rows)
{
    return neighbours_search_answer(mine != NULL ? mine : found, query, rows);
}

uint32_t script_neighbours_bucket(uint32_t query)
{
    return neighbours_first_bucket(all, query);
}

void script_neighbours_add(uint32_t query, double row)
{
    neighbours_add(all, query, (uint32_t)row);
}

void script_neighbours_change(double row, bool insert, bool done)
{
    neighbours_change(all, (uint32_t)row, insert, done);
}

double script_neighbours_mark(void)
{
    return (double)neighbours_mark(all);
}

double script_neighbours_recall(uint32_t query, double mark, const double *rows, uint32_t count)
{
    return neighbours_recall(all, query, (uint64_t)mark, rows, count);
}
