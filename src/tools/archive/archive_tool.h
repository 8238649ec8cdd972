/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate archive`: adds runs to an archive, lists and prints them (docs/archive.md). */
#ifndef ARCHIVE_TOOL_H
#define ARCHIVE_TOOL_H

/* argv[0] is the name of the tool. Returns EXIT_WELL, or EXIT_FAILED after a logged message. */
int archive_tool_main(int argc, char **argv);

#endif
