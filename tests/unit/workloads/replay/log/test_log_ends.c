/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests logs that are cut off, split or mixed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "log_contents.h"
#include "workloads/replay/log/log_source.h"

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

/* Length of the common beginning of two texts. */
static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n])
        n++;
    return n;
}

/* The log is cut off at each byte. Statements before the cut are read as from the whole log; the
 * statement that contains the cut is left out. */
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

/* Checks that each text, all of which end with '|', is also one of `others`, in the same order. */
static void check_among(const char *texts, const char *others)
{
    for (const char *end; *texts != '\0'; texts = end + 1) {
        end = strchr(texts, '|');
        const size_t bytes = (size_t)(end + 1 - texts);
        while (strncmp(others, texts, bytes) != 0) {
            others = strchr(others, '|');
            ck_assert_msg(others != NULL, "%s", texts);
            others++;
        }
        others += bytes;
    }
}

/* The log is split into two files after each line. Both files together give the same as the whole
 * log, except the statement within which the log was split: the second file may as well begin with
 * the rest of another statement. */
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
        struct contents c = read_log_as(both, whole.format, LOG_TEXT_BYTES);
        ck_assert_uint_ge(c.statements + 1, whole.statements);
        check_among(c.text, whole.text);
        free(c.text);
    }
    unlink(first);
    unlink(second);
    free(whole.text);
    free(text);
}
END_TEST

/* Lines before the first record are skipped, because the file may begin in the middle of a
 * record. */
START_TEST(begins_in_the_middle)
{
    static const char text[] = "  c CHAR(120)\n) ENGINE = x\n\t\t     7 Query\tSELECT 0\n"
                               "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Quit\t\n";
    struct contents c = read_text(text);
    ck_assert_str_eq(c.text, "SELECT 1|");
    ck_assert_uint_eq(c.skipped, 3);
    ck_assert_uint_eq(c.ends, 1);
    free(c.text);
}
END_TEST

/* If the lines of the log end in "\n" alone, a "\r" before it belongs to the statement. */
START_TEST(carriage_returns_in_statements)
{
    static const char text[] = "\r\n261124  3:37:02\t     7 Query\tSELECT 'a\r\nb'\r\n";
    struct contents c = read_text(text + _i);
    ck_assert_str_eq(c.text, _i == 0 ? "SELECT 'a\nb'|" : "SELECT 'a\r\nb'|");
    free(c.text);
}
END_TEST

/* After a line without a line end, the rest of the statement is unknown. Half a statement may do
 * something else than the whole. */
START_TEST(cut_off_within_a_line)
{
    static const char *const head[] = {
        "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE FROM t",
        "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Query\tDELETE\nFROM t",
        "2026-11-24 03:37:02.123 UTC [7] LOG:  statement: SELECT 1\n"
        "2026-11-24 03:37:02.124 UTC [7] LOG:  statement: DELETE FROM t",
        "2026-11-24 03:37:02.123 UTC [7] LOG:  statement: SELECT 1\n"
        "2026-11-24 03:37:02.124 UTC [7] LOG:  statement: DELETE\n\tFROM t"};
    char *text;
    for (int ends = 0; ends < 2; ends++) {
        ck_assert_int_ge(asprintf(&text, "%s%s", head[_i], ends ? "\n" : ""), 0);
        struct contents c = read_text(text);
        ck_assert_uint_eq(c.statements, ends ? 2 : 1);
        ck_assert_uint_eq(c.left_out, ends ? 0 : 1);
        ck_assert_int_eq(strstr(c.text, "DELETE") != NULL, ends);
        free(c.text);
        free(text);
    }
}
END_TEST

/* A line without an end is not stored completely, and its statement is left out. */
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
    ck_assert_uint_eq(c.left_out, 1);
    ck_assert_uint_eq(c.skipped, 0);
    free(c.text);
}
END_TEST

#define GENERAL "261124  3:37:01\t     7 "
#define SLOW                                                                                       \
    "# Time: 2026-11-24T03:26:51.123456Z\n# User@Host: root[root] @ localhost []  Id:     8\n"     \
    "# Query_time: 0.1  Lock_time: 0.0\nSET timestamp=1795490811;\n"
#define STDERR "2026-11-24 03:37:01.001 UTC [7] "
#define CSV "2026-11-24 03:37:01.000 UTC,\"a\",\"b\",7,\"\",7.1,1,\"\",,3/0,0,"
#define CSV_END ",,,\"x\",\"client backend\",,0\n"
#define CSV_STATEMENT(text) CSV "LOG,00000,\"statement: " text "\",,,,,," CSV_END
#define VALUE_OF_50 "'01234567890123456789012345678901234567890123456789'"

