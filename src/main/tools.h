/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tools of the program other than running a test: `sysrate NAME [arguments]`, where NAME is the
 * first argument. A tool takes precedence over a test of the same name.
 */
#ifndef TOOLS_H
#define TOOLS_H

/* What a tool is for. --help lists the tools in this order. */
enum tool_purpose {
    TOOL_FIND,  /* find a setting or a limit */
    TOOL_JUDGE, /* judge runs against others */
    TOOL_KEEP,  /* keep and show the reports of runs */
    TOOL_CHECK, /* check the measurement itself */
};

struct tool {
    const char *name;
    const char *description;            /* for --help */
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
    enum tool_purpose purpose;
};

/* Sorted by name; the last entry has the name NULL. */
extern const struct tool tools[];

/* Returns NULL if there is no tool of that name. */
const struct tool *tool_find(const char *name);

#endif
