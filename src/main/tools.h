/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program does besides running a test: `sysrate NAME [arguments]`, where NAME is the first
 * argument. These names stand before tests of the same name.
 */
#ifndef TOOLS_H
#define TOOLS_H

struct tool {
    const char *name;
    const char *description;            /* for --help */
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
};

/* Sorted by name; that of the last one is NULL. */
extern const struct tool tools[];

/* NULL: there is none of that name. */
const struct tool *tool_find(const char *name);

#endif
