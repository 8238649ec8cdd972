/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes samples of waits and slow requests as bytes without loss. Memory that is allocated by
 * reading belongs to the caller. */
#ifndef SAMPLE_CODEC_H
#define SAMPLE_CODEC_H

#include "ranks/codec.h"
#include "result/waits/slow_requests.h"
#include "result/waits/wait_record.h"

/* Each of them may be NULL. */
void codec_wait_record(struct codec *c, struct wait_record **record);
void codec_slow_requests(struct codec *c, struct slow_requests **slow);

#endif
