/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lua states. Each worker has one of its own, and so has the main thread; the script's body runs in
 * each. The internal modules (src/script/lua) are compiled into the program and loaded into a
 * state when first used; so are most fields of the table `sysbench`.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/rand.h"
#include "measure/summary.h"
#include "options/options.h"
#include "options/settings.h"

/* Where a test comes from, and what its states are told. Constant while states exist. */
struct script_source {
    const char *test; /* as on the command line; "-" or NULL: standard input */
    char *folder;     /* where the bundled scripts are */
    char *path;       /* the file that was found; NULL: standard input */
    char *text;       /* what the file or standard input holds, read once for all states */
    size_t text_bytes;
    const struct options *options;
    const char *command; /* NULL: none */
    int argc;
    char *const *argv;
    const char *luajit_cmd;               /* as `luajit -j`; NULL: none */
    const char *tool_name, *tool_version; /* sysbench.version_string */
    bool legacy; /* the main thread's state has found the script to be one for sysbench 0.5 */
};

/* Finds the test (built-in module folders, LUA_PATH, a path, standard input). −1 after "Cannot find
 * benchmark …". */
int script_source_init(struct script_source *source, const char *test);
void script_source_fini(struct script_source *source);

struct script;

/* Thread number of the main thread's state. */
#define SCRIPT_MAIN (-1)

/*
 * A state with the modules in place; the body has not run. `thread` is sysbench.tid. Scripts draw
 * from `rand`. The state belongs to the calling thread. NULL after a logged message.
 */
struct script *script_create(const struct script_source *source, int thread, struct rand *rand);
void script_destroy(struct script *script);

/* Runs the body. −1 after a logged message with script and line. */
int script_load(struct script *script);
/* Puts the values of source->options into sysbench.opt (and the globals of legacy scripts); call
 * when they are final, before or after the body ran. */
void script_export_options(struct script *script);
/* Adds the rows of sysbench.cmdline.options under "NAME options". The rows live as long as
 * `script`. −1 logged. */
int script_add_options(struct script *script, struct options *set);
/*
 * Whether it is a script for sysbench 0.4.12 or 0.5, which cannot declare its options: it takes
 * any, as strings. Known when the body has run.
 */
bool script_takes_any_option(struct script *script);
/* Whether the script, whose body has run, uses the interface of sysbench 0.4.12 and 0.5. */
bool script_is_legacy(struct script *script);
/* Prints those rows as `TEST help` does, without the heading. */
void script_print_options(const struct script *script, FILE *out);

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

/* Warns where tables are not what the script claims they are (sysbench.hooks.describe_tables); in a
 * thread bound to sql. */
void script_check_tables(struct script *script);
/* Why a write like this, which found nothing or left it `unchanged`, changed nothing: to be freed;
 * NULL: not known. Likewise. */
char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged);

enum script_command {
    SCRIPT_COMMAND_NONE = 0,
    SCRIPT_COMMAND_SERIAL = 1,
    SCRIPT_COMMAND_PARALLEL = 2
};
/* What sysbench.cmdline.commands, or a global function of that name, says of a command. */
enum script_command script_find_command(struct script *script, const char *command);
int script_run_command(struct script *script, const char *command);

/*
 * Report hooks: true when the script has one and it was called (it replaces the text). `text`
 * prints the built-in text for sysbench.report_default; `arg` is handed to it. An error in a hook
 * is logged and counts as not called.
 */
typedef void script_report_text(void *arg, bool cumulative);
bool script_report_intermediate(struct script *script, const struct interval *interval,
                                const struct settings *settings, script_report_text *text,
                                void *arg);
bool script_report_cumulative(struct script *script, const struct summary *summary,
                              const struct settings *settings, script_report_text *text, void *arg);
/* Whether any call of a report hook raised an error. */
bool script_report_failed(const struct script *script);

#endif
