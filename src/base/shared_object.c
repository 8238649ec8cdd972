/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/shared_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/util.h"

/* relative to the program: the build folder, and an installed tree, which may have been moved */
static const char *const folders[] = {"", "/../lib/sysrate", NULL};

char *shared_object_find(const char *file)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    installed_folder(folder, sizeof(folder));
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
