/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples counters of MongoDB: serverStatus, and replSetGetStatus on members of a replica set. */
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"

enum {
    QUERIES = WATCH_SHARED,
    COMMANDS,
    INSERTED,
    UPDATED,
    DELETED,
    READ,
    CONFLICTS,
    REQUESTS,
    MISSES,
    ACTIVE,
    QUEUED,
    CONNECTED,
    PAGES,
    LOG,
    LAG,
    VALUES
};
_Static_assert(VALUES <= PROBE_VALUES, "a sample has room");

static const struct probe_series series[] = {
    {"queries_per_s", "find/s", "operations per second", PROBE_RATE, QUERIES, .line = {1, 1}},
    {"commands_per_s", "cmd/s", "operations per second", PROBE_RATE, COMMANDS, .line = {0, 0}},
    {"rows_inserted_per_s", "ins/s", "rows per second", PROBE_RATE, INSERTED, .line = {1, 1}},
    {"rows_updated_per_s", "upd/s", "rows per second", PROBE_RATE, UPDATED, .line = {1, 1}},
    {"rows_deleted_per_s", "del/s", "rows per second", PROBE_RATE, DELETED, .line = {1, 1}},
    {"rows_read_per_s", "read/s", "rows per second", PROBE_RATE, READ, .line = {1, 0}},
    {"write_conflicts_per_s", "conflicts/s", "write conflicts per second", PROBE_RATE, CONFLICTS,
     .line = {0, 0}},
    {"buffer_requests_per_s", "buffer/s", "pages asked of the cache per second", PROBE_RATE,
     REQUESTS, .line = {2, 0}},
    {"buffer_hit_percent", "hit%", "cache hits, %", PROBE_REST, MISSES, REQUESTS, .line = {2, 0}},
    {"clients_active", "active", "clients", PROBE_LEVEL, ACTIVE, .line = {2, 1}},
    {"clients_queued", "queued", "clients", PROBE_LEVEL, QUEUED, .line = {2, 0}},
    {"connections", "connected", "connections", PROBE_LEVEL, CONNECTED, .line = {2, 1}},
    {"pages_written_per_s", "pages/s", "pages written per second", PROBE_RATE, PAGES,
     .line = {2, 0}},
    {"log_kib_per_s", "log KiB/s", "journal written, KiB per second", PROBE_RATE, LOG,
     .line = {2, 0}, .unit = 1024},
    {"lag_s", "lag s", "replication lag, s", PROBE_LEVEL, LAG, .line = {3, 1}},
};
_Static_assert(ARRAY_SIZE(series) <= PROBE_SERIES, "reports have room");

static const struct probe_work work[] = {
    {"rows_read", READ, 1},
    {"rows_changed", WATCH_ROWS_CHANGED, 1},
    {"buffer_requests", REQUESTS, 1},
    {"log_bytes", LOG, 1},
};

#define SETTING_PATHS                                                                              \
    "\"version\",\"process\",\"storageEngine.name\",\"storageEngine.persistent\","                 \
    "\"repl.setName\",\"defaultRWConcern.defaultReadConcern\","                                    \
    "\"defaultRWConcern.defaultWriteConcern\","                                                    \
    "\"wiredTiger.cache.maximum bytes configured\","                                               \
    "\"wiredTiger.concurrentTransactions.read.totalTickets\","                                     \
    "\"wiredTiger.concurrentTransactions.write.totalTickets\",\"connections.available\","          \
    "\"transportSecurity\",\"mem.bits\""

static enum driver_status read_values(struct driver_conn *conn, double *value);

const struct driver_watch mongodb_watch = {
    .table = {.series = series,
              .count = ARRAY_SIZE(series),
              .work = work,
              .works = ARRAY_SIZE(work)},
    .read = read_values,
    .settings = "{\"serverStatus\": 1, \"$db\": \"admin\", \"$pairs\": [" SETTING_PATHS "]}",
    .where = mongodb_where,
};

