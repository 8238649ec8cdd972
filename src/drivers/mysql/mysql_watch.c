/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples counters of MySQL and MariaDB: SHOW GLOBAL STATUS, and on replicas SHOW SLAVE STATUS. */
#include <math.h>
#include <mysqld_error.h>
#include <string.h>

#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"

enum {
    WRITES = WATCH_SHARED,
    SELECTS,
    COMMITS,
    INSERTED,
    UPDATED,
    DELETED,
    READ,
    /* rows of all storage engines, used if the server does not count the rows of InnoDB */
    HANDLER_INSERTED,
    HANDLER_UPDATED,
    HANDLER_DELETED,
    HANDLER_READ,
    REQUESTS,
    MISSES,
    RUNNING,
    CONNECTED,
    PAGES,
    LOG,
    HISTORY,
    LAG,
    APPLIED,
    BEHIND,
    FSYNCS,
    BYTES_READ,
    BYTES_WRITTEN,
    TEMPORARY,
    VALUES
};
_Static_assert(VALUES <= PROBE_VALUES, "a sample has room");
_Static_assert(HANDLER_READ - HANDLER_INSERTED == READ - INSERTED, "both have the same order");

static const struct probe_series series[] = {
    {"statements_per_s", "statements/s", "statements per second", PROBE_RATE, WATCH_STATEMENTS,
     .line = {1, 1}},
    {"commits_per_s", "commits/s", "statements per second", PROBE_RATE, COMMITS, .line = {1, 0}},
    {"writes_per_s", "writes/s", "statements per second", PROBE_RATE, WRITES, .line = {1, 1}},
    {"selects_per_s", "selects/s", "statements per second", PROBE_RATE, SELECTS, .line = {0, 0}},
    {"rows_inserted_per_s", "ins/s", "rows per second", PROBE_RATE, INSERTED, .line = {1, 1}},
    {"rows_updated_per_s", "upd/s", "rows per second", PROBE_RATE, UPDATED, .line = {1, 1}},
    {"rows_deleted_per_s", "del/s", "rows per second", PROBE_RATE, DELETED, .line = {1, 1}},
    {"rows_read_per_s", "read/s", "rows per second", PROBE_RATE, READ, .line = {1, 0}},
    {"buffer_requests_per_s", "buffer/s", "pages asked of the buffer pool per second", PROBE_RATE,
     REQUESTS, .line = {2, 0}},
    {"buffer_hit_percent", "hit%", "buffer pool hits, %", PROBE_REST, MISSES, REQUESTS,
     .line = {2, 0}},
    {"threads_running", "running", "threads", PROBE_LEVEL, RUNNING, .line = {2, 0}},
    {"threads_connected", "connected", "threads", PROBE_LEVEL, CONNECTED, .line = {2, 0}},
    {"pages_written_per_s", "pages/s", "pages written per second", PROBE_RATE, PAGES,
     .line = {2, 0}},
    {"log_kib_per_s", "log KiB/s", "log written, KiB per second", PROBE_RATE, LOG, .line = {2, 0},
     .unit = 1024},
    {"history_length", "history", "history list length", PROBE_LEVEL, HISTORY, .line = {2, 0}},
    {"lag_s", "lag s", "replication lag, s", PROBE_LEVEL, LAG, .line = {3, 1}},
    {"applied_per_s", "applied tx/s", "transactions applied per second", PROBE_RATE, APPLIED,
     .line = {3, 1}},
    {"behind_kib", "behind KiB", "received, not applied, KiB", PROBE_LEVEL, BEHIND, .line = {3, 1},
     .unit = 1024},
};
_Static_assert(ARRAY_SIZE(series) <= PROBE_SERIES, "reports have room");

static const struct probe_work work[] = {
    {"rows_read", READ, 1},
    {"rows_changed", WATCH_ROWS_CHANGED, 1},
    {"buffer_requests", REQUESTS, 1},
    {"read_kib", BYTES_READ, 1024},
    {"written_kib", BYTES_WRITTEN, 1024},
    {"fsyncs", FSYNCS, 1},
    {"log_bytes", LOG, 1},
    {"temporary_tables_on_disk", TEMPORARY, 1},
};
_Static_assert(ARRAY_SIZE(work) <= PROBE_WORKS, "reports have room");

#define SETTING_NAMES                                                                              \
    "'version','version_comment','version_compile_machine','autocommit',"                          \
    "'auto_increment_increment','binlog_format','binlog_row_image',"                               \
    "'binlog_expire_logs_seconds','character_set_server','collation_server',"                      \
    "'default_storage_engine','general_log','innodb_adaptive_hash_index',"                         \
    "'innodb_autoinc_lock_mode','innodb_buffer_pool_instances','innodb_buffer_pool_size',"         \
    "'innodb_change_buffering','innodb_doublewrite','innodb_file_per_table',"                      \
    "'innodb_flush_log_at_trx_commit','innodb_flush_method','innodb_flush_neighbors',"             \
    "'innodb_io_capacity','innodb_io_capacity_max','innodb_log_buffer_size',"                      \
    "'innodb_log_file_size','innodb_log_files_in_group','innodb_lru_scan_depth',"                  \
    "'innodb_max_dirty_pages_pct','innodb_page_size','innodb_purge_threads',"                      \
    "'innodb_read_io_threads','innodb_redo_log_capacity','innodb_spin_wait_delay',"                \
    "'innodb_sync_spin_loops','innodb_thread_concurrency','innodb_use_native_aio',"                \
    "'innodb_write_io_threads','join_buffer_size','log_bin','max_connections',"                    \
    "'max_prepared_stmt_count','performance_schema','query_cache_size','query_cache_type',"        \
    "'slow_query_log','sort_buffer_size','sql_mode','sync_binlog','table_open_cache',"             \
    "'thread_cache_size','thread_handling','thread_pool_size','tmp_table_size',"                   \
    "'transaction_isolation','tx_isolation'"

