/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing byte buffer with functions to write and read compact binary data and Base64. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data; /* NULL until the first byte is written */
    size_t count, room;
};

void bytes_fini(struct bytes *b);
void bytes_put(struct bytes *b, const void *data, size_t count);
/* Appends a number as a variable-length integer: zigzag-encoded, 7 bits per byte, lowest bits
 * first. The ninth byte, if needed, holds 8 bits. Small numbers take one byte. */
void bytes_put_varint(struct bytes *b, int64_t value);

/* Returns the bytes as Base64. The caller frees the text. */
char *bytes_base64(const struct bytes *b);
/* Decodes a Base64 text and appends the bytes. Returns −1 if the text is not valid Base64. */
int bytes_put_base64(struct bytes *b, const char *text);

/* Reads bytes from front to back. Reading past the end yields 0 and sets `failed`. */
struct bytes_reader {
    const uint8_t *at, *end;
    bool failed;
};

void bytes_take(struct bytes_reader *r, void *data, size_t count);
int64_t bytes_take_varint(struct bytes_reader *r);

#endif
