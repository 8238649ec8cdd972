/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations of a run whose ranks talk to each other; `arg` of create() is the `struct crew`. */
#ifndef TEAM_OPS_H
#define TEAM_OPS_H

#include "run/ranks_ops.h"

extern const struct ranks_ops team_ops;

#endif
