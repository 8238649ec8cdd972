/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate serve`: an archive for web browsers and programs (docs/service.md). */
#ifndef SERVE_TOOL_H
#define SERVE_TOOL_H

/* argv[0] is the name of the tool. Serves until a signal; returns the exit code: EXIT_WELL, or
 * EXIT_FAILED after a logged message. */
int serve_tool_main(int argc, char **argv);

#endif
