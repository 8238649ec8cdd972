/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: functions that give any bytes to a part of the program that reads what others have
 * written. A target has found something when it crashes, when a sanitizer objects, when memory is
 * left, or when FUZZ_CHECK() does not hold. run_seeds.c runs them on the seeds and on files,
 * libfuzzer.c under libFuzzer (scripts/fuzz.sh).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fuzz_target {
    const char *name;
    /* Once, before the first input. NULL: nothing to do. */
    void (*begin)(void);
    /* Messages down to warnings are heard and not printed (log_capture()). */
    void (*run)(const uint8_t *data, size_t bytes);
    /*
     * Another input like this one, in place, in a buffer of `room` bytes; returns its length, 0:
     * none can be made. NULL: libFuzzer changes bytes by itself.
     */
    size_t (*mutate)(uint8_t *data, size_t bytes, size_t room, unsigned seed);
};

/* NULL-terminated. */
extern const struct fuzz_target *const fuzz_targets[];
/* NULL: there is none of that name. */
const struct fuzz_target *fuzz_find(const char *name);

/* Before all else: keeps the standard error of this moment for FUZZ_CHECK(). */
void fuzz_setup(void);
void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes);

/* What must hold whatever the input is; aborts where it does not. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_failed(__FILE__, __LINE__, #condition);                                           \
    } while (0)
void fuzz_failed(const char *file, int line, const char *condition) __attribute__((noreturn));

/*
 * How long a server of a target waits for the next statement before it hangs up, in ms. Only inputs
 * with an answer that is cut short come to that.
 */
extern int fuzz_patience_ms;

/* The bytes up to the first zero as a text; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t bytes);

/* The next line of *text, cut in place, without its end; NULL: there is none. */
char *fuzz_line(char **text);

/* A file with these bytes, which only this process sees. */
struct fuzz_file {
    int fd;
    char path[32];
};
void fuzz_file_init(struct fuzz_file *file, const uint8_t *data, size_t bytes);
void fuzz_file_fini(struct fuzz_file *file);

/* A stream whose bytes nobody reads. */
FILE *fuzz_null(void);

extern const struct fuzz_target fuzz_options, fuzz_config;
extern const struct fuzz_target fuzz_rate, fuzz_trace;
extern const struct fuzz_target fuzz_slo, fuzz_inject, fuzz_percentile;
extern const struct fuzz_target fuzz_report, fuzz_spool, fuzz_hlog, fuzz_log;
extern const struct fuzz_target fuzz_jobs, fuzz_service;
extern const struct fuzz_target fuzz_mysql, fuzz_pgsql;

#endif
