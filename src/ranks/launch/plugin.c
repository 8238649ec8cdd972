/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/plugin.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/shared_object.h"

#define PLUGIN_FILE "sysrate_mpi.so"

char *plugin_find(void)
{
    return shared_object_find(PLUGIN_FILE);
}

const struct transport_ops *plugin_open(const char **why)
{
    /* Global: components of Open MPI look for its symbols among those of the program. */
    const struct transport_ops *ops =
        shared_object_symbol(PLUGIN_FILE, RTLD_NOW | RTLD_GLOBAL, TRANSPORT_SYMBOL, why);
    if (ops != NULL && ops->abi != TRANSPORT_ABI) {
        *why = "it is of another version than the program";
        return NULL;
    }
    return ops;
}

const char *plugin_advice(void)
{
    return "install the Debian package sysrate-mpi of the same version, or build with Open MPI "
           "(Debian package libopenmpi-dev)";
}
