/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads rows with COPY from memory. */
#include <stdio.h>

#include "drivers/pgsql/pgsql_internal.h"

/* Sends the rows. The caller receives the result of the COPY. */
static bool send_rows(PGconn *pg, const char *text, size_t length)
{
    /* The length argument of PQputCopyData() is an int. */
    const size_t piece = 1 << 20;
    while (length > 0) {
        size_t n = length < piece ? length : piece;
        if (PQputCopyData(pg, text, (int)n) != 1)
            return false;
        text += n;
        length -= n;
    }
    return PQputCopyEnd(pg, NULL) == 1;
}

enum driver_status pgsql_load(struct driver_conn *conn, const char *table, const char *columns,
                              const char *text, size_t length)
{
    struct pgsql_connection *c = conn->handle;
    char statement[512];

    pgsql_forget(conn);
    int n = snprintf(statement, sizeof(statement), "COPY %s (%s) FROM STDIN", table, columns);
    if (n < 0 || (size_t)n >= sizeof(statement))
        return driver_fail(conn, 0, "", false,
                           "names of table and columns are too long to load: %s", table);
    if (pgsql_answer(conn, PQsendQuery(c->pg, statement), PGRES_COPY_IN) == DRIVER_ERROR)
        return DRIVER_ERROR;
    if (!send_rows(c->pg, text, length))
        return pgsql_fail(conn, NULL);
    if (pgsql_await(conn) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return pgsql_collect(conn);
}

void pgsql_ask_limits(struct driver_conn *conn)
{
    conn->can_load = true;
}
