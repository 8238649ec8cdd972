/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz targets. A target is a function that passes arbitrary bytes to a part of the program that
 * reads untrusted input. It fails if it crashes, if a sanitizer reports an error, if memory leaks,
 * or
 * if a condition of FUZZ_CHECK() is false. run_seeds.c runs the targets on the seeds and on files;
 * libfuzzer.c runs them under libFuzzer (scripts/fuzz.sh).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fuzz_target {
    const char *name;
    /* Called once before the first input; may be NULL. */
    void (*begin)(void);
    /* Runs one input. Messages are collected by log_capture() instead of being printed. */
    void (*run)(const uint8_t *data, size_t bytes);
    /*
     * Changes the input in place into a similar one. The buffer has `room` bytes. Returns the
     * length of
     * the new input, or 0 if the input cannot be changed. NULL if libFuzzer's own changes of bytes
     * are
     * good enough for this target.
     */
    size_t (*mutate)(uint8_t *data, size_t bytes, size_t room, unsigned seed);
};

/* All targets, NULL-terminated. */
extern const struct fuzz_target *const fuzz_targets[];
/* Returns NULL if there is no target of this name. */
const struct fuzz_target *fuzz_find(const char *name);

/* Must be called first. FUZZ_CHECK() prints to the standard error of this moment, even if it is
 * redirected later. */
void fuzz_setup(void);
void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes);

/* Aborts if the condition, which must hold for every input, is false. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_failed(__FILE__, __LINE__, #condition);                                           \
    } while (0)
void fuzz_failed(const char *file, int line, const char *condition) __attribute__((noreturn));

/*
 * Milliseconds that the fake server waits for the next statement before it disconnects. Only inputs
 * with an incomplete answer reach this limit.
 */
extern int fuzz_patience_ms;

/* Returns the bytes up to the first zero as a text; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t bytes);

/* Cuts the next line off *text and returns it without its newline. Returns NULL at the end. */
char *fuzz_line(char **text);

/* A file with the bytes of an input, in memory; other processes cannot see it. */
struct fuzz_file {
    int fd;
    char path[32];
};
void fuzz_file_init(struct fuzz_file *file, const uint8_t *data, size_t bytes);
void fuzz_file_fini(struct fuzz_file *file);

/* Returns a stream that discards what is written to it. */
FILE *fuzz_null(void);

extern const struct fuzz_target fuzz_options, fuzz_config;
extern const struct fuzz_target fuzz_rate, fuzz_law, fuzz_trace;
extern const struct fuzz_target fuzz_slo, fuzz_inject, fuzz_percentile, fuzz_retry;
extern const struct fuzz_target fuzz_report, fuzz_spool, fuzz_hlog, fuzz_log, fuzz_log_lines;
extern const struct fuzz_target fuzz_metrics, fuzz_vectors;
extern const struct fuzz_target fuzz_jobs, fuzz_service;
extern const struct fuzz_target fuzz_mysql, fuzz_pgsql;

#endif
