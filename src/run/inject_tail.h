/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a text of any length: what is kept of the output of an injection. */
#ifndef INJECT_TAIL_H
#define INJECT_TAIL_H

#include <stddef.h>
#include <stdint.h>

#define INJECT_TAIL_BYTES 4096

/* All zero: nothing has come yet. */
struct inject_tail {
    uint64_t bytes; /* of all of it */
    size_t used;
    char text[2 * INJECT_TAIL_BYTES]; /* the last `used` of them */
};

void inject_tail_add(struct inject_tail *tail, const char *text, size_t bytes);
/*
 * Its last INJECT_TAIL_BYTES as a string that does not begin in the middle of a UTF-8 character,
 * with a space for each NUL. The caller frees it.
 */
char *inject_tail_text(const struct inject_tail *tail);

#endif
