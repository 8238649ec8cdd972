/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that a launcher has started with one command line find the same mistake in it, before
 * they know each other. The first of them says so, and the launcher ends the others for that. These
 * hold their messages, and wait to be ended; and the first ends when all have been started. mpirun
 * of Open MPI 4 may wait for ever for dozens of processes that end with an error at one moment, or
 * while it still starts some.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>

#include "ranks/launch/held.h"

struct follower {
    bool early;     /* it has not joined the others yet */
    bool follows;   /* it is not the first of them */
    unsigned ranks; /* 0: it is alone */
    struct held messages;
};

/* Before anything is said. Does nothing for a process that is alone. */
void follower_begin(struct follower *follower);
/* What is said from here on is its own: it enters the launcher's library, which may speak and end.
 */
void follower_speak(struct follower *follower);
/* It goes on, or ends well: nothing is held any more. */
void follower_go_on(struct follower *follower);
/* It ends with an error, which is its own alone when nobody ends it here. */
void follower_fail(struct follower *follower);

#endif
