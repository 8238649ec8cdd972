/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test that a tool runs repeatedly, each time as a child process: the words after "--" on the
 * command line of the tool, `sysrate TOOL [options] -- TEST [options]`.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "options/tool_options.h"
#include "tools/child.h"

/* Option --launcher of tools whose runs can use several machines. */
#define SUBJECT_LAUNCHER_ROW                                                                       \
    {                                                                                              \
        "launcher", OPTION_STRING,                                                                 \
            .help = "starts each run on several machines, such as 'mpirun --host a,b'",            \
            .check = subject_check_launcher, .field = OPTION_NO_FIELD                              \
    }

struct subject {
    struct options *options; /* options of the tool, with their values */
    struct cmdline own;      /* command line of the tool */
    struct cmdline cmdline;  /* command line of the test; its options are checked by the child */
    char **warned;           /* warnings that subject_pass_warnings() has printed, without digits */
    size_t warnings;
    /* Options with passwords, as lines of a --config-file; NULL if there are no such options. */
    char *secrets;
};

/*
 * Reads the command line of a tool, which must stay valid; passwords in it are overwritten. argv[0]
 * is the name of the tool. Returns −1 if the tool should continue, otherwise the exit code: 0 after
 * printing help; 1 after a logged message about a wrong option of the tool, a missing test, a test
 * from standard input, another command than run, or an option that names a file which all runs
 * would write to. Call subject_fini() in any case.
 */
int subject_init(struct subject *subject, const struct tool_options *tool, int argc, char **argv);
/* The same for a tool whose test may also be the replay of a log: `-- replay LOG [options]`. */
int subject_init_or_log(struct subject *subject, const struct tool_options *tool, int argc,
                        char **argv);
void subject_fini(struct subject *subject);

/*
 * Returns −1 after a logged message if the option must not be passed to the runs, because all of
 * them would write to the file that it names.
 */
int subject_check_option(const char *name);

/* Returns NULL if `words` begin with a program that exists in PATH, otherwise a description of
 * allowed values. */
const char *subject_check_launcher(const char *words);

/* Returns true if the value of the option is a password, or an injection that contains a
 * password. */
bool subject_value_is_secret(const char *name, const char *value);

/*
 * Creates a child that will execute `command` of the test with the options of the test. Arguments
 * added by child_arg() override them. Passwords are passed by standard input, so that they do not
 * appear in the list of processes or in a file. Returns NULL after a logged message.
 */
struct child *subject_child(const struct subject *subject, const char *command);
/* The same for a child that executes another program; NULL for this one. */
struct child *subject_child_of(const struct subject *subject, const char *command,
                               const char *program);

/*
 * Prints the warnings of a child that has ended, each after `label`. Of warnings that differ only in
 * their digits, the first is printed.
 */
void subject_pass_warnings(struct subject *subject, const struct child *child, const char *label);

/*
 * Starts a child of subject_child(), waits for its end and destroys it. Returns −1 if the child
 * failed; its messages were printed then. With the command "help" this checks the options of the
 * test.
 */
int subject_finish(struct child *child);

/* Returns the options of the test as an array of texts, "NAME=VALUE", without passwords; a new
 * reference. */
json_t *subject_plan(const struct subject *subject);

/* Returns for example "run failed: no such table" for a child that has ended; the caller frees the
 * text. */
char *subject_failure(const char *command, const struct child *child);

/*
 * Returns true if the run with this summary and exit code has completed and its measurement is
 * useful; a negative judgement is not a failure. `summary` may be NULL.
 */
bool subject_has_measured(const json_t *summary, int code);

/* Returns the errors of all injections that failed in the run with this report, or NULL; the caller
 * frees the text. */
char *subject_injection_failures(const json_t *head);

/* Returns true if the test is the replay of a log, which is cmd->operand. This can be so only after
 * subject_init_or_log(). */
bool subject_has_log(const struct cmdline *cmd);

/*
 * Returns all values of an option on a command line as a NULL-terminated list; the set of options
 * masks passwords in values of options that repeat. The caller calls subject_values_free().
 */
char **subject_values(const struct cmdline *cmd, const char *name);
void subject_values_free(char **list);

#endif
