/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/setting_ask.h"

#include <string.h>

#include "base/util.h"

int setting_ask(struct driver_conn *conn, const char *text, char **cell, unsigned columns)
{
    int rows = 0;
    const struct rowset_field *row;
    memset(cell, 0, columns * sizeof(*cell));
    enum driver_status status = conn->ops->query(conn, text, strlen(text));
    if (status == DRIVER_ERROR)
        return -1;
    while (status == DRIVER_ROWS && (row = conn->ops->fetch(conn)) != NULL) {
        for (unsigned i = 0; rows == 0 && i < columns && i < conn->rows.nfields; i++)
            if (row[i].text != NULL)
                cell[i] = checked_alloc(strndup(row[i].text, row[i].length));
        rows++;
    }
    if (conn->ops->free_result != NULL)
        conn->ops->free_result(conn);
    return rows;
}

char *setting_literal(struct driver_conn *conn, const char *text)
{
    const size_t length = strlen(text);
    char *literal = xcalloc(1, conn->ops->language->escaped_bytes * length + 3);
    literal[0] = '\'';
    const size_t used = conn->ops->escape(conn, literal + 1, text, length);
    literal[used + 1] = '\'';
    literal[used + 2] = '\0';
    return literal;
}
