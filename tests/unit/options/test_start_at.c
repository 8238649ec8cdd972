/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/start_at.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "base/util.h"

static int64_t read_ns(const char *text)
{
    int64_t ns = -1;
    ck_assert_msg(start_at_check(text) == NULL, "%s", text);
    ck_assert_int_eq(start_at_read(text, &ns), 0);
    return ns;
}

START_TEST(moments)
{
    ck_assert_int_eq(read_ns("@0"), 0);
    ck_assert_int_eq(read_ns("@1770000000.000000001"), INT64_C(1770000000000000001));
    ck_assert_int_eq(read_ns("1970-01-02T00:00:00Z"), 86400 * NS_PER_SEC);
    ck_assert_int_eq(read_ns("2026-01-31T23:59:00.25Z"), INT64_C(1769903940250000000));
}
END_TEST

START_TEST(after_a_file)
{
    char path[] = "/tmp/start-at.XXXXXX", text[100];
    const struct timespec times[2] = {{100, 0}, {1000, 5}};
    const int fd = mkstemp(path);
    int64_t ns;
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(futimens(fd, times), 0);
    snprintf(text, sizeof(text), "+10.5s:%s", path);
    ck_assert_int_eq(read_ns(text), INT64_C(1010500000005));
    snprintf(text, sizeof(text), "+2:%s", path);
    ck_assert_int_eq(read_ns(text), INT64_C(1002000000005));
    close(fd);
    unlink(path);
    ck_assert_int_eq(start_at_read(text, &ns), -1);
}
END_TEST

START_TEST(malformed_times)
{
    static const char *const texts[] = {"",
                                        "now",
                                        "@",
                                        "@-1",
                                        "@1x",
                                        "@1.",
                                        "@ 1",
                                        "@99999999999",
                                        "+5",
                                        "+5s",
                                        "+5s:",
                                        "+:file",
                                        "+x:file",
                                        "2026-01-31",
                                        "2026-01-31T23:59:00",
                                        "2026-01-31T23:59:00+01:00",
                                        "2026-13-31T23:59:00Z",
                                        "2026-01-31T23:59:61Z",
                                        "2026-01-31T23:59:00Zx",
                                        "10s"};
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++)
        ck_assert_msg(start_at_check(texts[i]) != NULL, "%s", texts[i]);
}
END_TEST

RUN_SUITE("start-at", 60, moments, after_a_file, malformed_times)
