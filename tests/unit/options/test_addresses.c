/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../suite.h"
#include "base/util.h"
#include "options/addresses.h"

START_TEST(good_addresses)
{
    static const struct {
        const char *text, *host, *port;
    } row[] = {
        {"9464", "127.0.0.1", "9464"},   {"0", "127.0.0.1", "0"},
        {"65535", "127.0.0.1", "65535"}, {":9464", "127.0.0.1", "9464"},
        {"0.0.0.0:80", "0.0.0.0", "80"}, {"localhost:1", "localhost", "1"},
        {"[::1]:9464", "::1", "9464"},   {"[host]:1", "host", "1"},
    };
    struct listen_address address;
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        ck_assert_msg(listen_address_check(row[i].text) == NULL, "%s", row[i].text);
        ck_assert(listen_address_parse(&address, row[i].text));
        ck_assert_str_eq(address.host, row[i].host);
        ck_assert_str_eq(address.port, row[i].port);
        listen_address_fini(&address);
    }
}
END_TEST

START_TEST(bad_addresses)
{
    static const char *const bad[] = {"",       ":",          "x",           "65536",  "-1",
                                      "1.5",    "127.0.0.1",  "host:",       "host:x", "::1:9464",
                                      "[::1]",  "host:99999", "host:123456", "9464 ",  "[]:1",
                                      "[[a]]:1"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct listen_address address = {0};
        ck_assert_msg(listen_address_check(bad[i]) != NULL, "%s", bad[i]);
        ck_assert(!listen_address_parse(&address, bad[i]));
        ck_assert_ptr_null(address.host);
    }
}
END_TEST

RUN_SUITE("addresses", 30, good_addresses, bad_addresses)
