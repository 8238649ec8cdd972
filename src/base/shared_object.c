/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/shared_object.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

/* As in a tree that was moved after installation, in the build folder, and as installed. */
static const char *const folders[] = {"", "/../lib/sysrate", NULL};

/* The folder of the running program; "" when it is not known. */
static void program_folder(char *folder, size_t bytes)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[n > 0 ? n : 0] = '\0';
    snprintf(folder, bytes, "%s", n > 0 ? dirname(program) : "");
}

char *shared_object_find(const char *file)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    program_folder(folder, sizeof(folder));
    for (size_t i = 0; folders[i] != NULL; i++) {
        snprintf(path, sizeof(path), "%s%s/%s", folder, folders[i], file);
        if (access(path, F_OK) == 0)
            return xstrdup(path);
    }
    snprintf(path, sizeof(path), "%s/%s", PLUGIN_DIR, file);
    return access(path, F_OK) == 0 ? xstrdup(path) : NULL;
}

const void *shared_object_symbol(const char *file, int flags, const char *symbol, const char **why)
{
    char *path = shared_object_find(file);
    *why = NULL;
    if (path == NULL)
        return NULL;
    void *handle = dlopen(path, flags);
    free(path);
    const void *found = handle != NULL ? dlsym(handle, symbol) : NULL;
    if (found == NULL)
        *why = dlerror();
    return found;
}
