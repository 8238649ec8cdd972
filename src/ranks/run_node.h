/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rank that does not exchange messages with the other ranks (--node). Its JSON report gets the
 * members "node" and "spool", from which `sysrate merge` makes one report of all ranks. create()
 * returns NULL if no JSON report or no --node was requested.
 */
#ifndef RUN_NODE_H
#define RUN_NODE_H

#include "run/ranks_ops.h"

extern const struct ranks_ops node_ops;

#endif
