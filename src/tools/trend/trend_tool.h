/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate trend`: shows the history of the runs in an archive (docs/trend.md). */
#ifndef TREND_TOOL_H
#define TREND_TOOL_H

/*
 * argv[0] is the name of the tool. Returns the exit code: EXIT_WELL; EXIT_DIFFERENT if there is a
 * step to the worse; EXIT_FAILED after a logged message, or if there are too few runs.
 */
int trend_tool_main(int argc, char **argv);

#endif