static enum driver_status read_values(struct driver_conn *conn, double *value);

const struct driver_watch mysql_watch = {
    .table = {.series = series,
              .count = ARRAY_SIZE(series),
              .work = work,
              .works = ARRAY_SIZE(work)},
    .read = read_values,
    .settings = "SHOW GLOBAL VARIABLES WHERE Variable_name IN (" SETTING_NAMES ")",
    .where = mysql_where,
};

/* A status variable and the value that it is added to. A value may be the sum of several. */
struct part {
    const char *name;
    unsigned char value;
};

static const struct part status_parts[] = {
    {"Questions", WATCH_STATEMENTS},
    {"Com_insert", WRITES},
    {"Com_insert_select", WRITES},
    {"Com_replace", WRITES},
    {"Com_replace_select", WRITES},
    {"Com_update", WRITES},
    {"Com_update_multi", WRITES},
    {"Com_delete", WRITES},
    {"Com_delete_multi", WRITES},
    {"Com_select", SELECTS},
    {"Com_commit", COMMITS},
    {"Innodb_rows_inserted", INSERTED},
    {"Innodb_rows_updated", UPDATED},
    {"Innodb_rows_deleted", DELETED},
    {"Innodb_rows_read", READ},
    {"Handler_write", HANDLER_INSERTED},
    {"Handler_update", HANDLER_UPDATED},
    {"Handler_delete", HANDLER_DELETED},
    {"Handler_read_first", HANDLER_READ},
    {"Handler_read_key", HANDLER_READ},
    {"Handler_read_last", HANDLER_READ},
    {"Handler_read_next", HANDLER_READ},
    {"Handler_read_prev", HANDLER_READ},
    {"Handler_read_rnd", HANDLER_READ},
    {"Handler_read_rnd_next", HANDLER_READ},
    {"Innodb_buffer_pool_read_requests", REQUESTS},
    {"Innodb_buffer_pool_reads", MISSES},
    {"Threads_running", RUNNING},
    {"Threads_connected", CONNECTED},
    {"Innodb_pages_written", PAGES},
    {"Innodb_os_log_written", LOG},
    {"Innodb_data_fsyncs", FSYNCS},
    {"Innodb_data_read", BYTES_READ},
    {"Innodb_data_written", BYTES_WRITTEN},
    {"Created_tmp_disk_tables", TEMPORARY},
    {"Innodb_history_list_length", HISTORY},
};

/* Status variable that only members of a Galera cluster have. */
#define CLUSTER_STATUS "wsrep_cluster_state_uuid"

static const struct part replica_parts[] = {
    {"Seconds_Behind_Master", LAG},          {"Seconds_Behind_Source", LAG},
    {"Slave_Transactional_Groups", APPLIED}, {"Slave_Non_Transactional_Groups", APPLIED},
    {"Slave_DDL_Groups", APPLIED},
};

static void add_part(const struct part *parts, size_t count, const char *name, const char *text,
                     double *value)
{
    for (size_t i = 0; i < count && text != NULL; i++) {
        if (strcasecmp(parts[i].name, name) != 0)
            continue;
        double *sum = &value[parts[i].value];
        *sum = (isnan(*sum) ? 0 : *sum) + strtod(text, NULL);
    }
}

/* Executes a statement and returns its result, which the caller frees, or NULL on failure. */
static MYSQL_RES *ask(struct driver_conn *conn, const char *text)
{
    MYSQL *mysql = ((struct mysql_connection *)conn->handle)->mysql;
    conn->asked++;
    if (mysql_real_query(mysql, text, strlen(text)) != 0)
        return NULL;
    return mysql_store_result(mysql);
}

/* Uses the row counts of all storage engines if the server does not count the rows of InnoDB, and
 * adds up the changed rows. */
static void add_rows(double *value)
{
    for (unsigned i = 0; i <= READ - INSERTED; i++)
        if (isnan(value[INSERTED + i]))
            value[INSERTED + i] = value[HANDLER_INSERTED + i];
    value[WATCH_ROWS_CHANGED] = value[INSERTED] + value[UPDATED] + value[DELETED];
}

/* Stores the first part of the cluster's UUID ("ee8582c1-..."). An empty or zero UUID means that
 * the server is not in a cluster. */
