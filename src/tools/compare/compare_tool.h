/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate compare`: two runs, or two folders of repeats, side by side (docs/compare.md). */
#ifndef COMPARE_TOOL_H
#define COMPARE_TOOL_H

/* The exit code: 0 same, 5 different, 1 after a logged message. */
int compare_tool_main(int argc, char **argv);

#endif
