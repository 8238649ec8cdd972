/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate merge`: combines the reports of the ranks of one run, or of repeats of a run, into one
 * report. */
#ifndef MERGE_TOOL_H
#define MERGE_TOOL_H

int merge_tool_main(int argc, char **argv);

#endif
