/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself as a child process: for commands that are made of several runs. No shell; the
 * child is the file that is running now, even when another was installed meanwhile, unless
 * child_set_program() says otherwise.
 *
 * A child has a folder of its own for its output (below TMPDIR or /tmp), removed by
 * child_destroy(). It gets SIGTERM when the thread that started it ends, so that it ends in order,
 * and with it what it has started. The terminal's Ctrl-C does not reach it: the parent says what
 * becomes of it.
 */
#ifndef CHILD_H
#define CHILD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* The name of the report in the child's folder. */
#define CHILD_REPORT "report.json"

struct child;

/* NULL after a logged message. */
struct child *child_create(void);
/* Kills it if it still runs, waits for that, removes its folder. NULL is ignored. */
void child_destroy(struct child *child);

/* The child executes the program `path`. Before child_launch_by(). */
void child_set_program(struct child *child, const char *path);
/*
 * Starts it by a launcher (mpirun with its options): the words, apart by blanks, stand before the
 * program on the command line. Before any argument is added.
 */
void child_launch_by(struct child *child, const char *words);
/*
 * The parent has several threads: the child gets SIGHUP, not SIGTERM, when the one that starts it
 * ends. The kernel may send that signal several times when all threads are killed, and the second
 * SIGTERM would end a run without its report.
 */
void child_of_threads(struct child *child);
/* Adds one argument of its command line. */
void child_arg(struct child *child, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* What it reads from standard input, copied; nothing unless set. */
void child_input(struct child *child, const char *text);
/* The path of a file of that name in the child's folder; the caller frees it. */
char *child_path(const struct child *child, const char *name);

/*
 * Starts it, with --json added to its arguments. Its standard output and error go to the files
 * "stdout" and "stderr" in its folder. −1 after a logged message.
 */
int child_start(struct child *child);
/* The same without --json: for another tool of the program, such as capacity. */
int child_start_tool(struct child *child);

/* Its number, after the start. */
int64_t child_process(const struct child *child);

/* Whether it has ended, waiting for that until `deadline_ns` (CLOCK_MONOTONIC; 0: not at all). */
bool child_wait(struct child *child, int64_t deadline_ns);
/* After the end: its exit code, or EXIT_BY_SIGNAL + the signal that ended it. */
int child_exit_code(const struct child *child);

/* After the end: the signal that ended it; 0: none did. */
int child_end_signal(const struct child *child);
/* After the end: how, "exit code 1" or "ended by signal 11 (Segmentation fault)"; the child's. */
const char *child_end_text(const struct child *child);

/* −1 when it has ended. */
int child_signal(struct child *child, int signal);
/*
 * Stops it (SIGSTOP) and returns when all its threads stand still; SIGCONT makes it go on. −1 when
 * it has ended.
 */
int child_freeze(struct child *child);

/* After the end: the report it wrote, a new reference; NULL when there is none. */
json_t *child_report(const struct child *child);
/*
 * After the end: what it wrote to "stderr" or another file of its folder; "" when there is none.
 * The caller frees it.
 */
char *child_text(const struct child *child, const char *name);

#endif
