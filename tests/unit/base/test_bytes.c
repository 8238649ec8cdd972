/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

static const int64_t numbers[] = {
    0, 1, -1, 63, 64, -64, -65, 8191, 8192, INT32_MAX, INT64_C(1) << 55, INT64_MAX, INT64_MIN};

START_TEST(numbers_are_restored)
{
    struct bytes b = {0};
    for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
        bytes_put_varint(&b, numbers[i]);
    struct bytes_reader r = {.at = b.data, .end = b.data + b.count};
    for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
        ck_assert_int_eq(bytes_take_varint(&r), numbers[i]);
    ck_assert(!r.failed && r.at == r.end);
    ck_assert_int_eq(bytes_take_varint(&r), 0);
    ck_assert(r.failed);
    bytes_fini(&b);
}
END_TEST

START_TEST(base64_is_restored)
{
    const char *const texts[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        struct bytes b = {0};
        ck_assert_int_eq(bytes_put_base64(&b, texts[i]), 0);
        ck_assert_uint_eq(b.count, i);
        ck_assert(i == 0 || memcmp(b.data, "foobar", i) == 0);
        char *text = bytes_base64(&b);
        ck_assert_str_eq(text, texts[i]);
        free(text);
        bytes_fini(&b);
    }
}
END_TEST

START_TEST(malformed_base64_is_refused)
{
    const char *const texts[] = {
        "Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "Zm 9", "Zm9v\n", "Z\xc3\xa4v"};
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        struct bytes b = {0};
        ck_assert_msg(bytes_put_base64(&b, texts[i]) != 0, "%s", texts[i]);
        bytes_fini(&b);
    }
}
END_TEST

RUN_SUITE("bytes", 60, numbers_are_restored, base64_is_restored, malformed_base64_is_refused)
