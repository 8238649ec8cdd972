/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries the server of a target in a child process: the identity of the server, and the tables in
 * the schema that the target reserves for jobs. */
#ifndef JOB_LOOK_H
#define JOB_LOOK_H

#include "service/jobs/target_list.h"
#include "tools/child.h"

struct job_look {
    char *identity;
    char *tables; /* names of the tables, each followed by '\n' */
    char *wrong;  /* reason why the query failed; NULL if it succeeded */
};

/* Queries the server. The child process executes `program`, the path of sysrate. The caller calls
 * job_look_fini(), which frees the texts. */
void job_look(struct job_look *look, const char *program, const struct target *target);
void job_look_fini(struct job_look *look);

/* Returns NULL if the server has the identity that the target requires, otherwise a sentence that
 * says what is wrong. The caller frees it. */
char *job_look_check(const struct job_look *look, const struct target *target);

/*
 * Returns the name of the first table that is not in the list `own` (names as in `tables`), or NULL
 * if all are in it. The caller frees the name.
 */
char *job_look_foreign_table(const struct job_look *look, const char *own);

/* Creates a child process that will execute `program`. Any thread of the service may call this.
 * Returns NULL after a logged message. */
struct child *job_child_create(const char *program);

/* Returns the first FATAL message of a child, with secrets masked. Without such a message, returns
 * how the child ended. The caller frees the text. */
char *job_child_reason(const struct child *child);

#endif
