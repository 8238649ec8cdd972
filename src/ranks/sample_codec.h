/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes samples of waits and slow requests as bytes without loss. Memory that is allocated by
 * reading belongs to the caller. */
#ifndef SAMPLE_CODEC_H
#define SAMPLE_CODEC_H

#include "ranks/codec.h"
#include "result/waits/slow_requests.h"
#include "result/waits/wait_record.h"
#include "result/waits/wait_span.h"

/* Each of them may be NULL. */
void codec_wait_record(struct codec *c, struct wait_record **record);
void codec_slow_requests(struct codec *c, struct slow_requests **slow);

/* Encodes the shares with the names of their labels. Reading adds new names to `names`, to which
 * the span then points; if `names` is NULL, the span that was read has no shares and no names.
 * Writing does not use `names`. */
void codec_wait_span(struct codec *c, struct wait_span *span, struct wait_names *names);

#endif
