/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate merge`: one report of those that the ranks of a run have written, or of repeats. */
#ifndef MERGE_TOOL_H
#define MERGE_TOOL_H

int merge_tool_main(int argc, char **argv);

#endif
