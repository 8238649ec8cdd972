/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the end of a text of any length: the last part of the output of an injection. */
#ifndef INJECT_TAIL_H
#define INJECT_TAIL_H

#include <stddef.h>
#include <stdint.h>

#define INJECT_TAIL_BYTES 4096

/* All zero at first: no text. */
struct inject_tail {
    uint64_t bytes; /* length of the whole text */
    size_t used;
    char text[2 * INJECT_TAIL_BYTES]; /* the last part of the text, `used` bytes */
};

void inject_tail_add(struct inject_tail *tail, const char *text, size_t bytes);
/*
 * Returns the last INJECT_TAIL_BYTES as a string. It does not begin in the middle of a UTF-8
 * character, and NUL bytes are replaced with spaces. The caller frees the string.
 */
char *inject_tail_text(const struct inject_tail *tail);

#endif
