/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for digests that web browsers compare. Not for secrets. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

#define SHA256_BYTES 32

void sha256(const void *text, size_t bytes, unsigned char digest[SHA256_BYTES]);

#endif
