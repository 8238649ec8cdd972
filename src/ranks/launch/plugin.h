/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens the plug-in that joins the ranks. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "ranks/launch/transport.h"

/* Its path, NULL: it is not installed. The caller frees it. */
char *plugin_find(void);
/*
 * The plug-in's operations, for as long as the process lives. NULL: it is not there (*why is NULL),
 * or cannot be used (*why says the reason).
 */
const struct transport_ops *plugin_open(const char **why);
/* For people: what to install or to build. */
const char *plugin_advice(void);

#endif
