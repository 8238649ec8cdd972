/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test that a tool runs again and again, each time as a child process: what stands behind "--"
 * on the tool's command line, `sysrate TOOL [options] -- TEST [options]`.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "options/tool_options.h"
#include "tools/child.h"

/* The row of an option of tools whose runs several machines can make. */
#define SUBJECT_LAUNCHER_ROW                                                                       \
    {                                                                                              \
        "launcher", OPTION_STRING,                                                                 \
            .help = "what starts each run on several machines, such as 'mpirun --host a,b'",       \
            .check = subject_check_launcher, .field = OPTION_NO_FIELD                              \
    }

struct subject {
    struct options *options; /* the tool's own, with their values */
    struct cmdline own;      /* where these come from */
    struct cmdline cmdline;  /* the test and its options; not applied */
    char **warned;           /* what subject_pass_warnings() has passed on, without digits */
    size_t warnings;
    char *secrets; /* its passwords and what holds some, as lines of a --config-file; NULL: none */
};

/*
 * Reads the command line of a tool, which must outlive it and in which passwords are overwritten;
 * argv[0] is the tool's name. −1: go on; else the exit code: 0, help was printed; 1 after a logged
 * message: a wrong option of the tool, no test, one from standard input, another command than run,
 * an option whose file all runs would write to. Call subject_fini() in any case.
 */
int subject_init(struct subject *subject, const struct tool_options *tool, int argc, char **argv);
void subject_fini(struct subject *subject);

/*
 * −1 after a logged message when an option of that name cannot be handed on: all runs would write
 * to the file that it names.
 */
int subject_check_option(const char *name);

/* NULL when `words` begin with a program that can be found; else what is allowed. */
const char *subject_check_launcher(const char *words);

/* Whether the value of that option is a password, or an injection with one in it. */
bool subject_value_is_secret(const char *name, const char *value);

/*
 * A child that will execute `command` of the test with its options; those that child_arg() adds win
 * over them. Passwords are in its standard input: they are in no list of processes and in no file.
 * NULL after a logged message.
 */
struct child *subject_child(const struct subject *subject, const char *command);

/*
 * Passes the warnings of a child that has ended on, each behind `label`: those that no child gave
 * before, but for their figures. An array of runs that all say the same says it once.
 */
void subject_pass_warnings(struct subject *subject, const struct child *child, const char *label);

/*
 * Starts such a child, waits for its end and destroys it. −1 when it failed, after its messages
 * were passed on. With the command "help" it tells whether the test takes all its options.
 */
int subject_finish(struct child *child);

#endif
