/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations of a run whose ranks exchange messages. create() takes a struct crew. */
#ifndef TEAM_OPS_H
#define TEAM_OPS_H

#include "run/ranks_ops.h"

extern const struct ranks_ops team_ops;

#endif
