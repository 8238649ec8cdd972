/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct codec codec_writer(struct bytes *out)
{
    return (struct codec){.out = out};
}

struct codec codec_reader(const void *data, size_t count)
{
    const uint8_t *at = data;
    return (struct codec){.in = {.at = at, .end = at + count}};
}

bool codec_done(const struct codec *c)
{
    return !c->failed && c->in.at == c->in.end;
}

void codec_any_i64(struct codec *c, int64_t *value)
{
    if (!codec_reads(c)) {
        bytes_put_varint(c->out, *value);
        return;
    }
    *value = bytes_take_varint(&c->in);
    c->failed = c->failed || c->in.failed;
}

void codec_i64(struct codec *c, int64_t *value)
{
    const int64_t most = (INT64_C(1) << 62) - 1;
    codec_any_i64(c, value);
    if (codec_reads(c) && (*value > most || *value < -most)) {
        c->failed = true;
        *value = 0;
    }
}

void codec_u64(struct codec *c, uint64_t *value)
{
    int64_t word = (int64_t)*value;
    codec_any_i64(c, &word);
    *value = (uint64_t)word;
}

void codec_u128(struct codec *c, unsigned __int128 *value)
{
    uint64_t low = (uint64_t)*value, high = (uint64_t)(*value >> 64);
    codec_u64(c, &low);
    codec_u64(c, &high);
    *value = (unsigned __int128)high << 64 | low;
}

void codec_real(struct codec *c, double *value)
{
    if (!codec_reads(c)) {
        bytes_put(c->out, value, sizeof(*value));
        return;
    }
    bytes_take(&c->in, value, sizeof(*value));
    c->failed = c->failed || c->in.failed;
}

void codec_size(struct codec *c, size_t *value, size_t most)
{
    uint64_t word = *value;
    codec_u64(c, &word);
    if (codec_reads(c) && word > most) {
        c->failed = true;
        word = 0;
    }
    *value = word;
}

void codec_unsigned(struct codec *c, unsigned *value, unsigned most)
{
    size_t word = *value;
    codec_size(c, &word, most);
    *value = (unsigned)word;
}

void codec_bool(struct codec *c, bool *value)
{
    unsigned word = *value;
    codec_unsigned(c, &word, 1);
    *value = word != 0;
}

void codec_int(struct codec *c, int *value)
{
    int64_t word = *value;
    codec_i64(c, &word);
    if (word < INT_MIN || word > INT_MAX)
        c->failed = true;
    *value = (int)word;
}

static void code_letters(struct codec *c, char *text, size_t length)
{
    if (codec_reads(c))
        bytes_take(&c->in, text, length);
    else
        bytes_put(c->out, text, length);
}

void codec_chars(struct codec *c, char *text, size_t bytes)
{
    size_t length = codec_reads(c) ? 0 : strnlen(text, bytes - 1);
    codec_size(c, &length, bytes - 1);
    code_letters(c, text, length);
    if (codec_reads(c))
        text[length] = '\0';
}

void codec_text(struct codec *c, char **text)
{
    size_t room = codec_reads(c) || *text == NULL ? 0 : strlen(*text) + 1;
    codec_size(c, &room, codec_reads(c) ? (size_t)(c->in.end - c->in.at) + 1 : SIZE_MAX);
    if (codec_reads(c))
        *text = room > 0 ? xcalloc(room, 1) : NULL;
    if (room > 0)
        code_letters(c, *text, room - 1);
    c->failed = c->failed || c->in.failed;
}
