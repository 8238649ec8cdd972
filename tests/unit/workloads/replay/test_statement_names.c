/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/statement_names.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"

/* "[" marks the place of the prefix. */
static const struct {
    const char *text, *renamed;
} named[] = {
    {"PREPARE p AS DELETE FROM t", "PREPARE [p AS DELETE FROM t"},
    {"prepare p(int, text) as select $1, 'execute p'",
     "prepare [p(int, text) as select $1, 'execute p'"},
    {"EXECUTE p(1, 'EXECUTE p')", "EXECUTE [p(1, 'EXECUTE p')"},
    {"/* EXECUTE p */ execute \"My p\"\"\" ; select execute p",
     "/* EXECUTE p */ execute \"[My p\"\"\" ; select execute p"},
    {"PREPARE p AS SELECT 1; EXECUTE p; DEALLOCATE p",
     "PREPARE [p AS SELECT 1; EXECUTE [p; DEALLOCATE [p"},
    {"DEALLOCATE PREPARE p", "DEALLOCATE PREPARE [p"},
    {"DEALLOCATE prepare", "DEALLOCATE [prepare"},
    {"DEALLOCATE PREPARE; EXECUTE p", "DEALLOCATE [PREPARE; EXECUTE [p"},
    {"EXPLAIN EXECUTE p", "EXPLAIN EXECUTE [p"},
    {"EXPLAIN (ANALYZE, BUFFERS) EXECUTE p (1)", "EXPLAIN (ANALYZE, BUFFERS) EXECUTE [p (1)"},
    {"explain analyze verbose execute p", "explain analyze verbose execute [p"},
    {"CREATE TEMP TABLE t (a, b) WITH (x = 1) AS EXECUTE p(2) WITH NO DATA",
     "CREATE TEMP TABLE t (a, b) WITH (x = 1) AS EXECUTE [p(2) WITH NO DATA"},
    {"EXPLAIN ANALYZE CREATE TABLE t AS EXECUTE p", "EXPLAIN ANALYZE CREATE TABLE t AS EXECUTE [p"},
};

static const char *const nameless[] = {
    "",
    "SELECT 1",
    "PREPARE TRANSACTION 'p'",
    "DEALLOCATE ALL",
    "DEALLOCATE PREPARE ALL",
    "SELECT execute FROM prepare",
    "EXPLAIN SELECT execute FROM t",
    "CREATE TABLE t AS SELECT 1 AS execute FROM x",
    "CREATE TRIGGER x AFTER INSERT ON t EXECUTE FUNCTION f()",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN EXECUTE p; END $$ LANGUAGE plpgsql",
    "GRANT EXECUTE ON FUNCTION f TO public",
    "DO $$ BEGIN EXECUTE p; END $$",
    "-- EXECUTE p",
    "EXECUTE",
};

static void expected(char *to, const char *text, const char *prefix)
{
    for (; *text != '\0'; text++)
        if (*text == '[')
            to = stpcpy(to, prefix);
        else
            *to++ = *text;
    *to = '\0';
}

START_TEST(names_get_the_prefix)
{
    for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
        char wanted[500];
        size_t length = strlen(named[i].text);
        expected(wanted, named[i].renamed, "r0_1_");
        ck_assert(statement_names_any(named[i].text, length));
        char *renamed = statement_names_prefix(named[i].text, &length, "r0_1_");
        ck_assert_str_eq(renamed, wanted);
        ck_assert_uint_eq(length, strlen(wanted));
        free(renamed);
    }
}
END_TEST

START_TEST(other_texts_do_not_change)
{
    for (size_t i = 0; i < ARRAY_SIZE(nameless); i++) {
        size_t length = strlen(nameless[i]);
        ck_assert_msg(!statement_names_any(nameless[i], length), "%s", nameless[i]);
        char *renamed = statement_names_prefix(nameless[i], &length, "r0_1_");
        ck_assert_str_eq(renamed, nameless[i]);
        free(renamed);
    }
}
END_TEST

static void rename_to(char *to, size_t bytes, const char *name)
{
    char text[200];
    snprintf(text, sizeof(text), "EXECUTE %s", name);
    size_t length = strlen(text);
    char *renamed = statement_names_prefix(text, &length, "r0123456789abcdef_7_");
    snprintf(to, bytes, "%s", renamed + strlen("EXECUTE "));
    free(renamed);
}

/* The server cuts long names, which would make some of them equal. The first two names are equal
 * for the server. */
START_TEST(long_names_stay_different)
{
    char a[100], b[100], c[100];
    rename_to(a, sizeof(a), "A_name_that_has_so_many_letters_that_there_is_no_room_1");
    rename_to(b, sizeof(b), "\"a_name_that_has_so_many_letters_that_there_is_no_room_1\"");
    rename_to(c, sizeof(c), "a_name_that_has_so_many_letters_that_there_is_no_room_2");
    ck_assert_uint_le(strlen(a), 63);
    ck_assert_uint_eq(strlen(b), strlen(a) + 2);
    ck_assert(b[0] == '"' && strncmp(b + 1, a, strlen(a)) == 0);
    ck_assert_uint_le(strlen(c), 63);
    ck_assert_str_ne(a, c);
    rename_to(a, sizeof(a), "\"a \"\" in a name that has so many letters, there is no room\"(1)");
    rename_to(b, sizeof(b), "\"a \"\" in a name that has so many letters, there is no ROOM\"(1)");
    ck_assert_uint_eq(strspn(a, "\"r0123456789abcdef_"), strlen(a) - strlen("(1)"));
    ck_assert_str_ne(a, b);
}
END_TEST

RUN_SUITE("statement_names", 60, names_get_the_prefix, other_texts_do_not_change,
          long_names_stay_different)
