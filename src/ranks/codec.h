/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes values as bytes and decodes them. A codec either writes or reads. One function that
 * visits the fields of a struct does both, so that encoder and decoder cannot differ. Reading past
 * the end or reading a value out of bounds returns 0 and sets `failed`, which the caller checks
 * once at the end.
 */
#ifndef CODEC_H
#define CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct codec {
    struct bytes *out; /* NULL if the codec reads */
    struct bytes_reader in;
    bool failed; /* reading: the bytes are not what the encoder would have written */
};

struct codec codec_writer(struct bytes *out);
struct codec codec_reader(const void *data, size_t count);
/* Returns true if everything was read without failure and no bytes are left. */
bool codec_done(const struct codec *c);

static inline bool codec_reads(const struct codec *c)
{
    return c->out == NULL;
}

/* Writes *value, or reads it. A value read is within ±2^62, so that the sum of two does not
 * overflow. */
void codec_i64(struct codec *c, int64_t *value);
/* Like codec_i64(), but without bounds. */
void codec_any_i64(struct codec *c, int64_t *value);
void codec_u64(struct codec *c, uint64_t *value);
void codec_u128(struct codec *c, unsigned __int128 *value);
void codec_real(struct codec *c, double *value);
void codec_bool(struct codec *c, bool *value);
void codec_int(struct codec *c, int *value);
/* A count or an enum value. Reading a value above `most` fails. */
void codec_unsigned(struct codec *c, unsigned *value, unsigned most);
void codec_size(struct codec *c, size_t *value, size_t most);
/* A char array of `bytes` bytes with a terminating zero. */
void codec_chars(struct codec *c, char *text, size_t bytes);
/* A string or NULL. A string that was read belongs to the caller. */
void codec_text(struct codec *c, char **text);

#endif
