/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was recorded, as bytes, with nothing lost: full distributions, exact sums and counters. What
 * is read is filled in; the caller has initialized it, empty.
 */
#ifndef RECORD_CODEC_H
#define RECORD_CODEC_H

#include "options/settings.h"
#include "ranks/codec.h"
#include "result/result.h"
#include "result/summary.h"

/* *s is initialized. */
void codec_snapshot(struct codec *c, struct snapshot *s);
/* Its snapshot is initialized. Probes are left out. */
void codec_interval(struct codec *c, struct interval *interval);
/* Its snapshot is initialized. no_op_cause is left out. */
void codec_summary(struct codec *c, struct summary *summary);
/* What judging and presenting a result needs. Strings are left out. */
void codec_settings(struct codec *c, struct settings *settings);
/*
 * Its snapshots are initialized. What was watched beside the run and injections are left out, and
 * settings. What was read belongs to the result (result_fini()).
 */
void codec_result(struct codec *c, struct result *result);

#endif
