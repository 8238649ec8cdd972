/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command during a run: a process in a session and process group of its own. Its standard
 * input is empty. Its output is read as fast as it comes, and the last part is kept. The process
 * gets SIGTERM if the program is killed. Each command is used by one thread, which must outlive the
 * process.
 */
#ifndef INJECT_COMMAND_H
#define INJECT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/inject_tail.h"

/* The functions below write the fields; the caller may read exit_code and signal. */
struct inject_command {
    pid_t pid;       /* process id, which is also the id of the process group */
    int pidfd;       /* −1 after the process has ended */
    int output;      /* read end of the output; −1 after all writers have closed it */
    int exit_code;   /* −1 if the process has not exited by itself */
    int signal;      /* signal that has ended the process; 0 if none did */
    int64_t kill_ns; /* when to send SIGKILL; INT64_MAX before SIGTERM was sent */
    struct inject_tail *tail;
};

/* Starts the command. Its output is added to `tail`. Returns 0 or an errno. */
int inject_command_start(struct inject_command *c, char *const argv[], struct inject_tail *tail);

/*
 * Waits until the process has ended. Once `stop_fd` is readable, the process group gets SIGTERM,
 * and SIGKILL after 2 s. Returns false if the process has not even ended after 3 s.
 */
bool inject_command_wait(struct inject_command *c, int stop_fd);

/*
 * To be called after inject_command_wait(). If child processes of the command are still running,
 * keeps reading their output until `stop_fd` is readable. Then sends them SIGTERM, and SIGKILL when
 * all have closed the output, or after 2 s.
 */
void inject_command_finish(struct inject_command *c, int stop_fd);

#endif
