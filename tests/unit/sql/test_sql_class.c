/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../database.h"
#include "../suite.h"
#include "sql/sql_internal.h"
#include "stats/snapshot.h"

static const struct operation_class *find(const struct operation_totals *t, const char *name)
{
    for (unsigned i = 0; i < t->classes; i++)
        if (strcmp(t->class[i].name, name) == 0)
            return &t->class[i];
    ck_abort_msg("no class %s", name);
    return NULL;
}

static void assert_class(const struct operation_totals *t, const char *name, uint64_t count,
                         uint64_t errors, uint64_t matched, uint64_t changed)
{
    const struct operation_class *c = find(t, name);
    ck_assert_msg(c->count == count && c->errors == errors && c->matched == matched &&
                      c->changed == changed,
                  "%s: %u %u %u %u", name, (unsigned)c->count, (unsigned)c->errors,
                  (unsigned)c->matched, (unsigned)c->changed);
    ck_assert_uint_eq(c->time.count, count);
}

/* Executes statements of all kinds on one connection. */
static void work(sql_connection *con)
{
    execute(con, "CREATE TABLE t (a INTEGER PRIMARY KEY)");
    execute(con, "INSERT INTO t VALUES (1), (2), (3)");
    sql_query_class(con, "named");
    execute(con, "UPDATE t SET a = a + 10 WHERE a < 3");
    execute(con, "UPDATE t SET a = 1 WHERE a = 99");
    sql_statement *stmt = prepare(con, "SELECT a FROM t");
    ck_assert_int_eq(sql_execute(stmt), 1);
    sql_statement_class(stmt, "all");
    ck_assert_int_eq(sql_execute(stmt), 1);
    sql_statement_free(stmt);
    ck_assert_int_eq(query(con, "INSERT INTO t VALUES (3)"), -1);
    sql_error_ignore(con);
    ck_assert_int_eq(query(con, "SELEC"), -1);
}

static struct snapshot run(const char *const *settings)
{
    struct database d;
    struct snapshot s;
    snapshot_init(&s);
    database_open(&d, settings);
    sql_connection *con = connect_to("sqlite");
    work(con);
    sql_connection_free(con);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    database_close(&d);
    return s;
}

START_TEST(statements_are_recorded_by_class)
{
    const char *const settings[][3] = {{"report-sql=on"}, {"report-sql=on", "db-ps-mode=disable"}};
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        struct snapshot s = run(settings[i]);
        const struct operation_totals *t = s.operations;
        ck_assert_uint_eq(t->classes, 7);
        assert_class(t, "create t", 1, 0, 0, 0);
        assert_class(t, "insert t", 1, 1, 3, 3);
        assert_class(t, "named", 1, 0, 2, 2);
        assert_class(t, "update t", 1, 0, 0, 0);
        assert_class(t, "select t", 1, 0, 3, 0);
        assert_class(t, "all", 1, 0, 3, 0);
        assert_class(t, "selec", 0, 1, 0, 0);
        ck_assert_uint_eq(t->errors, 2);
        ck_assert_uint_eq(t->error[0].ignored, 1);
        ck_assert_uint_eq(t->error[1].ignored, 0);
        snapshot_fini(&s);
    }
}
END_TEST

START_TEST(errors_are_recorded_without_report_sql)
{
    struct snapshot s = run(NULL);
    const struct operation_totals *t = s.operations;
    ck_assert_uint_eq(t->classes, 0);
    ck_assert_uint_eq(t->errors, 2);
    ck_assert_uint_eq(t->error[0].class, OPERATION_NO_CLASS);
    ck_assert_int_eq(t->error[0].code & 0xff, 19); /* SQLITE_CONSTRAINT */
    ck_assert_uint_eq(t->error[0].ignored, 1);
    ck_assert_int_eq(t->error[1].code, 1);
    snapshot_fini(&s);
}
END_TEST

START_TEST(the_warm_up_is_not_reported)
{
    static const char *const settings[] = {"report-sql=on", NULL};
    struct database d;
    struct snapshot s;
    snapshot_init(&s);
    database_open(&d, settings);
    sql_connection *con = connect_to("sqlite");
    stats_enter(stats_thread(d.stats, 0), PHASE_WARMUP);
    execute(con, "CREATE TABLE t (a INTEGER)");
    ck_assert_int_eq(query(con, "SELEC"), -1);
    sql_error_ignore(con);
    sql_connection_free(con);
    stats_drain(d.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.operations->errors, 0);
    for (unsigned i = 0; i < s.operations->classes; i++)
        ck_assert_uint_eq(s.operations->class[i].count + s.operations->class[i].errors, 0);
    assert_class(s.operations, "create t", 0, 0, 0, 0); /* known for the first interval */
    snapshot_fini(&s);
    database_close(&d);
}
END_TEST

/* The time to reconnect has a class of its own; the connection that opens first does not. */
START_TEST(reconnects_have_a_class)
{
    static const char *const with[] = {"report-sql=on", NULL};
    static const char *const *const settings[] = {NULL, with};
    for (unsigned by_class = 0; by_class < 2; by_class++) {
        struct database d;
        struct snapshot s;
        snapshot_init(&s);
        database_open(&d, settings[by_class]);
        sql_connection *con = connect_to("sqlite");
        stats_enter(stats_thread(d.stats, 0), PHASE_WARMUP);
        ck_assert_int_eq(sql_reconnect(con), 0);
        stats_enter(stats_thread(d.stats, 0), PHASE_MEASURED);
        ck_assert_int_eq(sql_reconnect(con), 0);
        ck_assert_int_eq(sql_reconnect(con), 0);
        sql_connection_free(con);
        stats_drain(d.stats, PHASE_MEASURED, &s);
        ck_assert_uint_eq(s.operations->classes, by_class);
        if (by_class) {
            assert_class(s.operations, "connect", 2, 0, 0, 0);
            ck_assert_int_gt(s.operations->class[0].time.min_ns, 0);
        }
        snapshot_fini(&s);
        database_close(&d);
    }
}
END_TEST

RUN_SUITE("sql_class", 60, statements_are_recorded_by_class, errors_are_recorded_without_report_sql,
          the_warm_up_is_not_reported, reconnects_have_a_class)
