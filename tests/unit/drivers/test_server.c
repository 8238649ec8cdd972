/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a server is, as options name it. */
#include "drivers/server.h"

#include "../suite.h"
#include "base/util.h"

START_TEST(places_of_servers)
{
    static const struct {
        const char *text, *host, *port; /* NULL: malformed */
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

RUN_SUITE("server", 30, places_of_servers)
