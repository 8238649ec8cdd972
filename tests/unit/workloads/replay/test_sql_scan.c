/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which statements are recognized as writes. */
#include "workloads/replay/sql_scan.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"

static enum sql_kind kind(const char *text, enum sql_scan scan)
{
    const char *what = NULL;
    return sql_scan_kind(text, strlen(text), scan, &what);
}

static const char *const reads[] = {
    "SELECT 1",
    "",
    "-- nothing",
    "/* a */ select c FROM t WHERE a = 'INSERT INTO' -- into",
    "SELECT replace(a, 'x', 'y') FROM t",
    "SHOW TABLES",
    "BEGIN; SELECT 1; COMMIT",
    "SET NAMES utf8mb4",
    "START TRANSACTION READ ONLY",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "EXPLAIN SELECT 1",
    "(SELECT 1) UNION (SELECT 2)",
    "SELECT substring(a FROM 2 FOR 3) FROM t",
    "SHOW CREATE TABLE t",
    "SET STATEMENT max_statement_time = 1 FOR SELECT 1",
    "SELECT set_config('search_path', 'a', false), pg_sleep(1), lo_get(5)",
    "SELECT lo_create, \"lo_create\" FROM t",
};

static const char *const writes[] = {
    "INSERT INTO t VALUES (1)",
    "SELECT 1; DELETE FROM t",
    "SELECT 1 FROM t FOR UPDATE",
    "SELECT 1 FROM t FOR NO KEY UPDATE",
    "SELECT 1 FROM t LOCK IN SHARE MODE",
    "SELECT * INTO copy FROM t",
    "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
    "EXPLAIN ANALYZE UPDATE t SET a = 1",
    "BEGIN READ WRITE",
    "SET TRANSACTION READ WRITE",
    "SET GLOBAL max_connections = 1",
    "SET default_transaction_read_only = off",
    "RESET ALL",
    "RESET MASTER",
    "reset binary logs and gtids",
    "RESET QUERY CACHE",
    "CALL p()",
    "DO $$ BEGIN DELETE FROM t; END $$",
    "VACUUM",
    "START SLAVE",
    "SET STATEMENT max_statement_time = 1 FOR DELETE FROM t",
    "SET STATEMENT max_statement_time = 1 FOR SELECT 1 INTO OUTFILE 'x'",
    "SET STATEMENT max_statement_time = 1 FOR CALL p()",
    "SET STATEMENT tx_read_only = 0 FOR SELECT f()",
    "BEGIN NOT ATOMIC DELETE FROM t; END",
    "BEGIN NOT ATOMIC CREATE TABLE t (a INT); END",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
    "EXPLAIN (ANALYZE) CREATE MATERIALIZED VIEW v AS SELECT 1",
    "EXPLAIN ANALYZE UPDATE (a, b) SET c = 1",
    "COMMIT PREPARED 'other'",
    "ROLLBACK PREPARED 'other'",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT set_config ( 'Role', 'other', false)",
    "SELECT set_config(name, 'off', false) FROM t",
    "SELECT set_config(",
    "SELECT pg_catalog.lo_unlink(5)",
    "WITH x AS (SELECT lo_creat(-1)) SELECT * FROM x",
    "SELECT * FROM dblink_exec('dbname=a', 'DELETE FROM t')",
    "SELECT pg_drop_replication_slot('a')",
    "no statement at all",
};

