/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: options may stand anywhere, and a test's own options exist only once its script
 * is loaded. So argv and --config-file are first collected, then applied: those that are known at
 * once, the rest after the test has added its rows.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

#include <stdbool.h>

#include "options/options.h"

struct assignment {
    char *name;  /* as written, without the leading "--" */
    char *value; /* NULL: there was no "=" */
    char *where; /* "FILE:LINE" of a --config-file; NULL: argv */
    bool applied;
};

struct cmdline {
    const char *test;    /* NULL: none given. Points into argv or an assignment, like command */
    const char *command; /* NULL: none given */
    /* Set before: a test that has an operand, a file, before its command. */
    const char *operand_test;
    const char *operand;            /* and that; NULL: another test */
    struct assignment *assignments; /* those of files before those of argv, so that argv wins */
    unsigned count;
    struct option_spec *undeclared; /* rows made by cmdline_declare_rest() */
    /* What may have been meant where a call has failed (cmdline_hint()). NULL: nothing. */
    const char *unknown; /* name of an option that there is not */
    const char *meant;   /* the option that a short one stands for elsewhere */
    const char *detached_option, *detached_value; /* "--option value" … */
    bool misread;                                 /* … and a word or an option was wrong */
};

/*
 * Collects argv, which must outlive *cmd and in which passwords are overwritten. --test=X, the old
 * way to name the test, is resolved here, with a warning; the verbosity of messages is set here, so
 * that it holds from the first warning on. −1 after a logged message: a third positional argument,
 * an unreadable or malformed --config-file. Call cmdline_fini() in either case.
 */
int cmdline_collect(struct cmdline *cmd, int argc, char **argv);

/*
 * Applies what `set` knows and keeps the rest for the next call. With `final`, what is still
 * unknown is an error in argv, "invalid option: --x", and gets a warning in a file. −1 after a
 * logged message.
 */
int cmdline_apply(struct cmdline *cmd, struct options *set, bool final);

/* Warns of each option that was not applied: a test that declares none takes any, as in sysbench.
 */
void cmdline_tell_ignored(const struct cmdline *cmd);

/*
 * For tests that take any option: what is still unknown becomes rows of type STRING under `group`,
 * empty where no value was given. `set` must not be used after cmdline_fini(). −1 after a logged
 * message.
 */
int cmdline_declare_rest(struct cmdline *cmd, struct options *set, const char *group);

/*
 * After a failure: logs what may have been meant, an option of `set` with another name or
 * "--option=value". False: nothing comes to mind, and nothing was logged.
 */
bool cmdline_hint(const struct cmdline *cmd, const struct options *set);

/* The same for a command that the test has not: one of those that tests usually have. */
void cmdline_hint_command(const char *command);

/*
 * Logs that the test has no such command: one that others have is not implemented, any other is
 * unknown.
 */
void cmdline_refuse_command(const char *test, const char *command);

void cmdline_fini(struct cmdline *cmd);

#endif
