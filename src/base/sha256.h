/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for what web browsers compare. Not for secrets. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

#define SHA256_BYTES 32
/* Room for its Base64 and a zero. */
#define SHA256_BASE64 45

void sha256(const void *text, size_t bytes, unsigned char digest[SHA256_BYTES]);
/* The same as Base64, with a zero behind it. */
void sha256_base64(const void *text, size_t bytes, char out[SHA256_BASE64]);

#endif
