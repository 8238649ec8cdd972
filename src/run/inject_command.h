/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command beside a run: a process in a session, and so a process group, of its own, with nothing
 * to read and its output taken away as fast as it comes; the end of it is kept. It gets SIGTERM
 * when the program is killed. Each is used by one thread, which lives longer than the process.
 */
#ifndef INJECT_COMMAND_H
#define INJECT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/inject_tail.h"

/* Written by the functions below; exit_code and signal are for the caller to read. */
struct inject_command {
    pid_t pid;       /* and the number of its group */
    int pidfd;       /* −1: the process has ended */
    int output;      /* −1: closed by all that had it */
    int exit_code;   /* −1: none (yet) */
    int signal;      /* that has ended it; 0: none */
    int64_t kill_ns; /* when patience ends; INT64_MAX: it was not asked to end */
    struct inject_tail *tail;
};

/* 0, or the errno of what failed. `tail` gets its output. */
int inject_command_start(struct inject_command *c, char *const argv[], struct inject_tail *tail);

/*
 * Returns when the process has ended. Once `stop_fd` is readable it must: that takes 3 s at most:
 * its group gets SIGTERM, after 2 s SIGKILL. False: not even then.
 */
bool inject_command_wait(struct inject_command *c, int stop_fd);

/*
 * Takes what processes that it has left behind still write, until `stop_fd` is readable. Then these
 * get SIGTERM, and SIGKILL when all have closed the output, or after 2 s.
 */
void inject_command_finish(struct inject_command *c, int stop_fd);

#endif
