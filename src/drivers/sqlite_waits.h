/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for the lock of SQLite's database file, and sampling of the connections. */
#ifndef SQLITE_WAITS_H
#define SQLITE_WAITS_H

#include <pthread.h>
#include <sqlite3.h>

#include "drivers/driver.h"
#include "drivers/own_sessions.h"

struct sqlite_shared {
    pthread_mutex_t connecting;
    struct own_sessions *sessions;
    const char *path;
    const char *journal_mode;
    const char *synchronous;
    const char *extension; /* "" for none */
    int busy_timeout_ms;
    int64_t cache_bytes;
};

/* conn->handle */
struct sqlite_handle {
    sqlite3 *db;                 /* first, for tests */
    struct own_session *session; /* NULL unless waits are sampled */
    int64_t blocked_ns;          /* time at which the wait for a lock began */
};

extern const struct driver_waits sqlite_waits;

/* Operation of struct driver_ops. The handler for a locked file, which is set if a wait may be
 * cancelled or is sampled, has the connection as its argument. */
void sqlite_moved(struct driver_conn *conn);

#endif
