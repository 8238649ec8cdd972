/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the programs and files that are installed together with the running program. */
#ifndef INSTALLED_H
#define INSTALLED_H

#include <stddef.h>

/* Writes the folder of the running program to `folder`; "" if it is not known. */
void installed_folder(char *folder, size_t bytes);

/*
 * Returns the path of another program of sysrate, such as "sysrate-serve". Programs are found next
 * to the running one: in the build folder, and where both were installed, also if that tree was
 * moved afterwards. If there is no such file, the program is looked for in the folder for programs
 * that configure was given. Returns NULL if it is in neither folder. The caller frees the path.
 */
char *installed_program(const char *name);

#endif
