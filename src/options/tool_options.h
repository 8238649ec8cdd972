/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the tools (`sysrate TOOL`), and the command line of tools that read files. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "options/cmdline.h"

/* The options of a tool and its usage text. */
struct tool_options {
    const char *usage; /* help text before the heading of the options */
    const char *group;
    const struct option_spec *rows;
    size_t count;
};

/* Prints usage and options. `set` contains the rows. */
void tool_options_help(const struct tool_options *tool, const struct options *set);

/* The command line of a tool that reads files: `sysrate TOOL [options] FILE...`. */
struct tool_call {
    struct options *options; /* the options with their values */
    struct cmdline cmdline;  /* the assignments that the values come from */
    const char **file;       /* the words in their order; they point into argv */
    size_t files;
    char **detached; /* "--option" and the word after it, in argv; NULL if there are no such
                      * words */
};

/*
 * Reads argv, which must outlive *call; argv[0] is the name of the tool. One of the rows must be
 * "help". Help is also printed if the only word is "help" and no file has this name. Returns −1 if
 * the tool shall continue. Otherwise returns the exit code: 0 if help was printed, 1 after a logged
 * message about an option. The caller must call tool_call_fini() in any case.
 */
int tool_call_init(struct tool_call *call, const struct tool_options *tool, int argc, char **argv);
void tool_call_fini(struct tool_call *call);

#endif
