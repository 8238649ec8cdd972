/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that a launcher has started with one invalid command line all find the same error
 * before they have joined each other. Only the first process prints its message; the launcher then
 * ends the other processes, which hold their messages in memory and wait to be ended. The first
 * process waits before it ends until all processes have been started: mpirun of Open MPI 4 may hang
 * if dozens of processes end with an error at the same time, or while it is still starting
 * processes.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>

#include "ranks/launch/held.h"

struct follower {
    bool early;     /* true until this process has joined the others */
    bool follows;   /* true if this process is not the first one */
    unsigned ranks; /* number of processes; 0 if this process is alone */
    struct held messages;
};

/* Call before the first message is logged. Does nothing in a process that is alone. */
void follower_begin(struct follower *follower);
/* Stops holding messages, because the process now enters the launcher's library, which may print
 * messages and end the process. */
void follower_speak(struct follower *follower);
/* The process continues, or ends successfully: stops holding messages. */
void follower_go_on(struct follower *follower);
/*
 * Call before the process ends with an error. Waits to be ended by the launcher, or in the first
 * process until all processes are started. If the process is still running after that, the error
 * concerns this process alone, and its held messages are written.
 */
void follower_fail(struct follower *follower);

#endif
