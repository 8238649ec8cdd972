/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs in the forms that MySQL, MariaDB, Percona Server and TiDB write in different versions and
 * services. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log_contents.h"

#define TIME "# Time: 2026-11-24T03:26:51.123456Z\n"
#define USER "# User@Host: app[app] @ db1 [10.0.0.7]"
#define TOOK "# Query_time: 0.5  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 0\n"
#define SET "SET timestamp=1795490811;\n"
#define RECORD TIME USER "  Id: 7\n" TOOK SET
#define ERROR_LINE "2026-11-24T03:26:52.000000Z 0 [Warning] [MY-010068] [Server] CA certificate\n"
#define HEADING                                                                                    \
    "/rdsdbbin/mysql/bin/mysqld, Version: 5.7.26-log (Source distribution). started with:\n"       \
    "Tcp port: 3306  Unix socket: /tmp/mysql.sock\n"                                               \
    "Time                 Id Command    Argument\n"
#define TIDB(internal, succ)                                                                       \
    "# Time: 2026-11-24T03:26:51.487776265+08:00\n# Txn_start_ts: 410450924122144769\n"            \
    "# User@Host: app[app] @ localhost [127.0.0.1]\n# Conn_ID: 3086\n"                             \
    "# Query_time: 1.5\n# Parse_time: 0.1\n# DB: test\n# Is_internal: " internal "\n"              \
    "# Digest: 50a2e32d\n# Prepared: false\n# Succ: " succ "\n# Plan: tidb_decode_plan('Zg==')\n"  \
    "use test;\n"

