/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the rows that writes have matched and changed, by kind of statement. */
#include <ctype.h>

#include "sql/sql_internal.h"

/* The first letter of the keyword identifies the kind of write. In a statement that starts with a
 * comment or a WITH clause, the keyword comes later in the text. */
static enum write_kind kind_of(const sql_connection *con, const char *text, size_t length)
{
    const char *word = isalpha((unsigned char)*text) && tolower(*text) != 'w'
                           ? text
                           : con->conn.ops->language->keyword(text, length);

    switch (tolower(*word)) {
    case 'u':
        return WRITE_UPDATE;
    case 'i':
        return WRITE_INSERT;
    case 'd':
        return WRITE_DELETE;
    default:
        return WRITE_OTHER;
    }
}

void sql_effect_record(sql_connection *con, const char *text, size_t length)
{
    const struct driver_conn *conn = &con->conn;

    if (con->stats == NULL)
        return;
    enum write_kind kind = kind_of(con, text, length);
    stats_record_write(con->stats, kind, conn->rows_matched, conn->rows_changed);
    if (conn->rows_changed == 0 && stats_measures(con->stats))
        sql_note_no_op(con->driver, kind, text, length);
}
