/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line. Options may be anywhere on it, and the options of a test are known only after
 * its script is loaded. So argv and --config-file are first collected and then applied in two
 * steps: the options that are known at once, and the rest after the test has added its rows.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

#include <stdbool.h>

#include "options/options.h"

struct assignment {
    char *name;  /* as written, without the leading "--" */
    char *value; /* NULL if there was no "=" */
    char *where; /* "FILE:LINE" in a --config-file; NULL for argv */
    bool applied;
};

struct cmdline {
    const char *test;    /* NULL if not given. Points into argv or an assignment, as `command`
                          * does */
    const char *command; /* NULL if not given */
    /* Set by the caller: the name of a test that takes an operand, a file, before its command. */
    const char *operand_test;
    /* Set by the caller: true if short options are errors, as in sysbench. Otherwise -h, -? and
     * -help are read as --help. */
    bool as_sysbench;
    const char *operand;            /* the operand; NULL for other tests */
    /* Set by the caller before cmdline_apply(): true if the test is a script, which may declare
     * options with the names of claimable ones (claimable.h). */
    bool may_claim;
    struct assignment *assignments; /* those of files first, so that argv takes precedence */
    unsigned count;
    struct option_spec *undeclared; /* rows created by cmdline_declare_rest() */
    /* For cmdline_hint(): the likely intention of a wrong command line; NULL if unknown. */
    const char *unknown; /* name of an option that does not exist */
    const char *meant;   /* the option that a short one, such as -V, means in other programs */
    const char *detached_option, *detached_value; /* "--option value" without '=' */
    bool misread;                                 /* a word or an option was rejected */
};

/*
 * Collects the options of argv and --config-file. argv must outlive *cmd; passwords in it are
 * overwritten. --test=X, the old way to name the test, is resolved with a warning. The verbosity of
 * messages is set here, so that it applies to all warnings. Returns −1 after a logged message if
 * there is a third word, or a --config-file is unreadable or malformed. The caller must call
 * cmdline_fini() in either case.
 */
int cmdline_collect(struct cmdline *cmd, int argc, char **argv);

/*
 * Applies the options that `set` has, and keeps the others for the next call. If `final` is true,
 * an unknown option of argv is an error, "invalid option: --x", and an unknown option of a file
 * results in a warning. If it is false, a wrong value of an option that the script may claim is
 * left for the final call. Returns −1 after a logged message.
 */
int cmdline_apply(struct cmdline *cmd, struct options *set, bool final);

/*
 * Applies the options whose names a script has claimed to `claimed`, which holds their rows, and
 * gives the options of `set` with these names their defaults. Stores in *changed whether a value
 * was given for any of them. Call it before the final cmdline_apply(). Returns −1 after a logged
 * message.
 */
int cmdline_claim(struct cmdline *cmd, struct options *set, struct options *claimed, bool *changed);

/* Warns of each option that was not applied. Used for a test that declares no options and
 * therefore accepts any, as in sysbench. */
void cmdline_tell_ignored(const struct cmdline *cmd);

/*
 * For tests that accept any option: declares the unknown options as rows of type STRING under
 * `group`, with "" if no value was given. `set` must not be used after cmdline_fini(). Returns −1
 * after a logged message.
 */
int cmdline_declare_rest(struct cmdline *cmd, struct options *set, const char *group);

/* Call after a failure: logs what the user may have meant, an option of `set` with a similar
 * name or "--option=value". Returns false if there is nothing to suggest. */
bool cmdline_hint(const struct cmdline *cmd, const struct options *set);

/* The same for an unknown command: suggests one of the usual commands of tests. */
void cmdline_hint_command(const char *command);

/* Logs that the test does not have the command: "not implemented" if other tests have it,
 * otherwise "unknown". */
void cmdline_refuse_command(const char *test, const char *command);

void cmdline_fini(struct cmdline *cmd);

#endif
