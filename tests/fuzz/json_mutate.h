/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of JSON that leave it JSON: what a fuzzer of bytes does not find in a text of this
 * length. */
#ifndef JSON_MUTATE_H
#define JSON_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* As mutate() of struct fuzz_target: another value in place of one to four, or one left out. */
size_t json_mutate(uint8_t *data, size_t bytes, size_t room, unsigned seed);

#endif
