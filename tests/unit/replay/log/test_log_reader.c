/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs that servers made (logs/, shortened), and what becomes of them when they are cut, split and
 * mixed. */
#include "replay/log/log_reader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../capture.h"
#include "../../suite.h"
#include "replay/log/log_source.h"

/* What is read of a log: its statements, one behind the other. */
struct contents {
    unsigned statements, durations, failures, ends, starts, left_out;
    uint64_t malformed;
    enum log_format format;
    char *text;
    size_t bytes;
};

static void take(struct contents *c, const struct log_event *e)
{
    c->statements += e->kind == LOG_EVENT_STATEMENT;
    c->durations += e->kind == LOG_EVENT_DURATION;
    c->failures += e->kind == LOG_EVENT_FAILURE;
    c->ends += e->kind == LOG_EVENT_END;
    c->starts += e->kind == LOG_EVENT_START;
    c->left_out += e->kind == LOG_EVENT_LEFT_OUT;
    if (e->kind != LOG_EVENT_STATEMENT)
        return;
    ck_assert_uint_eq(e->length, strlen(e->text));
    c->text = xrealloc(c->text, c->bytes + e->length + 2);
    memcpy(c->text + c->bytes, e->text, e->length);
    c->bytes += e->length;
    c->text[c->bytes++] = '|';
    c->text[c->bytes] = '\0';
}

static struct contents read_log(const char *files)
{
    struct contents c = {.text = xstrdup("")};
    struct log_reader *r = log_reader_open(files, LOG_FORMAT_UNKNOWN, NULL);
    struct log_event event;
    uint64_t first;
    const char *file;
    ck_assert_ptr_nonnull(r);
    while (log_reader_next(r, &event))
        take(&c, &event);
    c.malformed = log_reader_malformed(r, &first, &file);
    c.format = log_reader_format(r);
    log_reader_close(r);
    return c;
}

static char *sample(const char *name)
{
    char *path;
    const char *tests = getenv("TESTS_DIR");
    checked_alloc(asprintf(&path, "%s/unit/replay/logs/%s", tests != NULL ? tests : "tests", name) <
                          0
                      ? NULL
                      : path);
    return path;
}

static struct contents read_sample(const char *name)
{
    char *path = sample(name);
    struct contents c = read_log(path);
    free(path);
    return c;
}

START_TEST(general_log_of_mariadb)
{
    struct contents c = read_sample("mariadb-general.txt");
    ck_assert_int_eq(c.format, LOG_FORMAT_MYSQL_GENERAL);
    ck_assert_uint_eq(c.statements, 20);
    ck_assert_uint_eq(c.malformed, 0);
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
    ck_assert_uint_eq(c.malformed, 1);
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
    ck_assert_uint_eq(c.malformed, 0);
    ck_assert_ptr_nonnull(strstr(c.text, "|select 'multi\nline', 'q''s', E'\\\\n\"'|"));
    free(c.text);
}
END_TEST

static const char *const samples[] = {
    "mariadb-general.txt",       "mariadb-slow.txt",
    "postgresql-statements.txt", "postgresql-statements-durations.txt",
    "postgresql-durations.txt",  "postgresql.csv"};

static char *load(const char *name, size_t *bytes)
{
    char *path = sample(name);
    FILE *file = checked_alloc(fopen(path, "r"));
    char *text = xcalloc(1, 1 << 20);
    *bytes = fread(text, 1, 1 << 20, file);
    fclose(file);
    free(path);
    return text;
}

static void save(const char *path, const char *text, size_t bytes)
{
    FILE *file = checked_alloc(fopen(path, "w"));
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

/* How many bytes both begin with. */
static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n])
        n++;
    return n;
}

/* Cut off anywhere: what was whole is read as before, but for what the cut is in. */
START_TEST(truncated)
{
    char path[] = "truncated.XXXXXX";
    size_t bytes;
    char *text = load(samples[_i], &bytes);
    struct contents whole = read_sample(samples[_i]);
    close(mkstemp(path));
    for (size_t cut = bytes / 2; cut < bytes; cut += 7) {
        save(path, text, cut);
        struct contents c = read_log(path);
        ck_assert_uint_le(c.statements, whole.statements);
        const char *last = c.statements > 1 ? memrchr(c.text, '|', c.bytes - 1) : NULL;
        if (last != NULL)
            ck_assert_uint_ge(common(c.text, whole.text), (size_t)(last - c.text));
        free(c.text);
    }
    unlink(path);
    free(whole.text);
    free(text);
}
END_TEST

