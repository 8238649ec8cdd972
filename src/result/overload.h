/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether a run at an arrival rate was overloaded: more requests arrived than could be
 * served. */
#ifndef OVERLOAD_H
#define OVERLOAD_H

#include "result/finding.h"
#include "result/stall.h"

/*
 * Adds a finding if the run was overloaded in a large enough part of it, and a remark if it was
 * overloaded only in a short part. Fills in v->episodes. `stall` is the stall that was found, or
 * NULL. Returns true if a finding was added.
 */
bool overload_judge(struct verdict *v, const struct evidence *e, const struct stall *stall);

#endif
