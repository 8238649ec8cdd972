/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs that servers made (logs/, shortened). */
#include "workloads/replay/log/log_reader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../capture.h"
#include "../../../suite.h"
#include "log_contents.h"

START_TEST(general_log_of_mariadb)
{
    struct contents c = read_sample("mariadb-general.txt");
    ck_assert_int_eq(c.format, LOG_FORMAT_MYSQL_GENERAL);
    ck_assert_uint_eq(c.statements, 20);
    ck_assert_uint_eq(c.skipped, 0);
    ck_assert_uint_eq(c.starts, 5);
    ck_assert_ptr_nonnull(strstr(c.text, "|SELECT c FROM sbtest1 WHERE id=93|"));
    ck_assert_ptr_nonnull(
        strstr(c.text, "|select 'multi\nline', '\\\\', \"x\"|select * from nosuch|"));
    free(c.text);
}
END_TEST

START_TEST(slow_log_of_mariadb)
{
    struct contents c = read_sample("mariadb-slow.txt");
    ck_assert_int_eq(c.format, LOG_FORMAT_MYSQL_SLOW);
    ck_assert_uint_eq(c.statements, 10);
    /* One was cut off when the sample was made. */
    ck_assert_uint_eq(c.left_out, 1);
    ck_assert_uint_eq(c.skipped, 0);
    ck_assert_ptr_nonnull(
        strstr(c.text, "|select 'multi\nline', '\\\\', \"x\"|select * from nosuch|"));
    free(c.text);
}
END_TEST

START_TEST(statements_of_postgresql)
{
    struct contents c = read_sample("postgresql-statements.txt");
    ck_assert_int_eq(c.format, LOG_FORMAT_PGSQL_STDERR);
    ck_assert_uint_eq(c.statements, 26);
    ck_assert_uint_eq(c.failures, 1);
    /* The last line of an execute was cut off, with its parameters. */
    ck_assert_uint_eq(c.left_out, 1);
    ck_assert_ptr_nonnull(strstr(c.text, "WHERE id= '81'|"));
    ck_assert_ptr_nonnull(strstr(c.text, "|select 'multi\nline', 'q''s', E'\\\\n\"'|"));
    ck_assert_ptr_nonnull(strstr(c.text, "|select $$dollar; $1$$|"));
    free(c.text);
}
END_TEST

START_TEST(durations_of_postgresql)
{
    struct contents c = read_sample("postgresql-statements-durations.txt");
    ck_assert_uint_ge(c.durations, 10);
    ck_assert_uint_ge(c.statements, 16);
    free(c.text);
    c = read_sample("postgresql-durations.txt");
    ck_assert_uint_eq(c.durations, 0);
    ck_assert_uint_ge(c.statements, 10);
    free(c.text);
}
END_TEST

START_TEST(csvlog_of_postgresql)
{
    struct contents c = read_sample("postgresql.csv");
    ck_assert_int_eq(c.format, LOG_FORMAT_PGSQL_CSV);
    ck_assert_uint_eq(c.statements, 16);
    ck_assert_uint_eq(c.failures, 1);
    ck_assert_uint_eq(c.skipped, 0);
    ck_assert_ptr_nonnull(strstr(c.text, "|select 'multi\nline', 'q''s', E'\\\\n\"'|"));
    free(c.text);
}
END_TEST

/* MySQL writes ISO 8601 times with microseconds, and the session number after "Id:". */
START_TEST(logs_of_mysql)
{
    char path[] = "mysql.XXXXXX";
    static const char general[] =
        "/usr/sbin/mysqld, Version: 9.7.0 (MySQL Community Server - GPL). started with:\n"
        "Tcp port: 3306  Unix socket: /tmp/x\n"
        "Time                 Id Command    Argument\n"
        "2026-11-24T03:26:51.123456Z\t    8 Connect\troot@localhost on test using Socket\n"
        "2026-11-24T03:26:51.123500Z\t    8 Query\tSELECT 1\n"
        "2026-11-24T03:26:51.124000Z\t    8 Init DB\tother\n";
    static const char slow[] =
        "# Time: 2026-11-24T03:26:51.123456Z\n"
        "# User@Host: root[root] @ localhost []  Id:     8\n"
        "# Query_time: 0.500000  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 1\n"
        "use test;\nSET timestamp=1795490811;\nSELECT 1;\n";
    struct log_event e;
    close(mkstemp(path));
    save(path, general, strlen(general));
    struct contents c = read_log(path);
    ck_assert_str_eq(c.text, "SELECT 1|USE `other`|");
    free(c.text);
    save(path, slow, strlen(slow));
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES);
    ck_assert(log_reader_next(r, &e));
    ck_assert_uint_eq(e.session, 8);
    ck_assert_int_eq(e.time_ns % NS_PER_SEC, 123456000);
    ck_assert_int_eq(e.duration_ns, 500000000);
    ck_assert_str_eq(e.database, "test");
    ck_assert(!log_reader_next(r, &e));
    log_reader_close(r);
    unlink(path);
}
END_TEST