static const struct {
    const char *log, *statements, *reasons;
} logs[] = {
    /* Percona Server's and MariaDB's headings. */
    {TIME USER "  Id: 7\n# Schema: shop  Last_errno: 0  Killed: 0\n" TOOK
               "# Bytes_sent: 11  Tmp_tables: 0\n#   InnoDB_trx_id: 9\n" SET "SELECT 1;\n",
     "SELECT 1|", ""},
    {"# Time: 261124  3:26:51\n" USER "\n# Thread_id: 5  Schema: shop\n" TOOK "SELECT 1;\n",
     "SELECT 1|", ""},
    {"# Time: 261124  3:26:51 " USER "\n# Thread_id: 5\n" TOOK "SELECT 1;\n", "SELECT 1|", ""},
    {"# Time: 261124  3:26:51\n" USER "\n# Thread_id: 4  Schema:   QC_hit: No\n" TOOK
     "# Rows_affected: 0  Bytes_sent: 117\n# Stored_routine: shop.p\n#\n# explain: id\n#\n" SET
     "SELECT 1;\n" HEADING,
     "SELECT 1|", ""},
    {TIME USER "  Id: 7\n# Query_time: 0.5  Lock_time: 0.0 Rows_sent: 1 Rows_examined: 0 "
               "Thread_id: 7 Errno: 0 Killed: 0 Bytes_received: 0 Start: 2026-11-24T03:26:51Z\n" SET
               "SELECT 1;\n",
     "SELECT 1|", ""},
    {"# Time: 261124  3:26:51\n# Thread_id: 5  Schema: shop\n" TOOK
     "SELECT 1;\n# Thread_id: 5  Schema: shop\n" TOOK "SELECT 2;\n" TOOK "SELECT 3;\n",
     "SELECT 1|SELECT 2|", "statements without a connection id and a user|"},
    {RECORD "# administrator command: Quit;\n" RECORD "SELECT 1;\n", "SELECT 1|", ""},
    /* SET lines are part of the record. */
    {TIME USER "  Id: 7\n" TOOK "SET insert_id=34,timestamp=1795490811;\nSELECT 1;\n", "SELECT 1|",
     ""},
    {TIME USER
     "  Id: 7\n" TOOK
     "use shop;\nSET last_insert_id=3,insert_id=34,timestamp=1795490811.125;\nSELECT 1;\n",
     "SELECT 1|", ""},
    {TIME USER "  Id: 7\n" TOOK "set timestamp=1795490811.125;\nSELECT 1;\n", "SELECT 1|", ""},
    {RECORD "SET timestamp=1795490812;\n" RECORD "use shop;\n" RECORD "SET timestamp=DEFAULT;\n",
     "SET timestamp=1795490812|use shop|SET timestamp=DEFAULT|", ""},
    /* Lines of other programs between records. */
    {"==> slow.log <==\n" RECORD "SELECT 1;\n\n==> error.log <==\n" ERROR_LINE
     "\n==> slow.log <==\n" RECORD "SELECT 2;\n\n\n" ERROR_LINE,
     "SELECT 1|SELECT 2|", ""},
    {RECORD "DELETE FROM t -- a;\n" ERROR_LINE "WHERE id = 1;\n", "",
     "statements that are followed by lines that may belong to them|"},
    {RECORD "CREATE PROCEDURE p() BEGIN DELETE FROM t;\n" ERROR_LINE "END;\n", "",
     "statements that are followed by lines that may belong to them|"},
    {RECORD "DELETE FROM t\n" ERROR_LINE "WHERE id = 1;\n", "",
     "statements that are followed by lines that may belong to them|"},
    {RECORD "SELECT 1;\nmysqld: ready for connections.\n" RECORD "SELECT 2;\n" RECORD "SELECT 2;\n",
     "SELECT 2|", "statements with lines that look like a record, or without the end of a block|"},
    /* TiDB. */
    {TIDB("false", "true") "SELECT 1\n+ 2;\n" TIDB("true", "true") "SELECT 3;\n", "SELECT 1\n+ 2|",
     "statements that TiDB itself executed|"},
    {TIDB("false", "true") "SELECT ? [arguments: 1];\n" TIDB(
         "false", "true") "\"DELETE FROM t\"(len:5120);\n",
     "", "prepared statements of TiDB, whose text has no parameters|statements that TiDB has cut|"},
    {TIDB("false", "true") "UPDATE t SET a = ?;\n" TIDB(
         "false",
         "true") "delete from t where a in ( ... ) ;\n" TIDB("false",
                                                             "true") "SELECT ‹1›;\n" TIDB("false",
                                                                                          "true") "SELECT '? ... ‹1›';\n",
     "SELECT '? ... ‹1›'|",
     "statements without their values|statements without their values|"
     "statements without their values|"},
    /* Old servers. */
    {HEADING "# Time: 071015 21:43:52\n" USER "\n" TOOK "SELECT 1;\n", "",
     "statements without a connection id|"},
    {USER "\n# Thread_id: 5\n" TOOK "SELECT 1;\n# Time: 071015 21:43:52\n" USER
          "\n# Thread_id: 5\n" TOOK "SELECT 2;\n",
     "SELECT 2|", "statements without a time|"},
    {RECORD "throttle:         59 'index not used' warning(s) suppressed.;\n" RECORD "SELECT 1;\n",
     "SELECT 1|", "notes about statements that the server did not log|"},
    /* A part of the log has CR LF, and a first line is a comment. */
    {"# copied from db1\r\n" TIME USER "  Id: 7\r\n" TOOK "SET timestamp=1795490811;\r\n"
     "SELECT 'a\r\nb';\r\n" RECORD "SELECT 'a\r\nb';\n",
     "SELECT 'a\nb'|SELECT 'a\r\nb'|", ""},
    /* Old general logs have blanks for tabs and the time only when it changes. */
    {"-- from db1\n060314 09:41:14      57 Connect     root@localhost on shop\n"
     "                     57 Query       SELECT a\n                     FROM t\n"
     "                     57 Init DB     stats \n                     57 Quit       \n"
     "                      7 Query       SELECT\t2\n",
     "SELECT a\n                     FROM t|USE `stats`|SELECT\t2|", ""},
    {"060314   09:41:14\t     57 Query       SELECT 1\n"
     "\t\t                 57 Query       SELECT 2\n"
     "               \t     11 Prepare     [1] SELECT ?\n"
     "               \t     11 Execute     [1] SELECT 3\n",
     "SELECT 1|SELECT 2|SELECT 3|", ""},
    {"2026-11-24T03:26:51.123456Z 8 Query SELECT 1\n"
     "Time                 Id Command    Argument\n"
     "2026-11-24T03:26:52.123456Z    8 Init DB    shop\n",
     "SELECT 1|USE `shop`|", ""},
    /* In a log with tabs, blanks do not begin a record. */
    {"060314 09:41:14\t     57 Query\tSELECT 1 AS\n                     57 Quit\n",
     "SELECT 1 AS\n                     57 Quit|", ""},
    {"060314 09:41:14\t     57 Query\tSELECT 1\r\n\t\t     57 Quit\r\n"
     "060314 09:41:15\t     58 Subscribe stream\t\n\t\t     58 Query\tSELECT 2\n",
     "SELECT 1|SELECT 2|", "commands of an unknown kind|"},
    {HEADING "2026-11-24T03:26:51.123456Z\t    8 Query\tSELECT 1\n" HEADING
             "2026-11-24T03:26:52.123456Z\t    8 Query\tSELECT 2\n" ERROR_LINE
             "2026-11-24T03:26:53.123456Z\t    8 Query\tSELECT 3\n" ERROR_LINE "WHERE 1\n",
     "SELECT 1|SELECT 2|", "statements that are followed by lines that may belong to them|"},
    {"2026-11-24T03:26:52.123456Z\t    8 Query\tINSERT INTO t VALUES ('\n" ERROR_LINE "')\n", "",
     "statements that are followed by lines that may belong to them|"},
};