static const struct {
    const char *select; /* a statement, SELECT 1 */
    /* Parts of a statement that becomes too long if blanks are inserted between them. */
    const char *begin, *end;
} too_long[] = {
    {GENERAL "Query\tSELECT 1\n", GENERAL "Query\tDELETE FROM t", "WHERE id = 1\n"},
    {GENERAL "Query\tSELECT 1\n", GENERAL "Execute\tDELETE FROM t\n", "\nWHERE id = 1\n"},
    {GENERAL "Query\tSELECT 1\n", GENERAL "Query\tDELETE FROM t\n", "WHERE id = 1\n"},
    {GENERAL "Query\tSELECT 1\n", GENERAL "Init DB\ts", "\n"},
    {SLOW "SELECT 1;\n", SLOW "DELETE FROM t", "WHERE id = 1;\n"},
    {SLOW "SELECT 1;\n", SLOW "DELETE FROM t;\n", "\nWHERE id = 1;\n"},
    {SLOW "SELECT 1;\n", SLOW "DELETE FROM t /*;", "*/ WHERE id = 1;\n"},
    {STDERR "LOG:  statement: SELECT 1\n", STDERR "LOG:  statement: DELETE FROM t",
     "WHERE id = 1\n"},
    {STDERR "LOG:  statement: SELECT 1\n", STDERR "LOG:  statement: DELETE FROM t\n\t",
     "\n\tWHERE id = 1\n"},
    {STDERR "LOG:  statement: SELECT 1\n",
     STDERR "LOG:  duration: 1.5 ms  execute <unnamed>: DELETE FROM t",
     "WHERE id = $1\n" STDERR "DETAIL:  parameters: $1 = '1'\n"},
    {STDERR "LOG:  statement: SELECT 1\n",
     STDERR "LOG:  execute a: DELETE FROM t WHERE id=$1\n" STDERR
            "DETAIL:  parameters: $1 = '1', $2 = '",
     "'\n"},
    {STDERR "LOG:  statement: SELECT 1\n", STDERR "ERROR:  x\n" STDERR "STATEMENT:  DELETE FROM t",
     "WHERE id = 1\n"},
    {STDERR "LOG:  statement: SELECT 1\n",
     STDERR "ERROR:  x\n" STDERR "STATEMENT:  DELETE FROM t\n\t", "WHERE id = 1\n"},
    {CSV_STATEMENT("SELECT 1"), CSV "LOG,00000,\"statement: DELETE FROM t",
     "WHERE id = 1\",,,,,," CSV_END},
    {CSV_STATEMENT("SELECT 1"), CSV "LOG,00000,\"statement: DELETE FROM t\n",
     "\nWHERE id = 1\",,,,,," CSV_END},
    {CSV_STATEMENT("SELECT 1"),
     CSV "LOG,00000,\"execute a: DELETE FROM t WHERE id = $1\",\"parameters: $1 = '1', $2 = '",
     "'\",,,,," CSV_END},
    {CSV_STATEMENT("SELECT 1"), CSV "ERROR,00000,\"x\",,,,,,\"DELETE FROM t",
     "WHERE id = 1\"" CSV_END},
};

static void check_left_out(const char *log, size_t bytes, size_t most_bytes, const char *statements)
{
    struct contents c = read_bytes(log, bytes, most_bytes);
    ck_assert_str_eq(c.text, statements);
    ck_assert_uint_eq(c.left_out, 1);
    ck_assert_uint_eq(c.failures, 0);
    ck_assert_uint_eq(c.skipped, 0);
    free(c.text);
}

/* A statement that is too long is left out and counted, in the middle of a log and at its end.
 * The beginning of each of these statements would change more rows than the whole. */
START_TEST(longer_than_allowed)
{
    const char *select = too_long[_i].select;
    char *log;
    for (int further = 0; further < 2; further++) {
        ck_assert_int_ge(asprintf(&log, "%s%s%300s%s%s", select, too_long[_i].begin, "",
                                  too_long[_i].end, further ? select : ""),
                         0);
        check_left_out(log, strlen(log), 250, further ? "SELECT 1|SELECT 1|" : "SELECT 1|");
        free(log);
    }
}
END_TEST

