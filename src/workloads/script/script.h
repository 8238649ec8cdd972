/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lua states. Each worker has one of its own, and so has the main thread; the script's body runs in
 * each. The internal modules (src/workloads/script/lua) are compiled into the program and loaded into a
 * state when first used; so are most fields of the table `sysbench`.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>

#include "base/rand.h"
#include "workloads/script/script_source.h"

struct script;

/*
 * A state with the modules in place; the body has not run. `thread` is sysbench.tid. Scripts draw
 * from `rand`. The state belongs to the calling thread. NULL after a logged message.
 */
struct script *script_create(const struct script_source *source, int thread, struct rand *rand);
void script_destroy(struct script *script);

/* Runs the body. −1 after a logged message with script and line. */
int script_load(struct script *script);

/* From now on what it does is measured: os.exit() is an error that ends the run with its report. */
void script_measure(struct script *script);

bool script_has_function(struct script *script, const char *name);

/*
 * Calls a global function with the thread number; one that is not there is no error. −1 after
 * "FATAL: `name' function failed: …".
 */
int script_call(struct script *script, const char *name);

/* The last step before script_run_events(), so that this can start at once. −1 after a logged
 * message. */
int script_prepare_events(struct script *script);
/* The run loop of a worker: the script's own thread_run, or ours, which executes event() for each
 * request. */
int script_run_events(struct script *script);
/* The run loop of an executor, which calls hooks.deferred() for each entry. */
int script_run_deferred(struct script *script);

enum script_command {
    SCRIPT_COMMAND_NONE = 0,
    SCRIPT_COMMAND_SERIAL = 1,
    SCRIPT_COMMAND_PARALLEL = 2
};
/* What sysbench.cmdline.commands, or a global function of that name, says of a command. */
enum script_command script_find_command(struct script *script, const char *command);
int script_run_command(struct script *script, const char *command);

#endif
