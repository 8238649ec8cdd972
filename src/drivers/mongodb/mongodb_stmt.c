/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepared statements of the MongoDB driver. The server does not support them: the driver converts
 * a command to BSON once, and each execution only inserts the values.
 */
#include "drivers/mongodb/mongodb_internal.h"

enum driver_status mongodb_prepare(struct driver_stmt *stmt, const char *text, size_t length)
{
    stmt->handle = mongodb_template_create(stmt->conn, text, length);
    return stmt->handle != NULL ? DRIVER_OK : DRIVER_ERROR;
}

enum driver_status mongodb_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                   unsigned count)
{
    bson_t command;

    (void)count;
    stmt->rebound = false;
    if (mongodb_template_fill(stmt->conn, stmt->handle, params, &command) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return mongodb_run(stmt->conn, stmt->handle, &command);
}

void mongodb_close_statement(struct driver_stmt *stmt)
{
    struct mongodb_connection *c = stmt->conn->handle;

    if (c->command == stmt->handle)
        mongodb_forget(stmt->conn);
    mongodb_template_destroy(stmt->handle);
    stmt->handle = NULL;
}