/* Rotated in the middle of anything: both files together are the log. */
START_TEST(rotated)
{
    char first[] = "rotated.XXXXXX", second[] = "rotated.XXXXXX", both[64];
    size_t bytes;
    char *text = load(samples[_i], &bytes);
    struct contents whole = read_sample(samples[_i]);
    close(mkstemp(first));
    close(mkstemp(second));
    snprintf(both, sizeof(both), "%s,%s", first, second);
    for (const char *at = strchr(text, '\n'); at != NULL && at[1] != '\0';
         at = strchr(at + 1, '\n')) {
        const size_t cut = (size_t)(at + 1 - text);
        save(first, text, cut);
        save(second, at + 1, bytes - cut);
        struct log_reader *r = log_reader_open(both, whole.format, NULL);
        struct contents c = {.text = xstrdup("")};
        struct log_event event;
        while (log_reader_next(r, &event))
            take(&c, &event);
        log_reader_close(r);
        ck_assert_str_eq(c.text, whole.text);
        free(c.text);
    }
    unlink(first);
    unlink(second);
    free(whole.text);
    free(text);
}
END_TEST

/* What stands before the first record of a file that begins in the middle of one is skipped. */
START_TEST(begins_in_the_middle)
{
    char path[] = "middle.XXXXXX";
    static const char text[] = "  c CHAR(120)\n) ENGINE = x\n\t\t     7 Query\tSELECT 0\n"
                               "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Quit\t\n";
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct contents c = read_log(path);
    ck_assert_str_eq(c.text, "SELECT 1|");
    ck_assert_uint_eq(c.malformed, 3);
    ck_assert_uint_eq(c.ends, 1);
    free(c.text);
    unlink(path);
}
END_TEST

/* Half a statement may be another one: what the last line's end is missing of is not known. */
START_TEST(cut_off_within_a_line)
{
    static const char *const head[] = {
        "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE FROM t",
        "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE\nFROM t",
        "2026-11-24 03:37:02.123 UTC [7] LOG:  statement: SELECT 1\n"
        "2026-11-24 03:37:02.124 UTC [7] LOG:  statement: DELETE FROM t",
        "2026-11-24 03:37:02.123 UTC [7] LOG:  statement: SELECT 1\n"
        "2026-11-24 03:37:02.124 UTC [7] LOG:  statement: DELETE\n\tFROM t"};
    char path[] = "cut.XXXXXX", *text;
    close(mkstemp(path));
    for (int ends = 0; ends < 2; ends++) {
        ck_assert_int_ge(asprintf(&text, "%s%s", head[_i], ends ? "\n" : ""), 0);
        save(path, text, strlen(text));
        struct contents c = read_log(path);
        ck_assert_uint_eq(c.statements, ends ? 2 : 1);
        ck_assert_uint_eq(c.left_out, ends ? 0 : 1);
        ck_assert_int_eq(strstr(c.text, "DELETE") != NULL, ends);
        free(c.text);
        free(text);
    }
    unlink(path);
}
END_TEST

/* Where the log's own lines end in "\n" alone, a return is one that the statement has. */
START_TEST(returns_of_statements)
{
    static const char text[] = "\r\n261124  3:37:02\t     7 Query\tSELECT 'a\r\nb'\r\n";
    char path[] = "returns.XXXXXX";
    close(mkstemp(path));
    save(path, text + _i, strlen(text) - (size_t)_i);
    struct contents c = read_log(path);
    ck_assert_str_eq(c.text, _i == 0 ? "SELECT 'a\nb'|" : "SELECT 'a\r\nb'\r|");
    free(c.text);
    unlink(path);
}
END_TEST

/* MySQL's own form: times of ISO 8601 with microseconds, and the session behind "Id:". */
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
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL);
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

/* A statement that is prepared and executed in SQL stands there twice: as text, and as what it did.
 */
START_TEST(executed_in_sql)
{
    char path[] = "executed.XXXXXX";
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
    close(mkstemp(path));
    save(path, general, strlen(general));
    struct contents c = read_log(path);
    ck_assert_str_eq(
        c.text,
        "PREPARE s FROM 'INSERT INTO t VALUES (?)'|INSERT INTO t VALUES (1)|SELECT execute|");
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
    save(path, slow, strlen(slow));
    c = read_log(path);
    ck_assert_str_eq(c.text, "INSERT INTO t VALUES (7)|");
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
    unlink(path);
}
END_TEST

/* Of whatever the server was told to write before each message. */
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
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, "<%n app=%a,db=%d %c %l> ");
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

/* A prefix as servers and services have it, and what it makes of a line. */
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

