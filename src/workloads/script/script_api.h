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
void command_progress_total(double n);         /* one thread announces the total number of rows */
void command_progress(double n);               /* n more rows are done */
/* Returns 0, 1, 2, …: each number once since the last barrier. Returns infinity if another thread has
 * failed, so that nothing is left to do. */
double command_claim(void);

#endif
