/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/driver.h"

#include <stdarg.h>
#include <stdio.h>

enum driver_status driver_fail(struct driver_conn *conn, int code, const char *state,
                               bool ignorable, const char *fmt, ...)
{
    struct sql_failure *error = &conn->error;
    va_list args;

    error->code = code;
    snprintf(error->state, sizeof(error->state), "%s", state);
    va_start(args, fmt);
    vsnprintf(error->message, sizeof(error->message), fmt, args);
    va_end(args);
    error->ignorable = ignorable;
    error->connection_lost = false;
    error->fatal = false;
    return DRIVER_ERROR;
}
