/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of `sysrate --help`, grouped by the task of the user, and the command line `sysrate
 * help`. */
#ifndef TOPICS_H
#define TOPICS_H

#include "options/options.h"

/* Prints the program's own options by topic. */
void topics_print_options(const struct options *set);

/* Prints the tools by purpose, each as "NAME TOOL - description". */
void topics_print_tools(const char *name);

#define TOPICS_WORDS 3

/*
 * Returns the command line that "PROGRAM help" or "PROGRAM help TOPIC" stands for, in `instead`,
 * which has room for TOPICS_WORDS words and NULL: "PROGRAM --help", "PROGRAM TOOL --help",
 * "PROGRAM TEST help". Sets *argc. Returns argv for other command lines, and if the current folder
 * has a script with the name help.
 */
char **topics_turn(int *argc, char **argv, char **instead);

#endif