/* Paths of values in the answer to serverStatus. Missing values stay NAN. */
static const struct {
    const char *path;
    unsigned char value;
} parts[] = {
    {"opcounters.query", QUERIES},
    {"opcounters.command", COMMANDS},
    {"metrics.document.inserted", INSERTED},
    {"metrics.document.updated", UPDATED},
    {"metrics.document.deleted", DELETED},
    {"metrics.document.returned", READ},
    {"metrics.operation.writeConflicts", CONFLICTS},
    {"globalLock.activeClients.total", ACTIVE},
    {"globalLock.currentQueue.total", QUEUED},
    {"connections.current", CONNECTED},
    {"wiredTiger.cache.pages requested from the cache", REQUESTS},
    {"wiredTiger.cache.pages read into cache", MISSES},
    {"wiredTiger.cache.pages written from cache", PAGES},
    {"wiredTiger.log.log bytes written", LOG},
};

static enum driver_status ask(struct driver_conn *conn, const char *name, bson_t *reply)
{
    bson_t command = BSON_INITIALIZER;

    conn->asked++;
    BSON_APPEND_INT32(&command, name, 1);
    enum driver_status status = mongodb_ask(conn, "admin", &command, false, reply);
    bson_destroy(&command);
    return status;
}

static enum driver_status read_status(struct driver_conn *conn, double *value)
{
    bson_iter_t it, found;
    bson_t reply;

    if (ask(conn, "serverStatus", &reply) == DRIVER_ERROR)
        return DRIVER_ERROR;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (bson_iter_init(&it, &reply) && bson_iter_find_descendant(&it, parts[i].path, &found) &&
            BSON_ITER_HOLDS_NUMBER(&found))
            value[parts[i].value] = bson_iter_as_double(&found);
    bson_destroy(&reply);
    value[WATCH_ROWS_CHANGED] = value[INSERTED] + value[UPDATED] + value[DELETED];
    return DRIVER_OK;
}

/* A member of a replica set: time of its last applied operation (ms since 1970) and its role. */
struct member {
    double applied_ms;
    bool self, primary, secondary;
};

static struct member read_member(const bson_iter_t *document)
{
    struct member member = {.applied_ms = NAN};
    bson_iter_t it;

    if (!bson_iter_recurse(document, &it))
        return member;
    while (bson_iter_next(&it)) {
        const char *key = bson_iter_key(&it);
        if (strcmp(key, "optimeDate") == 0 && BSON_ITER_HOLDS_DATE_TIME(&it)) {
            member.applied_ms = (double)bson_iter_date_time(&it);
        } else if (strcmp(key, "self") == 0) {
            member.self = bson_iter_as_bool(&it);
        } else if (strcmp(key, "stateStr") == 0 && BSON_ITER_HOLDS_UTF8(&it)) {
            member.primary = strcmp(bson_iter_utf8(&it, NULL), "PRIMARY") == 0;
            member.secondary = strcmp(bson_iter_utf8(&it, NULL), "SECONDARY") == 0;
        }
    }
    return member;
}

/* Returns the lag in seconds: on a secondary its own, on a primary the largest of all
 * secondaries. */
static double lag_of(const bson_t *reply)
{
    double primary_ms = NAN, self_ms = NAN, last_ms = NAN;
    bson_iter_t it;

    if (!bson_iter_init_find(&it, reply, "members") || !bson_iter_recurse(&it, &it))
        return NAN;
    while (bson_iter_next(&it)) {
        const struct member member = read_member(&it);
        if (member.primary)
            primary_ms = member.applied_ms;
        if (member.self && !member.primary)
            self_ms = member.applied_ms;
        if (member.secondary)
            last_ms = fmin(last_ms, member.applied_ms); /* fmin() ignores a NAN */
    }
    const double lag_s = (primary_ms - (isnan(self_ms) ? last_ms : self_ms)) / 1000;
    return lag_s < 0 ? 0 : lag_s;
}

/* Reads the replication lag. After the first refusal, for example because the server is not a
 * member of a replica set, the command is not sent again. */
static enum driver_status read_lag(struct driver_conn *conn, double *value)
{
    bson_t reply;

    if (conn->not_allowed)
        return DRIVER_OK;
    if (ask(conn, "replSetGetStatus", &reply) == DRIVER_ERROR) {
        conn->not_allowed = !conn->error.connection_lost;
        return conn->not_allowed ? DRIVER_OK : DRIVER_ERROR;
    }
    value[LAG] = lag_of(&reply);
    bson_destroy(&reply);
    return DRIVER_OK;
}

static enum driver_status read_values(struct driver_conn *conn, double *value)
{
    if (read_status(conn, value) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return read_lag(conn, value);
}
