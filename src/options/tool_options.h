/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tool takes on its own command line, and how one that reads files reads it. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "options/cmdline.h"

/* The options of a tool: rows, and what stands before them in its help. */
struct tool_options {
    const char *usage; /* up to the heading of the options */
    const char *group;
    const struct option_spec *rows;
    size_t count;
};

/* Prints usage and options; `set` has the rows. */
void tool_options_help(const struct tool_options *tool, const struct options *set);

/* The command line of a tool that reads files: `sysrate TOOL [options] FILE...`. */
struct tool_call {
    struct options *options; /* with their values */
    struct cmdline cmdline;  /* where these come from */
    const char **file;       /* the words, in their order; they point into argv */
    size_t files;
    char **detached; /* "--option" and the word behind it, in argv; NULL: none */
};

/*
 * Reads argv, which must outlive it; argv[0] is the tool's name. One of the rows is "help". −1: go
 * on; else the exit code: 0, help was printed; 1 after a logged message about an option. Call
 * tool_call_fini() in any case.
 */
int tool_call_init(struct tool_call *call, const struct tool_options *tool, int argc, char **argv);
void tool_call_fini(struct tool_call *call);

#endif
