/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the programs and files that are installed together with the running program. */
#ifndef INSTALLED_H
#define INSTALLED_H

#include <stddef.h>

/* Writes the folder of the running program to `folder`, or "" if it is unknown. */
void installed_folder(char *folder, size_t bytes);

/*
 * Returns the path of another program of sysrate, such as "sysrate-serve". The program is first
 * looked for next to the running one, which works in the build folder and after installation, even
 * if the installed tree was moved. Then it is looked for in the program folder that configure was
 * given. Returns NULL if it is in neither folder. The caller frees the path.
 */
char *installed_program(const char *name);

#endif
