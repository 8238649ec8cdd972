/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples the statistics views of PostgreSQL, which count transactions and rows, but not
 * statements. */
#include <string.h>

#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"

/* The driver's own values, in the order of the columns of the statements below. */
enum {
    COMMITS = WATCH_SHARED,
    ROLLBACKS,
    INSERTED,
    UPDATED,
    DELETED,
    FETCHED,
    REQUESTS,
    MISSES,
    DEADLOCKS,
    BACKENDS,
    ACTIVE,
    HELD,
    PAGES,
    LOG,
    RETURNED,
    BYTES_READ,
    BYTES_WRITTEN,
    TEMPORARY,
    FSYNCS,
    LAG,
    REPLAYED,
    BEHIND,
    VALUES
};
_Static_assert(VALUES <= PROBE_VALUES, "a sample has room");

static const struct probe_series series[] = {
    {"commits_per_s", "commits/s", "transactions per second", PROBE_RATE, COMMITS, .line = {1, 0},
     .late = true},
    {"rollbacks_per_s", "rollbacks/s", "transactions per second", PROBE_RATE, ROLLBACKS,
     .line = {0, 0}, .late = true},
    {"deadlocks_per_s", "deadlocks/s", "deadlocks per second", PROBE_RATE, DEADLOCKS,
     .line = {0, 0}, .late = true},
    {"rows_inserted_per_s", "ins/s", "rows per second", PROBE_RATE, INSERTED, .line = {1, 0},
     .late = true},
    {"rows_updated_per_s", "upd/s", "rows per second", PROBE_RATE, UPDATED, .line = {1, 0},
     .late = true},
    {"rows_deleted_per_s", "del/s", "rows per second", PROBE_RATE, DELETED, .line = {1, 0},
     .late = true},
    {"rows_fetched_per_s", "fetched/s", "rows per second", PROBE_RATE, FETCHED, .line = {1, 0},
     .late = true},
    {"buffer_requests_per_s", "buffer/s", "pages asked of the buffers per second", PROBE_RATE,
     REQUESTS, .line = {2, 0}, .late = true},
    {"buffer_hit_percent", "hit%", "buffer hits, %", PROBE_REST, MISSES, REQUESTS, .line = {2, 0},
     .late = true},
    {"backends_active", "active", "backends", PROBE_LEVEL, ACTIVE, .line = {2, 1}},
    {"backends", "connected", "backends", PROBE_LEVEL, BACKENDS, .line = {2, 1}},
    {"pages_written_per_s", "pages/s", "pages written per second", PROBE_RATE, PAGES,
     .line = {2, 1}},
    {"log_kib_per_s", "log KiB/s", "WAL written, KiB per second", PROBE_RATE, LOG, .line = {2, 0},
     .unit = 1024},
    {"lag_s", "lag s", "replication lag, s", PROBE_LEVEL, LAG, .line = {3, 1}},
    {"replayed_kib_per_s", "replayed KiB/s", "WAL replayed, KiB per second", PROBE_RATE, REPLAYED,
     .line = {3, 1}, .unit = 1024},
    {"behind_kib", "behind KiB", "WAL not replayed, KiB", PROBE_LEVEL, BEHIND, .line = {3, 1},
     .unit = 1024},
};
_Static_assert(ARRAY_SIZE(series) <= PROBE_SERIES, "reports have room");

static const struct probe_work work[] = {
    {"rows_read", RETURNED, 1},
    {"rows_changed", WATCH_ROWS_CHANGED, 1},
    {"buffer_requests", REQUESTS, 1},
    {"read_kib", BYTES_READ, 1024},
    {"written_kib", BYTES_WRITTEN, 1024},
    {"fsyncs", FSYNCS, 1},
    {"log_bytes", LOG, 1},
    {"temporary_bytes", TEMPORARY, 1},
};
_Static_assert(ARRAY_SIZE(work) <= PROBE_WORKS, "reports have room");

#define SETTING_NAMES                                                                              \
    "'autovacuum','autovacuum_naptime','autovacuum_vacuum_cost_delay','bgwriter_delay',"           \
    "'bgwriter_lru_maxpages','block_size','checkpoint_completion_target',"                         \
    "'checkpoint_timeout','commit_delay','commit_siblings','data_checksums',"                      \
    "'default_transaction_isolation','effective_cache_size','effective_io_concurrency',"           \
    "'fsync','full_page_writes','huge_pages','jit','lc_collate',"                                  \
    "'log_min_duration_statement','log_statement','maintenance_work_mem',"                         \
    "'max_connections','max_parallel_workers_per_gather','max_wal_senders','max_wal_size',"        \
    "'min_wal_size','plan_cache_mode','random_page_cost','server_encoding',"                       \
    "'server_version','shared_buffers','shared_preload_libraries','synchronous_commit',"           \
    "'temp_buffers','track_io_timing','wal_buffers','wal_compression','wal_level',"                \
    "'wal_sync_method','wal_writer_delay','work_mem'"

