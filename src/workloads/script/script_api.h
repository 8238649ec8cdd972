/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers, the clock, histograms and commands for scripts. This file is a part of the
 * interface between Lua and C; its text is passed to ffi.cdef (engine/worker_api.h describes the
 * rules for such a file).
 */
#ifndef SCRIPT_API_H
#define SCRIPT_API_H

#include <stdbool.h>
#include <stdint.h>

/* Random numbers of the calling thread (rand.h describes the distributions). Functions with double
 * bounds are exact up to 2^53. */
double script_rand_default(double a, double b);
double script_rand_uniform(double a, double b);
double script_rand_gaussian(double a, double b);
double script_rand_special(double a, double b);
double script_rand_pareto(double a, double b);
double script_rand_zipfian(double a, double b);
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
double sb_rand_uniform_double(void);
void sb_rand_str(const char *fmt, char *buf);
uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len);
uint32_t script_rand_alnum(char *buf, uint32_t min_len, uint32_t max_len);
/*
 * For n ≥ 0, the calling thread now draws from stream n of the seed, starting at its beginning; the
 * numbers are the same in every thread. For n < 0, it continues with its own stream where it left
 * off.
 */
void script_rand_stream(double n);

/* Returns CLOCK_MONOTONIC in seconds. */
double script_clock(void);
/* Sleeps for this time, from 0 to some hours. The end of the run does not shorten the sleep,
 * because the event in service is measured as a whole. */
void script_sleep(double seconds);

/* sysbench.histogram: `size` buckets with logarithmic widths from `min` to `max`. */
typedef struct script_histogram script_histogram;
script_histogram *script_histogram_create(double size, double min,
                                          double max); /* NULL if the bounds are invalid */
void script_histogram_update(script_histogram *h, double value);
void script_histogram_print(script_histogram *h);
void script_histogram_destroy(script_histogram *h);

/*
 * Vectors and their exact nearest neighbours, for workloads that measure recall (neighbours.h). The
 * set of vectors is one per process. `metric` is 0 for L2, 1 for cosine, 2 for the inner product.
 * Numbers of rows start at 1; row n is vector n of the synthetic data, below 2^31, and query q is
 * vector 2^31 + q.
 */
/* Opens a file of vectors, from which rows and queries are read instead; to be called before
 * script_vectors_begin(). The first file of the process stays open. Returns NULL, or the reason why
 * the file cannot be used. */
const char *script_vectors_open(const char *path);
/* The number of vectors of the file, of the components of each, and the checksum of the file. */
double script_vectors_count(void);
uint32_t script_vectors_dimensions(void);
double script_vectors_checksum(void);
/* Sets the shape of the data. Returns true for the first call in the process. */
bool script_vectors_begin(double seed, uint32_t dimensions, uint32_t clusters, uint32_t metric,
                          double rows, uint32_t queries, uint32_t k, uint32_t buckets);
/* Bytes that the text of a vector may have, and the text of a row or a query. */
uint32_t script_vector_bytes(void);
uint32_t script_vector_text(char *to, double row);
uint32_t script_query_text(char *to, uint32_t query);
/*
 * The exact answers of queries, and of filtered queries, whose numbers follow those of the queries.
 * If the threads of this process draw all rows between script_neighbours_begin() and
 * script_neighbours_done(), each row once, these find the answers of all queries. Otherwise
 * script_neighbours_find() finds those of the queries first, first + step, ... for the calling
 * thread.
 */
void script_neighbours_begin(void);
void script_neighbours_done(void);
/* Returns true if the threads of this process have drawn all rows. */
bool script_neighbours_complete(void);
void script_neighbours_find(uint32_t first, uint32_t step);
/* Writes the nearest rows of a query, nearest first, and returns their number, at most k. */
uint32_t script_neighbours_answer(uint32_t query, double *rows);
/* The first of the buckets that the filter of a query keeps. */
uint32_t script_neighbours_bucket(uint32_t query);
/* Adds the next of the nearest rows of a query, which prepare has found. */
void script_neighbours_add(uint32_t query, double row);
/* To be called before and after a row is inserted or deleted. */
void script_neighbours_change(double row, bool insert, bool done);
/* Returns a mark of the present, to be taken before a search. */
double script_neighbours_mark(void);
/* Returns the recall of a search that began at `mark` and found `count` rows; −1 if
 * the exact answer is not known. */
double script_neighbours_recall(uint32_t query, double mark, const double *rows, uint32_t count);

/* Functions for commands that run in several threads (command.c). */
/* waits for all threads of the command; false if another thread failed */
bool command_barrier(void);
/* The position of the calling thread if several processes share a command without exchanging
 * messages (--node): number of the process, and number of the thread in the process. */
typedef struct {
    uint32_t node, nodes, thread, threads;
} command_place;
/* Returns false if this process executes the whole command. */
bool command_find_place(command_place *place);
void command_progress_total(double n); /* one thread announces the total number of rows */
void command_progress(double n);       /* n more rows are done */
/* Returns 0, 1, 2, …: each number once since the last barrier. Returns infinity if another thread
 * has failed, so that nothing is left to do. */
double command_claim(void);

#endif
