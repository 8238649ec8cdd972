/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/replicas/own_writes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/worker_api.h"
#include "sql/replicas/read_hosts.h"
#include "sql/replicas/staleness.h"

#define TABLE STALENESS_TABLE
#define PAUSE_NS NS_PER_MS
/* A change that is not visible after this time is recorded with this time. */
#define LIMIT_NS NS_PER_SEC

static _Thread_local struct own_writes {
    struct sql *sql;
    struct stats_thread *stats;
    unsigned thread;
    double share, due; /* a check is due when the shares of the events have added up to 1 */
    sql_connection *primary, *replica; /* NULL if they are not open */
    uint64_t number;                   /* number of the last change */
    int missed, visible;               /* quality figures; valid if `primary` was ever open */
    bool known, warned;
} self;

bool own_writes_enter(struct sql *sql, struct stats_thread *stats, unsigned thread)
{
    self = (struct own_writes){
        .sql = sql,
        .stats = stats,
        .thread = thread,
        .share = options_get(sql_options(sql), "read-your-writes")->number};
    return self.share > 0;
}

void own_writes_leave(void)
{
    sql_connection_free(self.primary);
    sql_connection_free(self.replica);
    self.primary = self.replica = NULL;
}

bool own_writes_due(void)
{
    self.due += self.share;
    if (self.due < 1)
        return false;
    self.due -= 1;
    return true;
}

static void warn(const char *where, const sql_connection *con)
{
    if (!self.warned)
        log_text(LOG_WARNING, "--read-your-writes: a row cannot be %s: %s", where,
                 con != NULL ? con->conn.error.message : "unable to connect");
    self.warned = true;
}

static int execute(const char *format, uint64_t number)
{
    char text[160];
    snprintf(text, sizeof(text), format, number, self.thread + 1);
    if (self.primary != NULL && sql_query_aside(self.primary, text) == 0)
        return 0;
    warn("written", self.primary);
    own_writes_leave();
    return -1;
}

static int open_both(void)
{
    sql_driver *drv = sql_driver_open(NULL);
    if (drv == NULL)
        return -1;
    self.primary = sql_connect_aside(drv, 0);
    self.replica = sql_connect_aside_reader(drv, self.thread);
    if (self.replica == NULL)
        warn("read", NULL);
    if (!self.known) {
        self.missed = worker_quality("own_write_missed");
        self.visible = worker_quality("own_write_visible_ms");
    }
    self.known = true;
    if (self.replica == NULL ||
        (self.number == 0 &&
         execute("INSERT INTO " TABLE " (number, id) VALUES (%" PRIu64 ", %u)", 0) != 0)) {
        own_writes_leave();
        return -1;
    }
    return 0;
}

/* Returns 1 if the replica returns the last change, 0 if it does not, −1 if it does not answer. */
static int look(void)
{
    char text[96], digits[32] = "0";
    const int length = snprintf(text, sizeof(text), "SELECT number FROM " TABLE " WHERE id = %u", self.thread + 1);
    const bool answered = sql_query(self.replica, text, (size_t)length) == DRIVER_ROWS;
    if (answered && sql_fetch(self.replica) && sql_field(self.replica, 0) != NULL)
        snprintf(digits, sizeof(digits), "%.*s", (int)sql_field_length(self.replica, 0),
                 sql_field(self.replica, 0));
    sql_free_result(self.replica);
    if (!answered && sql_connection_lost(self.replica)) {
        warn("read", self.replica);
        own_writes_leave();
        return -1;
    }
    return strtoull(digits, NULL, 10) >= self.number;
}

void own_writes_check(void)
{
    if (self.primary == NULL && open_both() != 0)
        return;
    self.number++;
    if (execute("UPDATE " TABLE " SET number = %" PRIu64 " WHERE id = %u", self.number) != 0)
        return;
    const int64_t written_ns = clock_now_ns();
    int64_t at_ns = written_ns;
    bool missed = false;
    for (int seen; (seen = look()) != 1; missed = true) {
        if (seen < 0)
            return;
        if (at_ns - written_ns >= LIMIT_NS)
            break;
        clock_sleep_until_ns(clock_now_ns() + PAUSE_NS);
        at_ns = clock_now_ns();
    }
    if (!stats_measures(self.stats) || self.missed < 0 || self.visible < 0)
        return;
    stats_quality(self.stats, (unsigned)self.missed, missed);
    stats_quality(self.stats, (unsigned)self.visible, ns_to_ms(min_i64(at_ns - written_ns, LIMIT_NS)));
}
