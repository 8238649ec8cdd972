/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver like one that is there, some of whose operations a test replaces. */
#ifndef TEST_FAKE_DRIVER_H
#define TEST_FAKE_DRIVER_H

#include "database.h"
#include "sql/sql_internal.h"

struct fake_driver {
    struct driver_ops ops; /* to be changed before the first connection */
    struct sql_driver driver;
};

/* For a database that is open. What connections share is still the real driver's. */
static inline void fake_driver_init(struct fake_driver *f, const char *name)
{
    const sql_driver *real = sql_driver_open(name);

    ck_assert_ptr_nonnull(real);
    f->ops = *real->ops;
    f->driver = *real;
    f->driver.ops = &f->ops;
}

/* For ops.query: "lose" loses the connection, all else goes to the null driver. */
static inline enum driver_status fake_driver_lose(struct driver_conn *conn, const char *text,
                                                  size_t length)
{
    if (strcmp(text, "lose") != 0)
        return null_driver.query(conn, text, length);
    driver_fail(conn, 2013, "HY000", true, "lost connection");
    conn->error.connection_lost = true;
    return DRIVER_ERROR;
}

static inline sql_connection *fake_driver_connect(struct fake_driver *f)
{
    sql_connection *con = sql_connect(&f->driver);

    ck_assert_ptr_nonnull(con);
    return con;
}

#endif
