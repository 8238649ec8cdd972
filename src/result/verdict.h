/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judgement on a run: how far its figures can be trusted.
 * docs/definitions.md derives the thresholds.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "result/finding.h"

/* Everything that a report says about how far it can be trusted. */
struct trust {
    struct evidence evidence;
    struct verdict verdict;
    struct little little; /* Little's law for the measured part, if the run has an arrival rate */
};

struct verdict verdict_of(const struct evidence *evidence);

#endif
