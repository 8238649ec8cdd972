/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the SQL layer share: an instance of it in a folder of its own. */
#ifndef TEST_DATABASE_H
#define TEST_DATABASE_H

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "options/options.h"
#include "sql/sql.h"
#include "stats/stats.h"

struct database {
    struct options *options;
    struct sql *sql;
    struct stats *stats;
    char folder[PATH_MAX / 2];
    char path[PATH_MAX];
};

/* `settings` are "name=value" strings, NULL at the end; they win over the defaults. */
static inline void database_open(struct database *d, const char *const *settings)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(d->folder, sizeof(d->folder), "%s/sysrate-unit.XXXXXX", tmp != NULL ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(d->folder));
    snprintf(d->path, sizeof(d->path), "%s/test.db", d->folder);
    d->options = options_create();
    ck_assert_int_eq(sql_add_options(d->options), 0);
    ck_assert_int_eq(options_set(d->options, "db-driver", "sqlite"), 0);
    ck_assert_int_eq(options_set(d->options, "sqlite-db", d->path), 0);
    ck_assert_int_eq(options_set(d->options, "sqlite-synchronous", "off"), 0);
    for (; settings != NULL && *settings != NULL; settings++) {
        char *name = xstrdup(*settings);
        char *value = strchr(name, '=');
        *value++ = '\0';
        ck_assert_int_eq(options_set(d->options, name, value), 0);
        free(name);
    }
    d->stats = stats_create(1, false);
    d->sql = sql_create(d->options, 42, 1, 1);
    sql_thread_enter(d->sql, stats_thread(d->stats, 0), 0);
}

static inline void database_close(struct database *d)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char path[PATH_MAX + 16];

    sql_destroy(d->sql);
    stats_destroy(d->stats);
    options_destroy(d->options);
    for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
        snprintf(path, sizeof(path), "%s%s", d->path, suffixes[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(d->folder), 0);
}

static inline uint64_t counted(const struct database *d, enum counter type)
{
    return atomic_load(&stats_thread(d->stats, 0)->run.cell[PHASE_MEASURED].counter[type]);
}

static inline void assert_counted(const struct database *d, uint64_t reads, uint64_t writes,
                                  uint64_t others)
{
    ck_assert_uint_eq(counted(d, COUNTER_READ), reads);
    ck_assert_uint_eq(counted(d, COUNTER_WRITE), writes);
    ck_assert_uint_eq(counted(d, COUNTER_OTHER), others);
}

static inline sql_connection *connect_to(const char *driver)
{
    sql_driver *drv = sql_driver_open(driver);
    ck_assert_ptr_nonnull(drv);
    sql_connection *con = sql_connect(drv);
    ck_assert_ptr_nonnull(con);
    return con;
}

static inline int query(sql_connection *con, const char *text)
{
    return sql_query(con, text, strlen(text));
}

/* The statement must succeed without a result set. */
static inline void execute(sql_connection *con, const char *text)
{
    int status = query(con, text);
    ck_assert_msg(status == 0, "%s: %d %s", text, status, sql_error_message(con));
}

static inline sql_statement *prepare(sql_connection *con, const char *text)
{
    sql_statement *stmt = sql_prepare(con, text, strlen(text));
    ck_assert_msg(stmt != NULL, "%s: %s", text, sql_error_message(con));
    return stmt;
}

/* The open result set: fields separated by ',', rows by ';', NULL as "~". Until the next call. */
static inline const char *result_text(sql_connection *con)
{
    static char text[8192];
    size_t used = 0;

    for (unsigned row = 0; sql_fetch(con); row++)
        for (uint32_t i = 0; i < sql_fields(con); i++) {
            const char *field = sql_field(con, i);
            const char *before = i > 0 ? "," : row > 0 ? ";" : "";
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s", before,
                                     field == NULL ? 1 : (int)sql_field_length(con, i),
                                     field == NULL ? "~" : field);
            ck_assert_uint_lt(used, sizeof(text));
        }
    text[used] = '\0';
    return text;
}

static inline void assert_result(sql_connection *con, const char *text, const char *expected)
{
    int status = query(con, text);
    ck_assert_msg(status == 1, "%s: %d %s", text, status, sql_error_message(con));
    ck_assert_str_eq(result_text(con), expected);
}

#endif
