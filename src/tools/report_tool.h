/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate report`: other forms of JSON reports that were written earlier. */
#ifndef REPORT_TOOL_H
#define REPORT_TOOL_H

/* As tools.h has it. */
int report_tool_main(int argc, char **argv);

#endif
