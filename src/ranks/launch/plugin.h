/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and loads the MPI plug-in, which connects the ranks of a run. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "ranks/launch/transport.h"

/* Returns the path of the plug-in, or NULL if it is not installed. The caller frees the path. */
char *plugin_find(void);
/* Returns the operations of the plug-in, valid until the process ends. Returns NULL if the plug-in
 * is not installed (*why is then NULL) or cannot be used (*why is then the reason). */
const struct transport_ops *plugin_open(const char **why);
/* Returns advice for the user: which package to install, or how to build with MPI. */
const char *plugin_advice(void);

#endif
