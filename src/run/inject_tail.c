/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject_tail.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

void inject_tail_add(struct inject_tail *tail, const char *text, size_t bytes)
{
    tail->bytes += bytes;
    if (bytes > INJECT_TAIL_BYTES) {
        text += bytes - INJECT_TAIL_BYTES;
        bytes = INJECT_TAIL_BYTES;
    }
    if (tail->used + bytes > sizeof(tail->text)) {
        memmove(tail->text, tail->text + tail->used - INJECT_TAIL_BYTES, INJECT_TAIL_BYTES);
        tail->used = INJECT_TAIL_BYTES;
    }
    memcpy(tail->text + tail->used, text, bytes);
    tail->used += bytes;
}

char *inject_tail_text(const struct inject_tail *tail)
{
    size_t bytes = tail->used < INJECT_TAIL_BYTES ? tail->used : INJECT_TAIL_BYTES;
    const char *from = tail->text + tail->used - bytes;
    const bool cut = tail->bytes > bytes;
    for (int i = 0; i < 3 && cut && (*from & 0xc0) == 0x80; i++, bytes--)
        from++;
    char *text = xcalloc(bytes + 1, 1);
    for (size_t i = 0; i < bytes; i++)
        text[i] = from[i] != '\0' ? from[i] : ' ';
    return text;
}
