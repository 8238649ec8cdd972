/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands other than `run`: prepare, cleanup, warmup, and those that scripts define. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "options/settings.h"
#include "sql/sql.h"
#include "workloads/script/script.h"

/* The processes (ranks) that execute a command together. A barrier of its threads is then a barrier
 * of the threads of all processes. */
struct command_peers {
    unsigned number, count; /* number of this process and number of processes; number < count */
    /*
     * Called by the thread that runs the command, when all threads of this process that have not
     * ended wait at a barrier. Returns when the same is true in all processes. Returns false if a
     * process has failed.
     */
    bool (*meet)(void *arg);
    void *arg;
};

/*
 * Runs `command` once in `main_script`, or, if the script declares the command parallel, in
 * settings->threads threads that have a Lua state each. `peers` is NULL if the process is alone. A
 * command that is not parallel is executed by rank 0 only. Returns −1 after logging a message if
 * the command is unknown or fails in any thread.
 */
int command_run(const char *command, const struct settings *settings,
                const struct script_source *source, struct sql *sql, struct script *main_script,
                const struct command_peers *peers);

#endif
