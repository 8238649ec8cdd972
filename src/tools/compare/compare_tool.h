/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate compare`: compares two runs, or two folders of repeats (docs/compare.md). */
#ifndef COMPARE_TOOL_H
#define COMPARE_TOOL_H

/*
 * argv[0] is the name of the tool. Returns the exit code: EXIT_WELL if the runs are the same,
 * EXIT_DIFFERENT, or EXIT_FAILED after a logged message.
 */
int compare_tool_main(int argc, char **argv);

#endif
