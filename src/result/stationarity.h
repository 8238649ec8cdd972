/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges whether a run was the same from beginning to end, and whether the client caused a
 * stall. */
#ifndef STATIONARITY_H
#define STATIONARITY_H

#include "result/finding.h"
#include "result/stall.h"

/* Adds a finding for a stall. */
void stationarity_add_stall(struct verdict *v, const struct evidence *e, const struct stall *stall);
/* Adds a finding if response times or service times were different in a part of the run. Do not
 * call it for a run that has a finding about its load. v->episodes must be filled in. */
void stationarity_judge(struct verdict *v, const struct evidence *e);

#endif
