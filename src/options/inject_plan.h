/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --inject asks for: statements and commands at given moments of the run, each as
 *
 *     TIME: sql: STATEMENT      handed to the workload, which executes it in a session of its own
 *     TIME: exec: COMMAND       a program and its arguments; '…', "…" and \ as in a shell
 *     TIME: sh: COMMAND         by /bin/sh -c
 *
 * TIME counts from the start of the run (units ms, s, m, h; s when left out).
 */
#ifndef INJECT_PLAN_H
#define INJECT_PLAN_H

#include <stdint.h>

enum inject_kind { INJECT_SESSION, INJECT_EXEC, INJECT_SHELL, INJECT_KINDS };

/* As it is written: "sql", "exec", "sh". */
extern const char *const inject_kind_names[INJECT_KINDS];

struct inject_action {
    int64_t at_ns; /* since the start of the run */
    enum inject_kind kind;
    char *text;  /* the statement, or the command */
    char *shown; /* the same on one line, without secrets: for all that people read */
    char **argv; /* of a command, NULL-terminated; NULL for a statement */
};

/* By time; those of the same time in the order in which they were given. */
struct inject_plan {
    struct inject_action *actions;
    unsigned count;
};

/* NULL when `text` is one of the forms above; else what is allowed, a static string. */
const char *inject_plan_check(const char *text);

/* Takes texts that inject_plan_check() has let pass; NULL-terminated, NULL: none. */
void inject_plan_load(struct inject_plan *plan, char *const *texts);
void inject_plan_fini(struct inject_plan *plan);

#endif
