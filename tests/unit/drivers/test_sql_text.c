/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "drivers/language.h"

static const struct {
    const char *text;
    enum sql_text_kind kind;
} kinds[] = {
    {"SELECT 1", SQL_TEXT_READ},
    {"select 1", SQL_TEXT_READ},
    {"  \t\nSELECT 1", SQL_TEXT_READ},
    {"-- INSERT\nSELECT 1", SQL_TEXT_READ},
    {"/* DELETE */ /* x */SELECT 1", SQL_TEXT_READ},
    {"((SELECT 1) UNION (SELECT 2))", SQL_TEXT_READ},
    {"SHOW STATUS", SQL_TEXT_READ},
    {"VALUES (1)", SQL_TEXT_READ},
    {"EXPLAIN DELETE FROM t", SQL_TEXT_READ},
    {"WITH a AS (SELECT 1) SELECT * FROM a", SQL_TEXT_READ},
    {"WITH a AS (DELETE FROM t RETURNING id) SELECT * FROM a", SQL_TEXT_READ},
    {"INSERT INTO t VALUES (1)", SQL_TEXT_WRITE},
    {"insert\ninto t SELECT 1", SQL_TEXT_WRITE},
    {"/* SELECT */INSERT INTO t VALUES (1)", SQL_TEXT_WRITE},
    {"UPDATE t SET a = 1", SQL_TEXT_WRITE},
    {"DELETE FROM t", SQL_TEXT_WRITE},
    {"REPLACE INTO t VALUES (1)", SQL_TEXT_WRITE},
    {"MERGE INTO t USING s", SQL_TEXT_WRITE},
    {"WITH a AS (SELECT 1), b AS (SELECT 2) INSERT INTO t SELECT * FROM a", SQL_TEXT_WRITE},
    {"WITH a$b$c AS (SELECT 1) DELETE FROM t", SQL_TEXT_WRITE},
    {"WITH RECURSIVE a AS (SELECT ')') UPDATE t SET x = 1", SQL_TEXT_WRITE},
    {"BEGIN", SQL_TEXT_OTHER},
    {"COMMIT", SQL_TEXT_OTHER},
    {"CREATE TABLE t (a INT)", SQL_TEXT_OTHER},
    {"SELECTED", SQL_TEXT_OTHER},
    {"INSERT_IT()", SQL_TEXT_OTHER},
    {"'SELECT'", SQL_TEXT_OTHER},
    {"", SQL_TEXT_OTHER},
    {"   ", SQL_TEXT_OTHER},
    {"-- only a comment", SQL_TEXT_OTHER},
    {"/* never ends", SQL_TEXT_OTHER},
};

START_TEST(kind_by_first_keyword)
{
    const char *text = kinds[_i].text;
    ck_assert_msg(sql_text_kind(text, strlen(text)) == kinds[_i].kind, "%s", text);
}
END_TEST

/* `marks` has a '^' at the position of each parameter in `text`. */
static const struct {
    const char *text, *marks;
} parameters[] = {
    {"SELECT 1", ""},
    {"SELECT ?", "       ^"},
    {"?,?;?", "^ ^ ^"},
    {"SELECT '?', ?", "            ^"},
    {"SELECT 'it''s ?', ?", "                  ^"},
    {"SELECT \"?\", `?`, ?", "                 ^"},
    {"? -- ?\n ?", "^       ^"},
    {"?/* ? */?", "^       ^"},
    {"a-? b/?", "  ^   ^"},
    {"$$?$$ ? $a$ ? $b$ ? $a$ ?", "      ^                 ^"},
    {"$1 ? $", "   ^"},
    {"a$b$c ? a$b$ ?", "      ^      ^"},
    {"é$b$ ? _$$ ?", "      ^     ^"},
    {"$é$ ? $é$ ?", "            ^"},
    {"'never ends ?", ""},
    {"/* never ends ?", ""},
    {"-- never ends ?", ""},
    {"", ""},
};

