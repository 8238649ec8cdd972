/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that grow, and what is written to them and read again. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data; /* NULL: none yet */
    size_t count, room;
};

void bytes_fini(struct bytes *b);
void bytes_put(struct bytes *b, const void *data, size_t count);
/* Zigzag, then 7 bits a byte from the lowest on; the ninth byte has 8. Small numbers take one byte.
 */
void bytes_put_varint(struct bytes *b, int64_t value);

/* The caller frees the text. */
char *bytes_base64(const struct bytes *b);
/* Appends what a text of base64 stands for; −1: it is none. */
int bytes_put_base64(struct bytes *b, const char *text);

/* Reads from the front on. What lies behind the end is 0, and `failed` then. */
struct bytes_reader {
    const uint8_t *at, *end;
    bool failed;
};

void bytes_take(struct bytes_reader *r, void *data, size_t count);
int64_t bytes_take_varint(struct bytes_reader *r);

#endif