/* No line is too long, but the statement is. */
START_TEST(longer_in_many_lines)
{
#define LINE(start) start "/*                                                        */\n"
#define LINES(start) LINE(start) LINE(start) LINE(start) LINE(start) LINE(start)
    static const char *const logs[] = {
        GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t\n" LINES("") "WHERE id = 1\n",
        SLOW "SELECT 1;\n" SLOW "DELETE FROM t\n" LINES("") "WHERE id = 1;\n",
        STDERR "LOG:  statement: SELECT 1\n" STDERR
               "LOG:  statement: DELETE FROM t\n" LINES("\t") "\tWHERE id = 1\n",
        STDERR "LOG:  statement: SELECT 1\n" STDERR "ERROR:  x\n" STDERR
               "STATEMENT:  DELETE FROM t\n" LINES("\t") "\tWHERE id = 1\n",
        CSV_STATEMENT("SELECT 1") CSV
        "LOG,00000,\"statement: DELETE FROM t\n" LINES("") "WHERE id = 1\",,,,,," CSV_END};
    check_left_out(logs[_i], strlen(logs[_i]), 250, "SELECT 1|");
    struct contents c = read_text(logs[_i]);
    ck_assert_uint_eq(c.statements + c.failures, 2);
    free(c.text);
}
END_TEST

/* Neither the statement nor its parameter is too long, but both together are. */
START_TEST(longer_with_parameters)
{
    static const char log[] =
        STDERR "LOG:  statement: SELECT 1\n" STDERR
               "LOG:  execute a: DELETE FROM t WHERE $1 IN ($1, $1, $1, $1) AND id = 1\n" STDERR
               "DETAIL:  parameters: $1 = " VALUE_OF_50 "\n";
    check_left_out(log, strlen(log), 250, "SELECT 1|");
    struct contents c = read_text(log);
    ck_assert_uint_eq(c.statements, 2);
    free(c.text);
}
END_TEST

/* Returns the texts that would be sent to a server, with a '|' before and after each. */
static char *sendable(const char *path, enum log_format format, size_t most_bytes)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct log_reader *r = log_reader_open(path, format, NULL, most_bytes);
    struct log_event e;
    fputc('|', out);
    while (log_reader_next(r, &e))
        if (e.kind == LOG_EVENT_STATEMENT || (e.kind == LOG_EVENT_FAILURE && e.text != NULL))
            fprintf(out, "%s|", e.text);
    log_reader_close(r);
    fclose(out);
    return text;
}

/* Every text that is read with a limit is a whole text of the log, whatever the limit is. */
START_TEST(any_limit)
{
    char *path = sample(samples[_i]);
    struct contents c = read_log(path);
    const enum log_format format = c.format;
    char *whole = sendable(path, format, LOG_TEXT_BYTES);
    size_t longest = 0;
    for (size_t most_bytes = 1; most_bytes < 700; most_bytes += 3) {
        char *some = sendable(path, format, most_bytes), *at = whole;
        longest = max_i64(longest, strlen(some));
        for (char *text = some + 1, *end; *text != '\0'; text = end + 1) {
            end = strchr(text, '|');
            ck_assert_ptr_nonnull(end);
            char *needle = xstrdup(text - 1);
            needle[end + 1 - (text - 1)] = '\0';
            at = strstr(at, needle);
            ck_assert_msg(at != NULL, "a limit of %zu bytes: %s", most_bytes, needle);
            at += strlen(needle) - 1;
            free(needle);
        }
        free(some);
    }
    ck_assert_uint_eq(longest, strlen(whole));
    free(c.text);
    free(whole);
    free(path);
}
END_TEST

/* A compressed log was cut off. Its readable part ends between two lines of a statement. */
START_TEST(unreadable_after_a_line)
{
    static const char begin[] = "SELECT 1\n", end[] = "WHERE id = 1\n";
    static const char *const head[] = {GENERAL "Query\t", STDERR "LOG:  statement: "};
    static const char *const more[] = {"", "\t"};
    char path[] = "cut.XXXXXX";
    close(mkstemp(path));
    gzFile file = gzopen(path, "w");
    gzprintf(file, "%s%s%sDELETE FROM t\n", head[_i], begin, head[_i]);
    gzflush(file, Z_FULL_FLUSH);
    const off_t whole = gzoffset(file);
    gzprintf(file, "%s%s", more[_i], end);
    gzclose(file);
    struct contents c = read_log(path);
    ck_assert_uint_eq(c.statements, 2);
    free(c.text);
    ck_assert_int_eq(truncate(path, whole), 0);
    c = read_log(path);
    ck_assert_str_eq(c.text, "SELECT 1|");
    ck_assert_uint_eq(c.left_out, 1);
    free(c.text);
    unlink(path);
}
END_TEST

