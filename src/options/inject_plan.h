/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions of --inject: statements and commands that are executed at given times of the run.
 * Each is written as
 *
 *     TIME: sql: STATEMENT      executed by the workload in a separate session
 *     TIME: exec: COMMAND       a program and its arguments; '…', "…" and \ as in a shell
 *     TIME: sh: COMMAND         executed by /bin/sh -c
 *
 * TIME is measured from the start of the run (units ms, s, m, h; seconds by default).
 */
#ifndef INJECT_PLAN_H
#define INJECT_PLAN_H

#include <stdint.h>

/* A storm is written in another option: --connection-storm=TIME: COUNT. */
enum inject_kind { INJECT_SESSION, INJECT_EXEC, INJECT_SHELL, INJECT_STORM, INJECT_KINDS };

/* The names as users write them: "sql", "exec", "sh"; "storm" in reports. */
extern const char *const inject_kind_names[INJECT_KINDS];

struct inject_action {
    int64_t at_ns; /* nanoseconds since the start of the run */
    enum inject_kind kind;
    char *text;  /* the statement or command */
    char *shown; /* the text for messages and reports: on one line, with secrets masked */
    char **argv; /* words of the command, NULL-terminated; NULL for other kinds */
    uint64_t count; /* of a storm: the number of connections */
};

/* Actions sorted by time. Actions of the same time are in the order of the command line. */
struct inject_plan {
    struct inject_action *actions;
    unsigned count;
};

/* Returns NULL if `text` has one of the forms above, otherwise a static string that says what is
 * allowed. */
const char *inject_plan_check(const char *text);

/* Parses texts that inject_plan_check() has accepted. `texts` ends with NULL, and may be NULL if
 * there are no actions. */
void inject_plan_load(struct inject_plan *plan, char *const *texts);
/* Like inject_plan_check(), for TIME: COUNT of a storm. */
const char *inject_plan_check_storm(const char *text);
/* Adds storms to the plan. `texts` is as for inject_plan_load(). */
void inject_plan_add_storms(struct inject_plan *plan, char *const *texts);
void inject_plan_fini(struct inject_plan *plan);

#endif
