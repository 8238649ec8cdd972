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

#define INJECT_TAIL_BYTES 4096

/* The end of a text of any length. */
struct inject_tail {
    uint64_t bytes; /* of all of it */
    size_t used;
    char text[2 * INJECT_TAIL_BYTES]; /* the last `used` of them */
};

void inject_tail_add(struct inject_tail *tail, const char *text, size_t bytes);
/*
 * Its last INJECT_TAIL_BYTES as a string that does not begin in the middle of a UTF-8 character;
 * the caller frees it.
 */
char *inject_tail_text(const struct inject_tail *tail);

struct inject_command {
    pid_t pid;
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
 * Takes what processes that it has left behind still write, until `stop_fd` is readable; then ends
 * them in the same way.
 */
void inject_command_finish(struct inject_command *c, int stop_fd);

#endif