START_TEST(keyword_of_the_statement)
{
    static const struct {
        const char *text, *keyword;
    } keywords[] = {
        {"UPDATE t SET a = 1", "update"},
        {"/* one */ Insert INTO t VALUES (1)", "insert"},
        {"WITH a AS (SELECT 1) DELETE FROM t", "delete"},
        {"BEGIN", ""},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
        ck_assert_str_eq(sql_text_keyword(keywords[i].text, strlen(keywords[i].text)),
                         keywords[i].keyword);
}
END_TEST

START_TEST(parameters_outside_literals)
{
    const char *text = parameters[_i].text, *marks = parameters[_i].marks;
    size_t offsets[8];
    char seen[64];
    unsigned count = sql_text_parameters(text, strlen(text), false, offsets, ARRAY_SIZE(offsets));

    ck_assert_uint_le(count, ARRAY_SIZE(offsets));
    memset(seen, ' ', sizeof(seen));
    for (unsigned i = 0; i < count; i++)
        seen[offsets[i]] = '^';
    seen[count > 0 ? offsets[count - 1] + 1 : 0] = '\0';
    ck_assert_str_eq(seen, marks);
}
END_TEST

START_TEST(parameters_beyond_the_room_are_counted)
{
    size_t offsets[2] = {99, 99};
    ck_assert_uint_eq(sql_text_parameters("?, ?, ?", 7, false, offsets, 1), 3);
    ck_assert_uint_eq(offsets[0], 0);
    ck_assert_uint_eq(offsets[1], 99);
    ck_assert_uint_eq(sql_text_parameters("?, ?, ?", 6, false, NULL, 0), 2);
}
END_TEST

START_TEST(backslashes_escape_where_they_do)
{
    const char text[] = "SELECT 'it\\'s ?', \"\\\\\", ?, '\\";
    size_t offset;
    ck_assert_uint_eq(sql_text_parameters(text, strlen(text), true, &offset, 1), 1);
    ck_assert_ptr_eq(text + offset, strrchr(text, '?'));
    ck_assert_uint_eq(sql_text_parameters("'\\' ?", 6, false, &offset, 1), 1);
    ck_assert_uint_eq(sql_text_parameters("'\\' ?", 6, true, &offset, 1), 0);
}
END_TEST

START_TEST(quotes_are_doubled)
{
    char to[16];
    size_t length = sql_text_double_quotes(to, "'a'\0'", 5);
    ck_assert_uint_eq(length, 8);
    ck_assert_mem_eq(to, "''a''\0''", 8);
}
END_TEST

static void assert_class(const char *text, const char *expected)
{
    char name[48];
    size_t length = sql_language.class_name(text, strlen(text), name, sizeof(name));
    ck_assert_str_eq(name, expected);
    ck_assert_uint_eq(length, strlen(expected));
}

START_TEST(classes_are_the_first_word_and_the_first_table)
{
    assert_class("SELECT c FROM sbtest12 WHERE id=1", "select sbtest");
    assert_class(" \n select (1) from `t`, u", "select t");
    assert_class("UPDATE sbtest3 SET k=k+1", "update sbtest");
    assert_class("INSERT INTO a(b) VALUES (1)", "insert a");
    assert_class("INSERT INTO a$b$c(b) VALUES (1)", "insert a$b$c");
    assert_class("REPLACE INTO a_1 VALUES (1)", "replace a_");
    assert_class("delete from 123", "delete 123");
    assert_class("CREATE TABLE x9 (a INT)", "create x");
    assert_class("/* why */ (SELECT 1)", "select");
    assert_class("BEGIN", "begin");
    assert_class("SET NAMES utf8", "set");
    assert_class("", "");
    assert_class("SELECT 1 FROM", "select");
    assert_class("averyveryverylongword FROM averyveryverylongnameofatablethatdoesnotend",
                 "averyveryverylon averyveryverylongnameofatablet");
}
END_TEST

static void assert_masked(const char *text, const char *expected)
{
    char *masked = secret_mask(text);
    ck_assert_str_eq(masked, expected);
    free(masked);
}

START_TEST(passwords_in_statements_are_masked)
{
    secret_learn(&sql_secret_words);
    assert_masked("CREATE USER x IDENTIFIED BY 'secret'", "CREATE USER x IDENTIFIED BY '***'");
    assert_masked("GRANT ALL ON a TO x IDENTIFIED WITH mysql_native_password AS 'hash'",
                  "GRANT ALL ON a TO x IDENTIFIED WITH mysql_native_password AS '***'");
    assert_masked("ALTER USER u PASSWORD 'x y'", "ALTER USER u PASSWORD '***'");
    assert_masked("SET PASSWORD FOR a = PASSWORD('secret')", "SET PASSWORD FOR a = PASSWORD('***')");
    assert_masked("SET PASSWORD TO 'secret'", "SET PASSWORD TO '***'");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sql_text");
    TCase *tc = tcase_create("sql_text");
    tcase_add_loop_test(tc, kind_by_first_keyword, 0, ARRAY_SIZE(kinds));
    tcase_add_loop_test(tc, parameters_outside_literals, 0, ARRAY_SIZE(parameters));
    tcase_add_test(tc, keyword_of_the_statement);
    tcase_add_test(tc, parameters_beyond_the_room_are_counted);
    tcase_add_test(tc, backslashes_escape_where_they_do);
    tcase_add_test(tc, quotes_are_doubled);
    tcase_add_test(tc, passwords_in_statements_are_masked);
    tcase_add_test(tc, classes_are_the_first_word_and_the_first_table);
    suite_add_tcase(suite, tc);

    return suite_run(suite);
}