/* A statement that is prepared and executed in SQL is in the log twice: as EXECUTE, and as the
 * executed statement. */
START_TEST(executed_in_sql)
{
    static const char general[] =
        "261124  7:46:29\t     6 Query\tPREPARE s FROM 'INSERT INTO t VALUES (?)'\n"
        "\t\t     6 Prepare\tINSERT INTO t VALUES (?)\n"
        "\t\t     6 Query\t /* a */ execute s USING @a\n"
        "\t\t     6 Execute\tINSERT INTO t VALUES (1)\n"
        "\t\t     6 Query\tSELECT execute\n";
    static const char slow[] =
        "# Time: 261124  7:46:29\n# User@Host: root[root] @ localhost []\n"
        "# Thread_id: 6  Schema: x  QC_hit: No\n# Query_time: 0.1  Lock_time: 0.0\n"
        "SET timestamp=1795506389;\nINSERT INTO t VALUES (7);\n"
        "# User@Host: root[root] @ localhost []\n"
        "# Thread_id: 6  Schema: x  QC_hit: No\n# Query_time: 0.1  Lock_time: 0.0\n"
        "SET timestamp=1795506389;\nEXECUTE IMMEDIATE 'INSERT INTO t VALUES (7)';\n";
    struct contents c = read_text(general);
    ck_assert_str_eq(
        c.text,
        "PREPARE s FROM 'INSERT INTO t VALUES (?)'|INSERT INTO t VALUES (1)|SELECT execute|");
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
    c = read_text(slow);
    ck_assert_str_eq(c.text, "INSERT INTO t VALUES (7)|");
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
}
END_TEST

/* The server may be configured to write any prefix before each message. */
START_TEST(prefix_as_configured)
{
    char path[] = "prefix.XXXXXX";
    static const char text[] =
        "<1795491418.125 app=psql,db=shop 6b05.4 7> LOG:  duration: 1.500 ms  statement: SELECT 1\n"
        "\t+ 2\n<1795491419.125 app=,db= 6b05.4 8> LOG:  disconnection: session time: "
        "0:00:00.015\n";
    struct log_event e;
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct log_reader *r =
        log_reader_open(path, LOG_FORMAT_UNKNOWN, "<%n app=%a,db=%d %c %l> ", LOG_TEXT_BYTES);
    ck_assert_ptr_nonnull(r);
    ck_assert(log_reader_next(r, &e));
    ck_assert_str_eq(e.text, "SELECT 1\n+ 2");
    ck_assert_str_eq(e.database, "shop");
    ck_assert_int_eq(e.duration_ns, 1500000);
    ck_assert_int_eq(e.time_ns, INT64_C(1795491418125000000));
    const uint64_t session = e.session;
    ck_assert(log_reader_next(r, &e));
    ck_assert_int_eq(e.kind, LOG_EVENT_END);
    ck_assert_uint_eq(e.session, session);
    log_reader_close(r);
    unlink(path);
}
END_TEST

/* Prefixes that servers and services use, a line for each of them, and the database in that
 * line. */
