/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands other than `run`: prepare, cleanup, warmup, and those that scripts define. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "options/settings.h"
#include "sql/sql.h"
#include "workloads/script/script.h"

/* Processes that execute a command together: a barrier of its threads is one of all of them. */
struct command_peers {
    unsigned number, count; /* of the processes; number < count */
    /* All threads of this process that have not ended wait at a barrier: returns when the same
     * holds for all processes. false: one of them has failed. Called by the thread that runs the
     * command. */
    bool (*meet)(void *arg);
    void *arg;
};

/*
 * Runs `command` once in `main_script`, or, when the script declares it parallel, in
 * settings->threads threads with states of their own. −1 after a logged message when it is unknown
 * or failed anywhere. `peers`: NULL where this process does not know of others. One that is not
 * declared parallel is executed by rank 0 alone.
 */
int command_run(const char *command, const struct settings *settings,
                const struct script_source *source, struct sql *sql, struct script *main_script,
                const struct command_peers *peers);

#endif
