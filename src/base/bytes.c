/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { VARINT_MOST = 9 };

void bytes_fini(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

void bytes_put(struct bytes *b, const void *data, size_t count)
{
    if (count == 0)
        return;
    if (b->count + count > b->room)
        b->data = xrealloc(b->data, b->room = (b->count + count) * 2);
    memcpy(b->data + b->count, data, count);
    b->count += count;
}

void bytes_put_varint(struct bytes *b, int64_t value)
{
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    uint8_t coded[VARINT_MOST];
    size_t count = 0;
    for (; rest >= 0x80 && count < VARINT_MOST - 1; rest >>= 7)
        coded[count++] = (uint8_t)((rest & 0x7f) | 0x80);
    coded[count++] = (uint8_t)rest;
    bytes_put(b, coded, count);
}

void bytes_take(struct bytes_reader *r, void *data, size_t count)
{
    if ((size_t)(r->end - r->at) < count) {
        r->failed = true;
        r->at = r->end;
        memset(data, 0, count);
        return;
    }
    memcpy(data, r->at, count);
    r->at += count;
}

int64_t bytes_take_varint(struct bytes_reader *r)
{
    const size_t left = (size_t)(r->end - r->at), most = left < VARINT_MOST ? left : VARINT_MOST;
    uint64_t value = 0;
    for (size_t i = 0; i < most; i++) {
        const uint64_t byte = r->at[i];
        const bool last = byte < 0x80 || i == VARINT_MOST - 1;
        value |= (i == VARINT_MOST - 1 ? byte : byte & 0x7f) << (7 * i);
        if (!last)
            continue;
        r->at += i + 1;
        return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    }
    r->failed = true;
    r->at = r->end;
    return 0;
}

char *bytes_base64(const struct bytes *b)
{
    char *text = xcalloc((b->count + 2) / 3 * 4 + 1, 1), *out = text;
    for (size_t i = 0; i < b->count; i += 3) {
        const size_t left = b->count - i;
        uint32_t word = (uint32_t)b->data[i] << 16;
        word |= left > 1 ? (uint32_t)b->data[i + 1] << 8 : 0;
        word |= left > 2 ? b->data[i + 2] : 0;
        *out++ = digits[word >> 18];
        *out++ = digits[word >> 12 & 63];
        *out++ = left > 1 ? digits[word >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[word & 63] : '=';
    }
    return text;
}

/* Decodes four digits; the last two may be '='. Returns the number of bytes decoded, or 0 if a
 * digit is invalid. */
static unsigned take_group(const char *text, uint8_t *out)
{
    uint32_t word = 0;
    const unsigned used = text[3] != '=' ? 4 : text[2] != '=' ? 3 : 2;
    for (unsigned i = 0; i < 4; i++) {
        const char *digit = i < used ? strchr(digits, text[i]) : digits;
        if (digit == NULL)
            return 0;
        word = word << 6 | (uint32_t)(digit - digits);
    }
    for (unsigned i = 0; i < 3; i++)
        out[i] = (uint8_t)(word >> (16 - 8 * i));
    return used - 1;
}

int bytes_put_base64(struct bytes *b, const char *text)
{
    size_t left = strlen(text);
    for (; left >= 4; left -= 4, text += 4) {
        uint8_t group[3];
        const unsigned n = take_group(text, group);
        if (n == 0 || (n < 3 && left > 4))
            return -1;
        bytes_put(b, group, n);
    }
    return left == 0 ? 0 : -1;
}