/* Logs whose last statement may be the beginning of a longer one, or is whole. */
static const struct {
    const char *log;
    unsigned statements, left_out, skipped;
} ends[] = {
    /* Cut off after a semicolon in a comment or a literal. */
    {SLOW "DELETE FROM t -- all;\n", 0, 1, 0},
    {SLOW "DELETE FROM t # all;\n", 0, 1, 0},
    {SLOW "DELETE FROM t /* all;\n", 0, 1, 0},
    {SLOW "DELETE FROM t WHERE c = 'x;\n", 0, 1, 0},
    {SLOW "DELETE FROM t -- all;\n" SLOW "SELECT ';';\n" SLOW "SELECT 1;\n", 1, 1, 1},
    /* A comment of the statement looks like the next record, or like the start of a server. */
    {SLOW "DELETE FROM t -- one;\n# Time: of it\nWHERE id = 1;\n" SLOW "SELECT 1;\n", 1, 1, 0},
    {GENERAL "Query\tDELETE FROM t\n-- mysqld, Version: 8. started with:\nWHERE id = 1\n" GENERAL
             "Query\tSELECT 1\n",
     1, 1, 1},
    {SLOW "DELETE FROM t /* ; */;\n", 1, 0, 0},
    /* Lines within a literal, a comment or a block look like a record, also with all of its lines.
     */
    {SLOW "INSERT INTO t VALUES ('a\n" SLOW "DROP TABLE t;\n# Time: x\nb');\n" SLOW "SELECT 1;\n",
     1, 1, 1},
    {SLOW "INSERT INTO t VALUES ('a\n" SLOW "DROP TABLE t;\n" SLOW "DROP TABLE t;\nb');\n" SLOW
          "SELECT 1;\n",
     1, 1, 2},
    {SLOW "CREATE PROCEDURE p() BEGIN DELETE FROM t;\n# Time: note\nDELETE FROM u; END;\n" SLOW
          "SELECT 1;\n",
     1, 1, 0},
    {SLOW "CREATE PROCEDURE p() BEGIN IF 1 THEN DELETE FROM t; END IF;\n" SLOW
          "DROP TABLE t; END;\n" SLOW "SELECT 1;\n",
     1, 1, 1},
    {SLOW "EXPLAIN\n" SLOW "DROP TABLE t;\n" SLOW "SELECT 1;\n", 1, 1, 1},
    {SLOW "EXPLAIN -- ;\n" SLOW "DROP TABLE t;\n" SLOW "SELECT 1;\n", 1, 1, 1},
    {SLOW "CREATE PROCEDURE p() BEGIN CASE 1 WHEN 1 THEN DELETE FROM t; END CASE; END;\n" SLOW
          "SELECT 1;\n",
     2, 0, 0},
    {SLOW "CREATE PROCEDURE p() l: LOOP IF 1 THEN LEAVE l; END IF; END LOOP l;\n" SLOW
          "SELECT 1;\n",
     2, 0, 0},
    {GENERAL "Query\tUPDATE t SET a = 'x\n" GENERAL "Query\tDROP TABLE t\n' WHERE id = 1\n" GENERAL
             "Query\tSELECT 1\n",
     1, 2, 0},
    {GENERAL "Query\tUPDATE t SET a = 'x\n261124  3:37:01\t     8 Query\tDROP TABLE t\n" GENERAL
             "Query\tSELECT 1\n",
     1, 2, 0},
    /* A line of a literal looks like the heading of another record. */
    {GENERAL "Query\tINSERT INTO t VALUES ('a\n" GENERAL "Query\tSELECT 1\n", 0, 2, 0},
    {GENERAL "Query\tSELECT \"a\n" GENERAL "Query\tSELECT 1\n", 0, 2, 0},
    {GENERAL "Query\tSELECT `a\n" GENERAL "Query\tSELECT 1\n", 0, 2, 0},
    {GENERAL "Query\tDELETE FROM t /* a\n" GENERAL "Query\tSELECT 1\n", 0, 2, 0},
    {GENERAL "Query\tSELECT 'a'\n" GENERAL "Query\tSELECT 'it''s', \"\\\"\" -- '\n" GENERAL
             "Query\tSELECT 'b' # '\n" GENERAL "Query\tSELECT `c`\n" GENERAL
             "Query\tSELECT 1 /* d */\n",
     5, 0, 0},
    /* Cut off between the two quotes that are written for one. */
    {CSV "ERROR,00000,\"x\",,,,,,\"DELETE FROM \"", 0, 1, 0},
    {CSV "ERROR,00000,\"x\",,,,,,\"DELETE FROM t\"", 0, 1, 0},
    {CSV_STATEMENT("DELETE FROM t"), 1, 0, 0},
    /* The name of a prepared statement may have a colon. */
    {STDERR "LOG:  execute x: DELETE FROM t: SELECT 5\n" STDERR "LOG:  statement: SELECT 1\n", 1, 1,
     0},
    {STDERR "LOG:  execute x: -- name: A :one\n\tSELECT 'a: b'::text\n" STDERR
            "LOG:  execute <unnamed>: SELECT 1\n",
     2, 0, 0},
    {STDERR "LOG:  execute a b: SELECT 'c: d'\n" STDERR "LOG:  execute a b: SELECT 1\n", 1, 1, 0},
    /* A CSV around the lines doubles quotes. */
    {"1704103201000,\"" STDERR "LOG:  statement: SELECT \"\"a\"\"\"\n1704103202000,\"" STDERR
     "LOG:  statement: SELECT 1\"\n",
     0, 2, 0},
    /* Lines of a statement whose tabs were removed. */
    {STDERR "LOG:  statement: DELETE FROM t\nWHERE id = 1\n" STDERR "LOG:  statement: SELECT 1\n",
     1, 1, 1},
    {STDERR "ERROR:  x\n" STDERR "STATEMENT:  DELETE FROM t\nWHERE id = 1\n", 0, 1, 1},
};

