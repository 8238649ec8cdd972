/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at the server of a target, by a process of its own: who it is, and which tables are in
 * the schema that is set aside. */
#ifndef JOB_LOOK_H
#define JOB_LOOK_H

#include "service/jobs/target_list.h"
#include "tools/child.h"

struct job_look {
    char *identity;
    char *tables; /* one text with '\n' behind each */
    char *wrong;  /* why nothing is known; NULL: it is */
};

/* The process executes `program`, the path of sysrate. job_look_fini() frees what is in `look`. */
void job_look(struct job_look *look, const char *program, const struct target *target);
void job_look_fini(struct job_look *look);

/* NULL: the server is the right one. Otherwise what is wrong; the caller frees it. */
char *job_look_check(const struct job_look *look, const struct target *target);

/*
 * The first table that is not among `own` (names as in job_look). NULL: all are. The caller frees
 * it.
 */
char *job_look_stranger(const struct job_look *look, const char *own);

/* A child of a thread of the service, which will execute `program`. Returns NULL after a logged
 * message. */
struct child *job_child_create(const char *program);

/* The first message of a child that says why it failed, or how it ended, without secrets; the
 * caller frees it. */
char *job_child_reason(const struct child *child);

#endif