static const struct {
    const char *prefix, *line, *database;
} prefixes[] = {
    {"%m [%p] %q%u@%d ", "2026-11-24 03:37:01.125 CET [71] app@shop ", "shop"},
    {"%m [%p] ", "2026-11-24 03:37:01.125 +0530 [71] ", ""},
    {"%t [%p]: ", "2026-11-24 03:37:01 -03 [71]: ", ""},
    {"%t:%r:%u@%d:[%p]:", "2026-11-24 03:37:01 UTC:10.0.0.1(51234):app@shop:[71]:", "shop"},
    {"%t:%r:%u@%d:[%p]:", "2026-11-24 03:37:01 +02:10.0.0.1(51234):app@shop:[71]:", "shop"},
    {"%t %u@%d [%p] ", "2026-11-24 03:37:01 UTC app@shop [71] ", "shop"},
    {"%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
     "2026-11-24 03:37:01 UTC [71]: [3-1] user=app,db=shop,app=psql,client=::1 ", "shop"},
};

/* The usual prefixes are recognized without --log-line-prefix. */
START_TEST(usual_prefixes)
{
    char path[] = "usual.XXXXXX", text[200];
    struct log_event e;
    close(mkstemp(path));
    snprintf(text, sizeof(text), "%sLOG:  statement: SELECT 1\n", prefixes[_i].line);
    save(path, text, strlen(text));
    for (int told = 0; told < 2; told++) {
        const char *prefix = told ? prefixes[_i].prefix : NULL;
        struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, prefix, LOG_TEXT_BYTES);
        ck_assert_ptr_nonnull(r);
        ck_assert(log_reader_next(r, &e));
        ck_assert_str_eq(e.text, "SELECT 1");
        if (told)
            ck_assert_str_eq(e.database, prefixes[_i].database);
        ck_assert_int_eq(e.time_ns / NS_PER_SEC % 60, 1);
        log_reader_close(r);
    }
    unlink(path);
}
END_TEST

/* Times whose sum would overflow are refused. */
START_TEST(invalid_times_are_refused)
{
    static const char text[] = "2026-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 0\n"
                               "2026-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 1\n"
                               "9999-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 2\n"
                               "1969-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 3\n"
                               "2026-11-24 03:37:02 UTC [7] LOG:  statement: SELECT 4\n";
    struct contents c = read_text(text);
    ck_assert_str_eq(c.text, "SELECT 0|SELECT 4|");
    ck_assert_uint_eq(c.skipped, 2);
    /* Lines without a valid time may be the rest of SELECT 1. */
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
}
END_TEST

/* If the clock was set back during a statement, a slow log has a duration of centuries. */
START_TEST(impossible_durations_are_ignored)
{
    char path[] = "durations.XXXXXX";
    static const char text[] = "# Time: 2026-11-24T03:26:51.123456Z\n"
                               "# User@Host: root[root] @ localhost []  Id:     8\n"
                               "# Query_time: 18446744073709.550781  Lock_time: 0.000001\n"
                               "SET timestamp=1795490811;\nSELECT 1;\n";
    struct log_event e;
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES);
    ck_assert(log_reader_next(r, &e));
    ck_assert_str_eq(e.text, "SELECT 1");
    ck_assert_int_eq(e.duration_ns, -1);
    log_reader_close(r);
    unlink(path);
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
    struct capture capture;
    capture_start(&capture, 0);
    ck_assert_ptr_null(log_reader_open("/dev/null", LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES));
    ck_assert_ptr_null(log_reader_open("no/such/file", LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES));
    char *said = capture_end(&capture);
    ck_assert_str_eq(said, "FATAL: cannot read the log /dev/null: it is not a regular file\n"
                           "FATAL: cannot read the log no/such/file: No such file or directory\n");
    free(said);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log_reader");
    TCase *tcase = tcase_create("log_reader");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, general_log_of_mariadb);
    tcase_add_test(tcase, slow_log_of_mariadb);
    tcase_add_test(tcase, statements_of_postgresql);
    tcase_add_test(tcase, durations_of_postgresql);
    tcase_add_test(tcase, csvlog_of_postgresql);
    tcase_add_test(tcase, logs_of_mysql);
    tcase_add_test(tcase, executed_in_sql);
    tcase_add_test(tcase, prefix_as_configured);
    tcase_add_loop_test(tcase, usual_prefixes, 0, (int)ARRAY_SIZE(prefixes));
    tcase_add_test(tcase, invalid_times_are_refused);
    tcase_add_test(tcase, impossible_durations_are_ignored);
    tcase_add_test(tcase, files_that_cannot_be_read);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
