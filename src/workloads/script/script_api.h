/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers, histograms and commands for scripts: a part of the boundary between Lua
 * and C, whose text is fed to ffi.cdef (engine/worker_api.h says what that asks of it).
 */
#ifndef SCRIPT_API_H
#define SCRIPT_API_H

#include <stdbool.h>
#include <stdint.h>

/* Random numbers of the calling thread (rand.h says what each draws). Those with double are exact
 * to 2^53. */
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
/* Numbers come from stream n ≥ 0 of the seed, from its beginning, in whatever thread; n < 0: from
 * the thread's own again, where that was left. */
void script_rand_stream(double n);

/* sysbench.histogram: `size` logarithmic steps from `min` to `max`. */
typedef struct script_histogram script_histogram;
script_histogram *script_histogram_create(double size, double min,
                                          double max); /* NULL: bad bounds */
void script_histogram_update(script_histogram *h, double value);
void script_histogram_print(script_histogram *h);
void script_histogram_destroy(script_histogram *h);

/* Commands that run in several threads (command.c). */
bool command_barrier(void); /* waits for all threads of the command; false: another one failed */
/* Where processes that do not know each other share a command: which of them this is, and which of
 * its threads the calling one is. */
typedef struct {
    uint32_t node, nodes, thread, threads;
} command_place;
bool command_find_place(command_place *place); /* false: this process has the whole command */
void command_progress_total(double n);         /* announces n rows to come, once, by any thread */
void command_progress(double n);               /* n rows more are done */
double command_claim(void); /* 0, 1, 2 ...: what no other thread has got since the last barrier */

#endif
