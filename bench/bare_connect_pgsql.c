/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects to PostgreSQL with libpq: the peer of the times to connect that sysrate reports.
 *
 *     bare_connect_pgsql "host=/tmp port=5432 user=sbtest password=secret dbname=sbtest
 * sslmode=disable" COUNT
 */
#include <libpq-fe.h>

#include "bare_connect.h"

static double connect_once(char **arg)
{
    const double from_ms = now_ms();
    PGconn *pg = PQconnectdb(arg[1]);
    const double ms = now_ms() - from_ms;
    if (PQstatus(pg) != CONNECTION_OK) {
        fprintf(stderr, "%s", PQerrorMessage(pg));
        return -1;
    }
    PQclear(PQexec(pg, "SELECT 1"));
    PQfinish(pg);
    return ms;
}

int main(int argc, char **argv)
{
    return bare_connect_main(argc, argv, 3, "CONNINFO COUNT");
}
