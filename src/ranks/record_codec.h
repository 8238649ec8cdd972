/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes recorded data as bytes without loss: full distributions, exact sums and counters. Reading
 * fills in the struct that is passed, which the caller must have initialized as empty. */
#ifndef RECORD_CODEC_H
#define RECORD_CODEC_H

#include "options/settings.h"
#include "ranks/codec.h"
#include "result/result.h"
#include "result/summary.h"

/* The snapshot must be initialized. */
void codec_snapshot(struct codec *c, struct snapshot *s);
/* The interval's snapshot must be initialized. Probes are not encoded. `names` is that of
 * codec_wait_span(). */
void codec_interval(struct codec *c, struct interval *interval, struct wait_names *names);
/* The summary's snapshot must be initialized. no_op_cause is not encoded. */
void codec_summary(struct codec *c, struct summary *summary);
/*
 * Encodes only the settings that are needed to judge and present a result. Strings are not encoded.
 */
void codec_settings(struct codec *c, struct settings *settings);
/*
 * The result's snapshots must be initialized. Settings, injections and data of observers (probes,
 * server statistics) are not encoded. Memory allocated by reading belongs to the result and is
 * freed by result_fini().
 */
void codec_result(struct codec *c, struct result *result);

#endif