static enum driver_status read_values(struct driver_conn *conn, double *value);

const struct driver_watch pgsql_watch = {
    .table = {.series = series,
              .count = ARRAY_SIZE(series),
              .held = HELD,
              .work = work,
              .works = ARRAY_SIZE(work)},
    .read = read_values,
    .settings = "SELECT name, current_setting(name) FROM pg_settings"
                " WHERE name IN (" SETTING_NAMES ")",
    .where = pgsql_where,
    .counts_late = true,
};

/*
 * A session reports its counts between transactions, at most once a second. So a session that has
 * been in a transaction for half a second or longer holds back what it did before. The WAL position
 * is known at any time, except on a standby, which writes no WAL.
 */
#define DATABASE_STATEMENT(pages, fsyncs, views)                                                   \
    "SELECT tup_inserted + tup_updated + tup_deleted, xact_commit, xact_rollback,"                 \
    " tup_inserted, tup_updated, tup_deleted, tup_fetched, blks_hit + blks_read, blks_read,"       \
    " deadlocks, numbackends, activity.active,"                                                    \
    " activity.held::float8 / nullif(activity.visible, 0), " pages ","                             \
    " CASE WHEN NOT pg_is_in_recovery()"                                                           \
    " THEN pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') END, tup_returned,"                 \
    " blks_read * " BLOCK ", (" pages ") * " BLOCK ", temp_bytes, " fsyncs                         \
    " FROM pg_stat_database, pg_stat_bgwriter" views ","                                           \
    " (SELECT count(*) FILTER (WHERE state = 'active') AS active, count(*) FILTER (WHERE"          \
    " xact_start < clock_timestamp() - interval '0.5 s' AND " SESSION ") AS held,"                 \
    " count(*) FILTER (WHERE " SESSION ") AS visible FROM pg_stat_activity"                        \
    " WHERE datname = current_database()) AS activity WHERE datname = current_database()"
#define BLOCK "current_setting('block_size')::int8"
#define SESSION "backend_type = 'client backend' AND state IS NOT NULL AND pid <> pg_backend_pid()"

#define WAL_SYNCS "(SELECT wal_sync FROM pg_stat_wal)"

/* Views and columns differ between versions of the server. */
static const char *database_statement(int version)
{
#define PAGES_17 "pg_stat_checkpointer.buffers_written + buffers_clean"
#define PAGES_16 "buffers_checkpoint + buffers_clean + buffers_backend"
    if (version >= 180000)
        return DATABASE_STATEMENT(PAGES_17, "(SELECT sum(fsyncs) FROM pg_stat_io)",
                                  ", pg_stat_checkpointer");
    if (version >= 170000)
        return DATABASE_STATEMENT(PAGES_17, WAL_SYNCS, ", pg_stat_checkpointer");
    return version >= 140000 ? DATABASE_STATEMENT(PAGES_16, WAL_SYNCS, "")
                             : DATABASE_STATEMENT(PAGES_16, "NULL", "");
}

/* A standby returns its own lag, a primary the largest lag of its standbys. */
static const char replication_statement[] =
    "SELECT CASE WHEN NOT pg_is_in_recovery()"
    " THEN (SELECT max(extract(epoch FROM replay_lag)) FROM pg_stat_replication)"
    " WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0"
    " ELSE greatest(0, extract(epoch FROM now() - pg_last_xact_replay_timestamp())) END,"
    " CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') END,"
    " CASE WHEN pg_is_in_recovery()"
    " THEN pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())"
    " ELSE (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)) FROM pg_stat_replication)"
    " END";

/* Executes a statement and stores the columns of its first row in value[first] and following. */
static enum driver_status read_row(struct driver_conn *conn, const char *text, double *value,
                                   unsigned first)
{
    conn->asked++;
    enum driver_status status = conn->ops->query(conn, text, strlen(text));
    if (status != DRIVER_ROWS)
        return status;
    const struct rowset_field *row = conn->ops->fetch(conn);
    for (unsigned i = 0; row != NULL && i < conn->rows.nfields && first + i < VALUES; i++)
        if (row[i].text != NULL)
            value[first + i] = strtod(row[i].text, NULL);
    return DRIVER_OK;
}

static enum driver_status read_values(struct driver_conn *conn, double *value)
{
    struct pgsql_connection *c = conn->handle;
    double columns[PROBE_VALUES] = {0};

    memcpy(columns, value, sizeof(columns));
    /* The first column is WATCH_ROWS_CHANGED; the following are the driver's own values. */
    const char *text = database_statement(PQserverVersion(c->pg));
    if (read_row(conn, text, columns, COMMITS - 1) == DRIVER_ERROR)
        return DRIVER_ERROR;
    value[WATCH_ROWS_CHANGED] = columns[COMMITS - 1];
    memcpy(value + COMMITS, columns + COMMITS, (LAG - COMMITS) * sizeof(*value));
    value[WATCH_OWN] = (double)conn->asked;
    return read_row(conn, replication_statement, value, LAG);
}