START_TEST(ends_of_statements)
{
    struct contents c = read_text(ends[_i].log);
    ck_assert_uint_eq(c.statements, ends[_i].statements);
    ck_assert_uint_eq(c.failures, 0);
    ck_assert_uint_eq(c.left_out, ends[_i].left_out);
    ck_assert_uint_eq(c.skipped, ends[_i].skipped);
    free(c.text);
}
END_TEST

/* The first file of a list was cut off after a line of its last statement, which may go on, or the
 * second one begins with the rest of another statement. */
START_TEST(files_of_a_list)
{
#define CSV_REST " WHERE id = 2\",,,,,," CSV_END
    static const struct {
        const char *first, *second, *statements;
        bool may_go_on; /* the DELETE may go on */
        unsigned left_out, skipped;
    } lists[] = {
        {GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t\n", GENERAL "Query\tSELECT 2\n",
         "SELECT 1|DELETE FROM t|SELECT 2|", true, 0, 0},
        {GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t\n",
         "WHERE id = 2\n" GENERAL "Query\tSELECT 2\n", "SELECT 1|SELECT 2|", false, 1, 1},
        {GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t\n",
         "mysqld, Version: 8. started with:\nTcp port: 3306\nTime  Id\n" GENERAL
         "Query\tSELECT 2\n",
         "SELECT 1|DELETE FROM t|SELECT 2|", true, 0, 0},
        {SLOW "SELECT 1;\n" SLOW "CREATE PROCEDURE p() DELETE FROM t;\n", SLOW "SELECT 2;\n",
         "SELECT 1|CREATE PROCEDURE p() DELETE FROM t|SELECT 2|", true, 0, 0},
        {SLOW "SELECT 1;\n" SLOW "CREATE PROCEDURE p() DELETE FROM t;\n",
         "END;\n" SLOW "SELECT 2;\n", "SELECT 1|SELECT 2|", false, 1, 1},
        {SLOW "SELECT 1;\n" SLOW "DELETE FROM t\n", "WHERE id = 2;\n" SLOW "SELECT 2;\n",
         "SELECT 1|SELECT 2|", false, 1, 1},
        {STDERR "LOG:  statement: SELECT 1\n" STDERR "LOG:  statement: DELETE FROM t\n",
         STDERR "LOG:  statement: SELECT 2\n", "SELECT 1|DELETE FROM t|SELECT 2|", true, 0, 0},
        {STDERR "LOG:  statement: SELECT 1\n" STDERR "LOG:  statement: DELETE FROM t\n",
         "\tWHERE id = 2\n" STDERR "LOG:  statement: SELECT 2\n", "SELECT 1|SELECT 2|", false, 1,
         1},
        {CSV_STATEMENT("SELECT 1") CSV "LOG,00000,\"statement: DELETE FROM t\n",
         CSV_REST CSV_STATEMENT("SELECT 2"), "SELECT 1|SELECT 2|", false, 0, 2},
    };
    char first[] = "first.XXXXXX", second[] = "second.XXXXXX", both[64];
    close(mkstemp(first));
    close(mkstemp(second));
    snprintf(both, sizeof(both), "%s,%s", first, second);
    save(first, lists[_i].first, strlen(lists[_i].first));
    save(second, lists[_i].second, strlen(lists[_i].second));
    struct contents c = read_log(both);
    ck_assert_str_eq(c.text, lists[_i].statements);
    ck_assert_uint_eq(c.left_out, lists[_i].left_out);
    ck_assert_uint_eq(c.skipped, lists[_i].skipped);
    struct log_reader *r = log_reader_open(both, c.format, NULL, LOG_TEXT_BYTES);
    struct log_event e;
    while (log_reader_next(r, &e))
        if (e.kind == LOG_EVENT_STATEMENT && strstr(e.text, "DELETE") != NULL)
            ck_assert_int_eq(e.may_go_on, lists[_i].may_go_on);
    log_reader_close(r);
    free(c.text);
    unlink(first);
    unlink(second);
}
END_TEST

