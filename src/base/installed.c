/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/installed.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

void installed_folder(char *folder, size_t bytes)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[n > 0 ? n : 0] = '\0';
    snprintf(folder, bytes, "%s", n > 0 ? dirname(program) : "");
}

char *installed_program(const char *name)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    installed_folder(folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (folder[0] != '\0' && access(path, X_OK) == 0)
        return xstrdup(path);
    snprintf(path, sizeof(path), "%s/%s", PROGRAM_DIR, name);
    return access(path, X_OK) == 0 ? xstrdup(path) : NULL;
}