static void add_cluster(const char *uuid, double *value)
{
    unsigned long id = uuid != NULL ? strtoul(uuid, NULL, 16) : 0;
    if (id != 0)
        value[WATCH_CLUSTER] = (double)id;
}

static void add_status(const char *name, const char *text, double *value)
{
    if (name == NULL)
        return;
    if (strcasecmp(name, CLUSTER_STATUS) == 0)
        add_cluster(text, value);
    else
        add_part(status_parts, ARRAY_SIZE(status_parts), name, text, value);
}

static enum driver_status read_status(struct driver_conn *conn, double *value)
{
    char text[2048];
    size_t used = (size_t)snprintf(
        text, sizeof(text), "SHOW GLOBAL STATUS WHERE Variable_name IN ('" CLUSTER_STATUS "'");
    for (size_t i = 0; i < ARRAY_SIZE(status_parts); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, ",'%s'", status_parts[i].name);
    snprintf(text + used, sizeof(text) - used, ")");
    MYSQL_RES *result = ask(conn, text);
    if (result == NULL)
        return mysql_fail_connection(conn);
    value[WATCH_OWN] = (double)conn->asked;
    for (MYSQL_ROW row = mysql_fetch_row(result); row != NULL; row = mysql_fetch_row(result))
        add_status(mysql_cell(result, row, 0), mysql_cell(result, row, 1), value);
    mysql_free_result(result);
    add_rows(value);
    return DRIVER_OK;
}

const char *mysql_column(MYSQL_RES *result, MYSQL_ROW row, const char *old_name,
                         const char *new_name)
{
    const MYSQL_FIELD *field = mysql_fetch_fields(result);
    for (unsigned i = 0; i < mysql_num_fields(result); i++)
        if (strcasecmp(field[i].name, old_name) == 0 || strcasecmp(field[i].name, new_name) == 0)
            return row[i];
    return NULL;
}

/*
 * Stores how many bytes of the log the replica has received but not applied. Not known while it
 * applies an older log file than it receives.
 */
static void add_behind(MYSQL_RES *result, MYSQL_ROW row, double *value)
{
    const char *received = mysql_column(result, row, "Master_Log_File", "Source_Log_File");
    const char *applied =
        mysql_column(result, row, "Relay_Master_Log_File", "Relay_Source_Log_File");
    const char *received_to =
        mysql_column(result, row, "Read_Master_Log_Pos", "Read_Source_Log_Pos");
    const char *applied_to =
        mysql_column(result, row, "Exec_Master_Log_Pos", "Exec_Source_Log_Pos");
    if (received != NULL && applied != NULL && received_to != NULL && applied_to != NULL &&
        strcmp(received, applied) == 0)
        value[BEHIND] = strtod(received_to, NULL) - strtod(applied_to, NULL);
}

/*
 * Returns the number of transactions in a GTID set such as "server:1-9:12, server:tag:1-3". MySQL
 * servers that do not use GTIDs have an empty set, and no other counter of applied transactions.
 */
static double count_transactions(const char *set)
{
    double count = 0;
    for (const char *p = strchr(set, ':'); p != NULL; p = strchr(p + 1, ':')) {
        char *end;
        unsigned long long first = strtoull(p + 1, &end, 10), last = first;
        if (end == p + 1)
            continue; /* a tag */
        if (*end == '-')
            last = strtoull(end + 1, NULL, 10);
        count += (double)(last - first + 1);
    }
    return count;
}

static void add_applied(MYSQL_RES *result, MYSQL_ROW row, double *value)
{
    const char *set = mysql_column(result, row, "Executed_Gtid_Set", "Executed_Gtid_Set");
    if (set != NULL && *set != '\0')
        value[APPLIED] = count_transactions(set);
}

static const char *replica_statement(MYSQL *mysql)
{
    return mysql_says_replica(mysql) ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS";
}

/* Reads the replication state, which is optional: a refusal by the server is recorded in
 * conn->not_allowed and is not an error. */
static enum driver_status read_replica(struct driver_conn *conn, double *value)
{
    struct mysql_connection *c = conn->handle;
    if (conn->not_allowed)
        return DRIVER_OK;
    MYSQL_RES *result = ask(conn, replica_statement(c->mysql));
    if (result == NULL) {
        mysql_fail_connection(conn);
        conn->not_allowed = !conn->error.connection_lost;
        return conn->not_allowed ? DRIVER_OK : DRIVER_ERROR;
    }
    MYSQL_ROW row = mysql_fetch_row(result);
    const MYSQL_FIELD *field = mysql_fetch_fields(result);
    for (unsigned i = 0; row != NULL && i < mysql_num_fields(result); i++)
        add_part(replica_parts, ARRAY_SIZE(replica_parts), field[i].name, row[i], value);
    if (row != NULL) {
        add_behind(result, row, value);
        add_applied(result, row, value);
    }
    mysql_free_result(result);
    return DRIVER_OK;
}

static enum driver_status read_values(struct driver_conn *conn, double *value)
{
    if (conn->handle == NULL) /* a dry run */
        return DRIVER_OK;
    if (read_status(conn, value) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return read_replica(conn, value);
}
