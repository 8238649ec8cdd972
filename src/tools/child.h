/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the program itself as a child process, for commands that consist of several runs. No shell
 * is involved. The child executes the same file as this process, even if another version was
 * installed since, unless child_set_program() sets another program.
 *
 * A child has a folder of its own for its output (below TMPDIR or /tmp), which child_destroy()
 * removes. When the thread that started the child ends, the child gets SIGTERM, so that it ends in
 * order together with the processes that it has started. Ctrl-C at the terminal does not reach the
 * child: the parent decides how to end it.
 */
#ifndef CHILD_H
#define CHILD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* Name of the report in the child's folder. */
#define CHILD_REPORT "report.json"
/* Exit code of a child whose program could not be executed, as of a shell. */
#define CHILD_NO_PROGRAM 127

struct child;

/* Returns NULL after a logged message. */
struct child *child_create(void);
/* Kills the child if it is running, waits for its end and removes its folder. `child` may be
 * NULL. */
void child_destroy(struct child *child);

/* Sets the program that the child executes. Call it before child_launch_by(). */
void child_set_program(struct child *child, const char *path);
/* Replaces the program and its arguments by the words of a command, whose program is searched in
 * PATH. */
void child_set_command(struct child *child, char *const *words);
/*
 * Starts the child by a launcher (mpirun with its options): the words, separated by blanks, precede
 * the program on the command line. Call it before arguments are added.
 */
void child_launch_by(struct child *child, const char *words);
/*
 * For a parent with several threads: when the thread that starts the child ends, the child gets
 * SIGHUP instead of SIGTERM. The kernel may send the signal several times if all threads are
 * killed, and the second SIGTERM would end a run without its report.
 */
void child_of_threads(struct child *child);
/* Adds an argument to the command line. */
void child_arg(struct child *child, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Sets the text that the child reads from standard input, which is empty by default. The text is
 * copied. */
void child_input(struct child *child, const char *text);
/* Returns the path of a file with that name in the child's folder; the caller frees it. */
char *child_path(const struct child *child, const char *name);

/*
 * Starts the child with --json added to its arguments. Its standard output and error go to the
 * files "stdout" and "stderr" in its folder. Returns −1 after a logged message.
 */
int child_start(struct child *child);
/* Starts the child without --json, for another tool of the program such as capacity. */
int child_start_tool(struct child *child);

/* Process number of the started child. */
int64_t child_process(const struct child *child);

/* Waits for the end of the child until `deadline_ns` (CLOCK_MONOTONIC; 0: does not wait). Returns
 * true if the child has ended. */
bool child_wait(struct child *child, int64_t deadline_ns);
/* After the end: the exit code, or EXIT_BY_SIGNAL + the number of the signal that ended the
 * child. */
int child_exit_code(const struct child *child);

/* After the end: the signal that ended the child; 0 if it has exited. */
int child_end_signal(const struct child *child);
/* After the end: "exit code 1" or "ended by signal 11 (Segmentation fault)"; owned by the child. */
const char *child_end_text(const struct child *child);

/* Sends a signal. Returns −1 if the child has ended. */
int child_signal(struct child *child, int signal);
/*
 * Stops the child (SIGSTOP) and returns when all its threads are stopped; SIGCONT lets them
 * continue. Returns −1 if the child has ended.
 */
int child_freeze(struct child *child);

/* After the end: the report that the child wrote, a new reference; NULL if it wrote no report. */
json_t *child_report(const struct child *child);
/*
 * After the end: the contents of "stderr" or another file in the child's folder; "" if the file
 * does not exist. The caller frees the text.
 */
char *child_text(const struct child *child, const char *name);
/* After the end: the first line of standard error with FATAL, otherwise the last line, without the
 * level; "" if there is none. The caller frees the text. */
char *child_reason(const struct child *child);

#endif
