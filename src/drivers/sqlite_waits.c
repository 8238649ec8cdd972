/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/sqlite_waits.h"

#include "base/clock.h"
#include "base/util.h"

static uint64_t sqlite_session(const struct driver_conn *conn);
static bool sqlite_knows(struct driver_conn *conn, uint64_t session);
static enum driver_status sqlite_sample(struct driver_conn *conn, wait_session_add *add, void *arg);
static int64_t sqlite_gap_ns(const struct driver_conn *conn);

const struct driver_waits sqlite_waits = {.session = sqlite_session,
                                          .knows = sqlite_knows,
                                          .sample = sqlite_sample,
                                          .gap_ns = sqlite_gap_ns};

/*
 * SQLite calls this again and again while another connection holds the lock of the database file.
 * Returns 0 to give up. The pauses are those of SQLite's own handler, so that sampled runs wait as
 * long as others.
 */
static int wait_for_lock(void *arg, int tries)
{
    static const uint8_t pause_ms[] = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};
    const struct driver_conn *conn = arg;
    const struct sqlite_shared *s = conn->shared;
    struct sqlite_handle *handle = conn->handle;
    const int64_t now_ns = clock_now_ns();

    if (tries == 0)
        handle->blocked_ns = now_ns;
    int64_t give_up_ns = handle->blocked_ns + s->busy_timeout_ms * NS_PER_MS;
    if (conn->deadline_ns > 0)
        give_up_ns = min_i64(give_up_ns, conn->deadline_ns);
    if (now_ns >= give_up_ns)
        return 0;
    const unsigned step = min_u32((unsigned)tries, ARRAY_SIZE(pause_ms) - 1);
    if (handle->session != NULL)
        own_session_set(handle->session, WAIT_LOCKED_EVENT);
    clock_sleep_until_ns(min_i64(now_ns + pause_ms[step] * NS_PER_MS, give_up_ns));
    if (handle->session != NULL)
        own_session_set(handle->session, own_session_on_cpu);
    if (conn->locked != NULL)
        conn->locked(conn->locked_arg, clock_now_ns() - now_ns);
    return 1;
}

void sqlite_moved(struct driver_conn *conn)
{
    struct sqlite_handle *handle = conn->handle;

    if (conn->may_cancel || handle->session != NULL)
        sqlite3_busy_handler(handle->db, wait_for_lock, conn);
}

/* The first call makes the connection visible for samples. */
static uint64_t sqlite_session(const struct driver_conn *conn)
{
    struct sqlite_shared *s = conn->shared;
    struct sqlite_handle *handle = conn->handle;

    if (handle->session == NULL) {
        handle->session = own_session_create(s->sessions);
        sqlite3_busy_handler(handle->db, wait_for_lock, (void *)conn);
    }
    return own_session_id(handle->session);
}

static bool sqlite_knows(struct driver_conn *conn, uint64_t session)
{
    (void)conn;
    return session != 0;
}

static enum driver_status sqlite_sample(struct driver_conn *conn, wait_session_add *add, void *arg)
{
    struct sqlite_shared *s = conn->shared;

    own_sessions_sample(s->sessions, add, arg);
    return DRIVER_OK;
}

static int64_t sqlite_gap_ns(const struct driver_conn *conn)
{
    (void)conn;
    return 0;
}
