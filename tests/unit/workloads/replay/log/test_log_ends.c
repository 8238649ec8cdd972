/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of logs that are cut off, split and mixed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    static const char text[] = "  c CHAR(120)\n) ENGINE = x\n\t\t     7 Query\tSELECT 0\n"
                               "261124  3:37:02\t     7 Query\tSELECT 1\n\t\t     7 Quit\t\n";
    struct contents c = read_text(text);
    ck_assert_str_eq(c.text, "SELECT 1|");
    ck_assert_uint_eq(c.malformed, 3);
    ck_assert_uint_eq(c.ends, 1);
    free(c.text);
}
END_TEST

/* Where the log's own lines end in "\n" alone, a return is one that the statement has. */
START_TEST(returns_of_statements)
{
    static const char text[] = "\r\n261124  3:37:02\t     7 Query\tSELECT 'a\r\nb'\r\n";
    struct contents c = read_text(text + _i);
    ck_assert_str_eq(c.text, _i == 0 ? "SELECT 'a\nb'|" : "SELECT 'a\r\nb'\r|");
    free(c.text);
}
END_TEST

/* Half a statement may be another one: what is missing behind a line without an end is not known.
 */
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

int main(void)
{
    Suite *suite = suite_create("log_ends");
    TCase *tcase = tcase_create("log_ends");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, truncated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_loop_test(tcase, rotated, 0, (int)ARRAY_SIZE(samples));
    tcase_add_test(tcase, begins_in_the_middle);
    tcase_add_loop_test(tcase, returns_of_statements, 0, 2);
    tcase_add_loop_test(tcase, cut_off_within_a_line, 0, 4);
    tcase_add_test(tcase, lines_without_end);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
