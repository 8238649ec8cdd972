/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test that a tool runs again and again, each time as a child process: what stands behind "--"
 * on the tool's command line, `sysrate TOOL [options] -- TEST [options]`.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "child.h"
#include "cmdline.h"

struct subject {
    struct cmdline cmdline; /* the test and its options; not applied */
    char *secrets; /* its passwords and what holds some, as lines of a --config-file; NULL: none */
};

/* The index of "--" in argv; argc when there is none. */
int subject_index(int argc, char **argv);

/*
 * Reads argv, which must outlive it and in which passwords are overwritten; argv[0] is the "--". −1
 * after a logged message: no test, one from standard input, another command than run, an option
 * whose file all runs would write to. Call subject_fini() in either case.
 */
int subject_init(struct subject *subject, int argc, char **argv);
void subject_fini(struct subject *subject);

/* −1 after a logged message when an option of that name cannot be handed on, as above. */
int subject_check_option(const char *name);

/* Whether it is a password, or an injection with one in it. */
bool subject_value_is_secret(const char *name, const char *value);

/*
 * A child that will execute `command` of the test with its options; those that child_arg() adds win
 * over them. Passwords are in its standard input: they are in no list of processes and in no file.
 * NULL after a logged message.
 */
struct child *subject_child(const struct subject *subject, const char *command);

/*
 * Starts such a child, waits for its end and destroys it. −1 when it failed, after its messages
 * were passed on. With the command "help" it tells whether the test takes all its options.
 */
int subject_finish(struct child *child);

#endif