START_TEST(forms_of_logs)
{
    struct contents c = read_text(logs[_i].log);
    ck_assert_str_eq(c.text, logs[_i].statements);
    ck_assert_str_eq(c.reasons, logs[_i].reasons);
    free(c.text);
}
END_TEST

/* Checks that each statement of a changed log is a whole statement of the log. */
static void check_whole(const char *changed, size_t bytes, enum log_format format,
                        const char *statements)
{
    char path[] = "part.XXXXXX", *whole, *save_at = NULL;
    close(mkstemp(path));
    save(path, changed, bytes);
    struct contents c = read_log_as(path, format, LOG_TEXT_BYTES);
    unlink(path);
    ck_assert_int_ge(asprintf(&whole, "|%s", statements), 0);
    for (char *text = strtok_r(c.text, "|", &save_at); text != NULL;
         text = strtok_r(NULL, "|", &save_at)) {
        char *needle;
        ck_assert_int_ge(asprintf(&needle, "|%s|", text), 0);
        ck_assert_msg(strstr(whole, needle) != NULL, "%s in: %s", needle, changed);
        free(needle);
    }
    free(whole);
    free(c.text);
}

/* Wherever a slow log of whole statements is cut off, no part of a statement is returned. */
START_TEST(cut_off_anywhere)
{
    struct contents c = read_text(logs[_i].log);
    const size_t bytes = strlen(logs[_i].log);
    if (c.format == LOG_FORMAT_MYSQL_SLOW && c.left_out == 0)
        for (size_t cut = 0; cut < bytes; cut++)
            check_whole(logs[_i].log, cut, c.format, logs[_i].statements);
    free(c.text);
}
END_TEST

/* Wherever another program writes a line, no part of a statement is returned. */
START_TEST(interrupted_anywhere)
{
    static const char *const lines[] = {ERROR_LINE, "==> error.log <==\n", "\n" ERROR_LINE "\n"};
    const char *log = logs[_i].log;
    struct contents c = read_text(log);
    for (const char *at = log; at != NULL; at = strchr(at, '\n')) {
        at += at != log;
        for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
            char *changed;
            ck_assert_int_ge(asprintf(&changed, "%.*s%s%s", (int)(at - log), log, lines[i], at), 0);
            check_whole(changed, strlen(changed), c.format, logs[_i].statements);
            free(changed);
        }
    }
    free(c.text);
}
END_TEST

#define MOST_EVENTS 8

/* Reads the events of a log. Their texts are not valid any longer. Returns their number. */
static unsigned read_events(const char *text, bool by_user, struct log_event *events)
{
    char path[] = "mysql.XXXXXX";
    unsigned count = 0;
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES);
    ck_assert_ptr_nonnull(r);
    if (by_user)
        log_reader_sessions_by_user(r);
    while (count < MOST_EVENTS && log_reader_next(r, &events[count]))
        count++;
    log_reader_close(r);
    unlink(path);
    return count;
}