/* A server that failed and was started again may have written only a part of the statement. */
START_TEST(started_again)
{
    static const char log[] =
        GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t\n"
                "261124  3:37:02 mysqld_safe Number of processes running now: 0\n"
                "261124  3:37:03 mysqld_safe mysqld restarted\n" GENERAL "Query\tSELECT 2\n";
    char path[] = "again.XXXXXX";
    close(mkstemp(path));
    save(path, log, strlen(log));
    struct log_reader *r = log_reader_open(path, LOG_FORMAT_UNKNOWN, NULL, LOG_TEXT_BYTES);
    struct log_event e;
    unsigned deletes = 0;
    while (log_reader_next(r, &e))
        if (e.kind == LOG_EVENT_STATEMENT && strstr(e.text, "DELETE") != NULL) {
            deletes++;
            ck_assert(e.may_go_on);
        }
    ck_assert_uint_eq(deletes, 1);
    log_reader_close(r);
    unlink(path);
}
END_TEST

/* A file system may have put NUL bytes in place of lost data. Drivers may send the text before. */
START_TEST(nul_bytes)
{
    static const struct {
        const char *text;
        size_t bytes;
    } logs[] = {
#define LOG(text) {text, sizeof(text) - 1}
        LOG(GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t \0\0 WHERE id = 1\n"),
        LOG(SLOW "SELECT 1;\n" SLOW "DELETE FROM t \0\0 WHERE id = 1;\n"),
        LOG(SLOW "SELECT 1;\n" SLOW "DELETE FROM t;\0\0\n"),
        LOG(GENERAL "Query\tSELECT 1\n" GENERAL "Query\tDELETE FROM t \0\0\n"),
        LOG(STDERR "LOG:  statement: SELECT 1\n" STDERR
                   "LOG:  statement: DELETE FROM t \0\0 WHERE id = 1\n"),
        LOG(STDERR "LOG:  statement: SELECT 1\n" STDERR "ERROR:  x\n" STDERR
                   "STATEMENT:  DELETE FROM t \0\0 WHERE id = 1\n"),
    };
    check_left_out(logs[_i].text, logs[_i].bytes, LOG_TEXT_BYTES, "SELECT 1|");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log_ends");
    TCase *tcase = tcase_create("log_ends");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, truncated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_loop_test(tcase, rotated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_test(tcase, begins_in_the_middle);
    tcase_add_loop_test(tcase, carriage_returns_in_statements, 0, 2);
    tcase_add_loop_test(tcase, cut_off_within_a_line, 0, 4);
    tcase_add_test(tcase, lines_without_end);
    tcase_add_loop_test(tcase, longer_than_allowed, 0, (int)ARRAY_SIZE(too_long));
    tcase_add_loop_test(tcase, longer_in_many_lines, 0, 5);
    tcase_add_test(tcase, longer_with_parameters);
    tcase_add_loop_test(tcase, any_limit, 0, (int)ARRAY_SIZE(samples));
    tcase_add_loop_test(tcase, unreadable_after_a_line, 0, 2);
    tcase_add_loop_test(tcase, ends_of_statements, 0, (int)ARRAY_SIZE(ends));
    tcase_add_loop_test(tcase, files_of_a_list, 0, 9);
    tcase_add_test(tcase, started_again);
    tcase_add_loop_test(tcase, nul_bytes, 0, 6);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
