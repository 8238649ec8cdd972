/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"

static void check_hex(const char *text, size_t bytes, const char *expected)
{
    unsigned char digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256(text, bytes, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    ck_assert_str_eq(hex, expected);
}

/* Examples of NIST for FIPS 180. */
START_TEST(examples_of_the_standard)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_hex("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_hex("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hex(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

START_TEST(a_million_letters)
{
    char *text = malloc(1000000);
    memset(text, 'a', 1000000);
    check_hex(text, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}
END_TEST

/* Lengths at which the length field just fits into the last block, and lengths at which it does
 * not. Expected values are from coreutils' sha256sum. */
START_TEST(lengths_around_block_ends)
{
    static const char text[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    check_hex(text, 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
    check_hex(text, 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
    check_hex(text, 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}
END_TEST

RUN_SUITE("sha256", 10, examples_of_the_standard, a_million_letters, lengths_around_block_ends)