/* Records without a connection id: a session for each user and host, if the user wants that. */
START_TEST(sessions_by_user)
{
    static const char log[] =
        "# Time: 071015 21:43:52\n" USER "\n" TOOK "SELECT 1;\n# User@Host: b[b] @ db2 []\n" TOOK
        "SELECT 2;\n" USER "\n" TOOK "SELECT 3;\n" USER "  Id: 9\n" TOOK "SELECT 4;\n";
    struct log_event e[MOST_EVENTS];
    ck_assert_uint_eq(read_events(log, false, e), 4);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(e[i].kind, LOG_EVENT_LEFT_OUT);
    ck_assert_uint_eq(e[1].line, 5);
    ck_assert_uint_eq(read_events(log, true, e), 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(e[i].kind, LOG_EVENT_STATEMENT);
    ck_assert_uint_ne(e[0].session, e[1].session);
    ck_assert_uint_eq(e[0].session, e[2].session);
    ck_assert_uint_eq(e[3].session, 9);
    ck_assert_int_eq(e[2].time_ns, e[0].time_ns);
}
END_TEST

/* Logs of Percona Server, MySQL and TiDB have the errors of statements. */
START_TEST(errors_in_slow_logs)
{
    static const char log[] = TIME USER
        "  Id: 7\n# Schema: shop  Last_errno: 1146  Killed: 0\n" TOOK SET "SELECT 1;\n" TIME USER
        "  Id: 7\n# Query_time: 0.5  Lock_time: 0.0 Thread_id: 7 Errno: 1062 Killed: 0\n" SET
        "SELECT 2;\n" TIDB("false", "false") "SELECT 3;\n" RECORD "SELECT 4;\n";
    struct log_event e[MOST_EVENTS];
    ck_assert_uint_eq(read_events(log, false, e), 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(e[i].failed, i < 3);
    ck_assert_str_eq(e[0].database, "shop");
    ck_assert_uint_eq(e[2].session, 3086);
    ck_assert_str_eq(e[2].database, "test");
    ck_assert_int_eq(e[2].duration_ns, 1500000000);
    ck_assert_uint_eq(e[0].one_in, 0);
}
END_TEST

/* Each record has its own limit; a record without one is no sample. Huge limits are cut, and signs
 * are no part of a number. */
START_TEST(rate_limits_are_noted)
{
#define LIMITED(N) "# Log_slow_rate_type: query  Log_slow_rate_limit: " N "\n" SET "SELECT 1;\n"
    static const char log[] = TIME USER
        "  Id: 7\n" TOOK LIMITED("10") USER "  Id: 7\n" TOOK LIMITED("3") USER "  Id: 7\n" TOOK SET
        "SELECT 3;\n" USER "  Id: 7\n" TOOK LIMITED("99999999999999999999999") USER
        "  Id: 7\n" TOOK LIMITED("-1");
    struct log_event e[MOST_EVENTS];
    static const unsigned limits[] = {10, 3, 0, UINT32_MAX, 0};
    ck_assert_uint_eq(read_events(log, false, e), 5);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(e[i].one_in, limits[i]);
}
END_TEST

/* Old servers write "# Time:" by the local clock, SET timestamp in UTC, and some records have only
 * one of them. The times of the records are 0, 0, 1, 1, 3 and 3 s after the first one. */
START_TEST(two_clocks)
{
#define THREAD USER "\n# Thread_id: 5\n" TOOK
    static const char *const firsts[] = {"SELECT 1;\n", "SET timestamp=1208014827;\nSELECT 1;\n"};
    static const int64_t seconds[] = {0, 0, 1, 1, 3, 3};
    struct log_event e[MOST_EVENTS];
    char *log;
    ck_assert_int_ge(asprintf(&log,
                              "# Time: 080412 10:40:27\n" THREAD "%s" THREAD
                              "SET timestamp=1208014827;\nSELECT 2;\n" THREAD
                              "SET timestamp=1208014828;\nSELECT 3;\n" THREAD
                              "SELECT 4;\n# Time: 080412 10:40:30\n" THREAD "SELECT 5;\n" THREAD
                              "SET timestamp=1208014830;\nSELECT 6;\n",
                              firsts[_i]),
                     0);
    ck_assert_uint_eq(read_events(log, false, e), 6);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_int_eq((e[i].time_ns - e[0].time_ns) / NS_PER_SEC, seconds[i]);
    free(log);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mysql_logs");
    TCase *tcase = tcase_create("mysql_logs");
    tcase_add_loop_test(tcase, forms_of_logs, 0, (int)ARRAY_SIZE(logs));
    tcase_add_loop_test(tcase, cut_off_anywhere, 0, (int)ARRAY_SIZE(logs));
    tcase_add_loop_test(tcase, interrupted_anywhere, 0, (int)ARRAY_SIZE(logs));
    tcase_add_test(tcase, sessions_by_user);
    tcase_add_test(tcase, errors_in_slow_logs);
    tcase_add_test(tcase, rate_limits_are_noted);
    tcase_add_loop_test(tcase, two_clocks, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
