/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that have an effect on scripts only: the policy of the clients, and how workers use
 * connections. */
#ifndef SCRIPT_ONLY_H
#define SCRIPT_ONLY_H

#include "options/options.h"

/* For the workload `name`, which is no script: returns −1 after a logged message if one of these
 * options was given. */
int script_only_refuse(const struct options *set, const char *name);

#endif
