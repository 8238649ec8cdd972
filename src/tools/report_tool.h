/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate report`: converts JSON reports to other forms. */
#ifndef REPORT_TOOL_H
#define REPORT_TOOL_H

/* argv[0] is the name of the tool. Returns the exit code. */
int report_tool_main(int argc, char **argv);

#endif
