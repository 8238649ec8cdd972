/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether a run at an arrival rate was overloaded: more arrived than could be served. */
#ifndef OVERLOAD_H
#define OVERLOAD_H

#include "result/finding.h"
#include "result/stall.h"

/*
 * Adds a finding if the run was overloaded, for the most part or for a relevant part of it, and a
 * remark if only a short part was. Fills in v->episodes. `stall` is the stall that was found, or
 * NULL. Returns true if a finding was added.
 */
bool overload_judge(struct verdict *v, const struct evidence *e, const struct stall *stall);

#endif
