/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values to bytes and back. A codec either writes or reads; a function that goes through the fields
 * of a struct does both, so that the two cannot differ. Reading what is not there, or out of
 * bounds, gives 0 and sets `failed`, which is looked at once behind all.
 */
#ifndef CODEC_H
#define CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct codec {
    struct bytes *out; /* NULL: it reads */
    struct bytes_reader in;
    bool failed; /* reading: this is not what was written */
};

struct codec codec_writer(struct bytes *out);
struct codec codec_reader(const void *data, size_t count);
/* Whether all was read, and no byte is left. */
bool codec_done(const struct codec *c);

static inline bool codec_reads(const struct codec *c)
{
    return c->out == NULL;
}

/* Writes *value, or reads it. What is read lies within ±2^62, so that two have a sum. */
void codec_i64(struct codec *c, int64_t *value);
/* The same with any value. */
void codec_any_i64(struct codec *c, int64_t *value);
void codec_u64(struct codec *c, uint64_t *value);
void codec_u128(struct codec *c, unsigned __int128 *value);
void codec_real(struct codec *c, double *value);
void codec_bool(struct codec *c, bool *value);
void codec_int(struct codec *c, int *value);
/* A count or a choice: what is above `most` is no such thing. */
void codec_unsigned(struct codec *c, unsigned *value, unsigned most);
void codec_size(struct codec *c, size_t *value, size_t most);
/* An array of chars, with its 0. */
void codec_chars(struct codec *c, char *text, size_t bytes);
/* A text, or NULL; one that is read is the caller's. */
void codec_text(struct codec *c, char **text);

#endif
