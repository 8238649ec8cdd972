/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lua states. Each worker and the main thread have a state of their own, and the script's body runs
 * in each state. The internal modules (src/workloads/script/lua) are compiled into the program; a
 * state loads a module when it is first used. Most fields of the table `sysbench` are created in
 * the same way.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>

#include "base/rand.h"
#include "workloads/script/script_source.h"

struct script;

/*
 * Creates a state with access to the modules; the script's body has not run yet. `thread` becomes
 * sysbench.tid. Scripts draw random numbers from `rand`. Only the calling thread may use the state.
 * Returns NULL after logging a message.
 */
struct script *script_create(const struct script_source *source, int thread, struct rand *rand);
void script_destroy(struct script *script);

/* Runs the script's body. Returns −1 after logging a message with script and line. */
int script_load(struct script *script);

/* Call when measuring begins: from now on os.exit() is an error, which ends the run with its
 * report. */
void script_measure(struct script *script);

bool script_has_function(struct script *script, const char *name);

/* Calls a global function with the thread number. If there is no such function, returns 0. Returns
 * −1 after logging "FATAL: `name' function failed: …". */
int script_call(struct script *script, const char *name);

/* Call before script_load() if sql_recycle_thread() returned true: the run loop opens connections
 * again when they are due. Returns −1 after logging a message. */
int script_recycle(struct script *script);

/* Call before script_load() with --read-your-writes. Returns −1 after logging a message, for example
 * if the script has a run loop of its own. */
int script_check_own_writes(struct script *script);

/* The last step before script_run_events(), which can then start without delay. Returns −1 after
 * logging a message. */
int script_prepare_events(struct script *script);
/* The run loop of a worker: thread_run() of the script, or our own loop, which executes event() for
 * each request. */
int script_run_events(struct script *script);
/* The run loop of an executor of deferred work, which calls hooks.deferred() for each entry. */
int script_run_deferred(struct script *script);

enum script_command {
    SCRIPT_COMMAND_NONE = 0,
    SCRIPT_COMMAND_SERIAL = 1,
    SCRIPT_COMMAND_PARALLEL = 2
};
/* Returns how the script declares a command: in sysbench.cmdline.commands, or by a global function
 * of this name. */
enum script_command script_find_command(struct script *script, const char *command);
int script_run_command(struct script *script, const char *command);

#endif
