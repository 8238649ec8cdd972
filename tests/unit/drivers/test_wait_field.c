/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/wait_field.h"

#include <stdio.h>

#include "../suite.h"

static void check_host(const char *host, const char *expected)
{
    char text[64];
    snprintf(text, sizeof(text), "%s", host);
    wait_field_cut_port(text);
    ck_assert_str_eq(text, expected);
}

/* MariaDB adds the port to addresses, and not to "localhost" of a socket. */
START_TEST(ports_are_cut)
{
    check_host("app-1:40732", "app-1");
    check_host("::1:40732", "::1");
    check_host("localhost", "localhost");
    check_host("host:", "host:");
    check_host("host:1a", "host:1a");
    check_host("", "");
}
END_TEST

START_TEST(names_are_whole_identifiers)
{
    ck_assert(wait_field_names("UPDATE sbtest1 SET k = 1", "sbtest1"));
    ck_assert(wait_field_names("SELECT * FROM `sbtest1`", "sbtest1"));
    ck_assert(wait_field_names("SELECT * FROM sbtest10, db.sbtest1", "sbtest1"));
    ck_assert(wait_field_names("sbtest1", "sbtest1"));
    ck_assert(!wait_field_names("UPDATE sbtest10 SET k = 1", "sbtest1"));
    ck_assert(!wait_field_names("UPDATE my_sbtest1 SET k = 1", "sbtest1"));
    ck_assert(!wait_field_names("UPDATE sbtest1$ SET k = 1", "sbtest1"));
    ck_assert(!wait_field_names("SELECT 1", ""));
}
END_TEST

RUN_SUITE("wait_field", 60, ports_are_cut, names_are_whole_identifiers)
