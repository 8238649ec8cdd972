/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests lists of hosts, ports and errors in options. */
#include "drivers/server.h"

#include "../suite.h"
#include "base/util.h"

START_TEST(places_of_servers)
{
    static const struct {
        const char *text, *host, *port; /* NULL if the text is malformed */
    } row[] = {
        {"db", "db", ""},
        {"db:3307", "db", "3307"},
        {"/run/s.sock", "/run/s.sock", ""},
        {"[::1]:5432", "::1", "5432"},
        {"::1", "::1", ""},
        {"/run/pg:5433", "/run/pg", "5433"},
        {"", NULL, NULL},
        {"db:", NULL, NULL},
        {"db:0", NULL, NULL},
        {"db:65536", NULL, NULL},
        {":3306", NULL, NULL},
        {"db:33x", NULL, NULL},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        struct server_place place;
        ck_assert_msg(server_place(row[i].text, &place) == (row[i].host != NULL), "%s",
                      row[i].text);
        if (row[i].host == NULL)
            continue;
        ck_assert_str_eq(place.host, row[i].host);
        ck_assert_str_eq(place.port, row[i].port);
    }
    ck_assert(server_is_local("/run/pg") && server_is_local("127.1.2.3") && !server_is_local("db"));
}
END_TEST

static void check_place(unsigned number, const char *elsewhere, const char *host, const char *port)
{
    static char *const hosts[] = {"a", "b", NULL}, *const ports[] = {"1", "2", NULL};
    struct server_place place;

    server_find_place(hosts, ports, number, elsewhere, &place);
    ck_assert_str_eq(place.host, host);
    ck_assert_str_eq(place.port, port);
}

START_TEST(places_of_connections)
{
    check_place(0, NULL, "a", "1");
    check_place(1, NULL, "b", "1");
    check_place(2, NULL, "a", "2");
    check_place(7, NULL, "b", "2");
    check_place(3, "c", "c", "1");
    check_place(3, "c:5", "c", "5");
}
END_TEST

/* Accepts two digits as an error number. */
static size_t error(const char *text)
{
    return strspn(text, "0123456789") == 2 ? 2 : 0;
}

START_TEST(lists_of_errors)
{
    static const char *const good[] = {"", "all", "12", "12,34", "12,34,56"};
    static const char *const bad[] = {"1", "123", "12,", ",12", "12,,34", "12 ", "12,all", "ALL"};

    for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
        ck_assert_msg(server_check_errors(good[i], error, "allowed") == NULL, "%s", good[i]);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_ptr_nonnull(server_check_errors(bad[i], error, "allowed"));
}
END_TEST

RUN_SUITE("server", 30, places_of_servers, places_of_connections, lists_of_errors)