/* Found without being told, too. */
START_TEST(usual_prefixes)
{
    char path[] = "usual.XXXXXX", text[200];
    struct log_event e;
    close(mkstemp(path));
    snprintf(text, sizeof(text), "%sLOG:  statement: SELECT 1\n", prefixes[_i].line);
    save(path, text, strlen(text));
    for (int told = 0; told < 2; told++) {
        struct log_reader *r =
            log_reader_open(path, LOG_FORMAT_UNKNOWN, told ? prefixes[_i].prefix : NULL);
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

/* Times of which two would have no sum. */
START_TEST(times_that_are_none)
{
    char path[] = "times.XXXXXX";
    static const char text[] = "2026-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 1\n"
                               "9999-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 2\n"
                               "1969-11-24 03:37:01 UTC [7] LOG:  statement: SELECT 3\n"
                               "2026-11-24 03:37:02 UTC [7] LOG:  statement: SELECT 4\n";
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct contents c = read_log(path);
    ck_assert_str_eq(c.text, "SELECT 1|SELECT 4|");
    ck_assert_uint_eq(c.malformed, 2);
    free(c.text);
    unlink(path);
}
END_TEST

/* A slow log has a duration of centuries where a clock was set back meanwhile. */
START_TEST(durations_that_are_none)
{
    char path[] = "durations.XXXXXX";
    static const char text[] = "# Time: 2026-11-24T03:26:51.123456Z\n"
                               "# User@Host: root[root] @ localhost []  Id:     8\n"
                               "# Query_time: 18446744073709.550781  Lock_time: 0.000001\n"
                               "SET timestamp=1795490811;\nSELECT 1;\n";
    struct log_event e;
    close(mkstemp(path));
    save(path, text, strlen(text));
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL);
    ck_assert(log_reader_next(r, &e));
    ck_assert_str_eq(e.text, "SELECT 1");
    ck_assert_int_eq(e.duration_ns, -1);
    log_reader_close(r);
    unlink(path);
}
END_TEST

/* A line without end is not kept whole, and no statement. */
START_TEST(lines_without_end)
{
    static const char begin[] =
        "2026-11-24 03:37:01.000 UTC,\"a\",\"b\",7,\"\",7.1,1,\"\",,3/0,0,LOG,00000,\"statement: "
        "SELECT '";
    static const char next[] =
        "2026-11-24 03:37:02.000 UTC,\"a\",\"b\",7,\"\",7.1,1,\"\",,3/0,0,LOG,00000,\"statement: "
        "SELECT 2\""
        ",,,,,,,,,\"\"\n";
    char path[] = "endless.XXXXXX", block[65536];
    close(mkstemp(path));
    save(path, begin, strlen(begin));
    FILE *file = checked_alloc(fopen(path, "a"));
    memset(block, 'x', sizeof(block));
    for (size_t bytes = 0; bytes < LOG_LINE_BYTES + 1; bytes += sizeof(block))
        ck_assert_uint_eq(fwrite(block, 1, sizeof(block), file), sizeof(block));
    fprintf(file, "'\",,,,,,,,,\"\"\n%s", next);
    fclose(file);
    struct contents c = read_log(path);
    unlink(path);
    ck_assert_str_eq(c.text, "SELECT 2|");
    ck_assert_uint_eq(c.malformed, 1);
    free(c.text);
}
END_TEST

START_TEST(no_log)
{
    struct capture capture;
    capture_start(&capture, 0);
    ck_assert_ptr_null(log_reader_open("/dev/null", LOG_FORMAT_UNKNOWN, NULL));
    ck_assert_ptr_null(log_reader_open("no/such/file", LOG_FORMAT_UNKNOWN, NULL));
    char *said = capture_end(&capture);
    ck_assert_str_eq(said, "FATAL: cannot read the log /dev/null: it is no file\n"
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
    tcase_add_loop_test(tcase, truncated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_loop_test(tcase, rotated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_test(tcase, begins_in_the_middle);
    tcase_add_loop_test(tcase, returns_of_statements, 0, 2);
    tcase_add_loop_test(tcase, cut_off_within_a_line, 0, 4);
    tcase_add_test(tcase, logs_of_mysql);
    tcase_add_test(tcase, executed_in_sql);
    tcase_add_test(tcase, prefix_as_configured);
    tcase_add_loop_test(tcase, usual_prefixes, 0, (int)ARRAY_SIZE(prefixes));
    tcase_add_test(tcase, times_that_are_none);
    tcase_add_test(tcase, durations_that_are_none);
    tcase_add_test(tcase, lines_without_end);
    tcase_add_test(tcase, no_log);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
