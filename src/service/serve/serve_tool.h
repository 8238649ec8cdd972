/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate serve`: serves an archive to web browsers and programs (docs/service.md). */
#ifndef SERVE_TOOL_H
#define SERVE_TOOL_H

/* Serves until a signal arrives. argv[0] is the name of the tool. Returns the exit code: EXIT_WELL,
 * or EXIT_FAILED after a logged message. */
int serve_tool_main(int argc, char **argv);

#endif