START_TEST(reads_are_recognized)
{
    ck_assert_int_eq(kind(reads[_i], SQL_SCAN_MYSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind(reads[_i], SQL_SCAN_PGSQL), SQL_KIND_READ);
}
END_TEST

START_TEST(writes_are_recognized)
{
    ck_assert_int_eq(kind(writes[_i], SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind(writes[_i], SQL_SCAN_PGSQL), SQL_KIND_WRITE);
}
END_TEST

/* Statements that would leave a read-only session of PostgreSQL, with computed, quoted or escaped
 * names. */
static const char *const leaving[] = {
    "SELECT set_config('default_' || 'transaction_read_only', 'off', false)",
    "SELECT set_config('default_transaction_'\n'read_only', 'off', false)",
    "SELECT set_config(E'default\\x5ftransaction_read_only', 'off', false)",
    "SELECT set_config(U&'default\\005ftransaction_read_only', 'off', false)",
    "SELECT set_config('default\\137transaction_read_only', 'off', false)",
    "SELECT set_config($$default_transaction_read_only$$, 'off', false)",
    "SELECT set_config(setting_name => 'role', new_value => 'a', is_local => false)",
    "SELECT set_config /* a */ ('role', 'a', false)",
    "SELECT set_config -- a\n ('role', 'a', false)",
    "SELECT set_config(/* a */ 'role' /* b */, 'a', false)",
    "SELECT \"set_config\"('role', 'a', false)",
    "SELECT pg_catalog . \"set_config\" ('role', 'a', false)",
    "SELECT U&\"set\\005fconfig\"('default_transaction_read_only', 'off', false)",
    "SELECT u&\"set\\+00005Fconfig\"('default_transaction_read_only', 'off', false)",
    "SELECT U&\"set!005fconfig\" UESCAPE '!' ('default_transaction_read_only', 'off', false)",
    "SELECT U&\"\\006co_creat\"(-1)",
    "SELECT \"lo_creat\"(-1)",
    "SET U&\"default\\005ftransaction_read_only\" = off",
    "SET SESSION U&\"role\" = 'a'",
    "SET U&\"default!005ftransaction_read_only\" UESCAPE '!' = off",
    "SET U&\"de\\00\" = off",
    "SET standard_conforming_strings = off",
    "SELECT query_to_xml('SELECT set_config(''role'', ''a'', false)', true, true, '')",
};

START_TEST(names_are_compared_after_quotes_and_escapes)
{
    ck_assert_int_eq(kind(leaving[_i], SQL_SCAN_PGSQL), SQL_KIND_WRITE);
}
END_TEST

START_TEST(other_quoted_names_are_reads)
{
    ck_assert_int_eq(kind("SET \"search_path\" = a", SQL_SCAN_PGSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SET U&\"search\\005fpath\" = a", SQL_SCAN_PGSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT U&\"caf\\00e9\", \"set_config\" FROM t", SQL_SCAN_PGSQL),
                     SQL_KIND_READ);
    ck_assert_int_eq(
        kind("SELECT \"set_config\" /* a */ ('search_path', 'a', false)", SQL_SCAN_PGSQL),
        SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT \"lower\"('A')", SQL_SCAN_PGSQL), SQL_KIND_READ);
    /* With ANSI_QUOTES. */
    ck_assert_int_eq(kind("SET SESSION \"tx_read_only\" = 0", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
}
END_TEST

/* The scan must find the end of a literal or comment where the server finds it. */
START_TEST(literals_and_comments_of_each_server)
{
    ck_assert_int_eq(kind("SELECT 'a\\'; DELETE FROM t; -- '", SQL_SCAN_MYSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT 'a\\'; DELETE FROM t; -- '", SQL_SCAN_PGSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SELECT E'a\\'; DELETE FROM t; -- '", SQL_SCAN_PGSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT 1 /*! INTO OUTFILE 'x' */", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("/*!50000 DELETE */ FROM t", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SELECT 1 /*!50000INTO OUTFILE 'x' */", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SELECT 1 FOR /*!80000 SHARE */", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("/*M!100616 SET @a = @b */", SQL_SCAN_MYSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT $a$; DELETE FROM t; $a$", SQL_SCAN_PGSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT /* /* */ ; DELETE FROM t */ 1", SQL_SCAN_PGSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SELECT /* /* */ ; DELETE FROM t", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SELECT 1--1; DELETE FROM t", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SELECT 1 # ; DELETE FROM t", SQL_SCAN_MYSQL), SQL_KIND_READ);
    ck_assert_int_eq(kind("SET `tx_read_only` = 0", SQL_SCAN_MYSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SET \"transaction_read_only\" TO off", SQL_SCAN_PGSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("SET \"search_path\" TO \"a\"", SQL_SCAN_PGSQL), SQL_KIND_READ);
}
END_TEST

START_TEST(some_statements_are_never_replayed)
{
    ck_assert_int_eq(kind("KILL 5", SQL_SCAN_MYSQL), SQL_KIND_NEVER);
    ck_assert_int_eq(kind("copy t from stdin", SQL_SCAN_PGSQL), SQL_KIND_NEVER);
    ck_assert_int_eq(kind("COPY t FROM '/file'", SQL_SCAN_PGSQL), SQL_KIND_WRITE);
    ck_assert_int_eq(kind("LOAD DATA LOCAL INFILE 'x' INTO TABLE t", SQL_SCAN_MYSQL),
                     SQL_KIND_NEVER);
    ck_assert_int_eq(kind("SELECT 1; DEALLOCATE ALL", SQL_SCAN_PGSQL), SQL_KIND_FORGET);
    ck_assert_int_eq(kind("KILL 5; DEALLOCATE PREPARE a", SQL_SCAN_MYSQL), SQL_KIND_NEVER);
    ck_assert_int_eq(kind("SELECT pg_terminate_backend(5)", SQL_SCAN_PGSQL), SQL_KIND_NEVER);
    ck_assert_int_eq(kind("SELECT pg_cancel_backend(5)", SQL_SCAN_PGSQL), SQL_KIND_NEVER);
}
END_TEST

/* `expected` is NULL if the text is not a single USE statement. */
static void check_use(const char *text, const char *expected)
{
    char name[10];
    ck_assert_int_eq(sql_scan_use(text, strlen(text), name, sizeof(name)), expected != NULL);
    if (expected != NULL)
        ck_assert_str_eq(name, expected);
}

START_TEST(use_names_a_database)
{
    check_use("USE shop", "shop");
    check_use(" use\t`my shop` ; ", "my shop");
    check_use("/* x */ Use shop; -- there", "shop");
    check_use("use `a``b`", "a`b");
    check_use("USE /* a */ `shop`", "shop");
    check_use("USE -- a `b`\n /* c */ # d\n`shop` /* e */", "shop");
    check_use("USE/* a */shop", "shop");
    check_use("USE \"my \"\"shop\"", "my \"shop");
    check_use("USE /* a", NULL);
    check_use("USE -- `shop`", NULL);
    check_use("USE `123456789`", "123456789");
    check_use("USE `1234567890`", "");
    check_use("USE a1234567890", "");
    check_use("USE", NULL);
    check_use("USE `shop", NULL);
    check_use("USE shop; SELECT 1", NULL);
    check_use("SELECT use", NULL);
    check_use("", NULL);
}
END_TEST

/* A USE statement that was written is read back as the same name. */
START_TEST(use_of_any_name)
{
    static const struct {
        const char *name, *text;
    } uses[] = {{"shop", "USE `shop`"},
                {"a`b", "USE `a``b`"},
                {"`", "USE ````"},
                {"a`; --", "USE `a``; --`"}};
    for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
        char text[SQL_USE_BYTES(10)];
        sql_write_use(text, uses[i].name);
        ck_assert_str_eq(text, uses[i].text);
        check_use(text, uses[i].name);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sql_scan");
    TCase *tcase = tcase_create("sql_scan");
    tcase_add_loop_test(tcase, reads_are_recognized, 0, (int)ARRAY_SIZE(reads));
    tcase_add_loop_test(tcase, writes_are_recognized, 0, (int)ARRAY_SIZE(writes));
    tcase_add_loop_test(tcase, names_are_compared_after_quotes_and_escapes, 0,
                        (int)ARRAY_SIZE(leaving));
    tcase_add_test(tcase, other_quoted_names_are_reads);
    tcase_add_test(tcase, literals_and_comments_of_each_server);
    tcase_add_test(tcase, some_statements_are_never_replayed);
    tcase_add_test(tcase, use_names_a_database);
    tcase_add_test(tcase, use_of_any_name);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
