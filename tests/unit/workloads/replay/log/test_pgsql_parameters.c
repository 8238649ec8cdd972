/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters that are put into statements. */
#include "workloads/replay/log/pgsql_parameters.h"

#include <stdlib.h>

#include "../../../suite.h"
#include "base/util.h"

static struct log_text to;

static void teardown(void)
{
    log_text_fini(&to);
}

static const char *put(const char *statement, const char *detail)
{
    return pgsql_put_parameters(&to, statement, strlen(statement), detail) ? to.data : NULL;
}

START_TEST(literals_take_their_places)
{
    ck_assert_str_eq(put("a=$1 AND b=$2", "parameters: $1 = '5', $2 = NULL"), "a= '5' AND b= NULL");
    ck_assert_str_eq(put("a=$1", "Parameters: $1 = 'it''s, $2 = ''x'''"), "a= 'it''s, $2 = ''x'''");
    ck_assert_str_eq(put("SELECT 1", NULL), "SELECT 1");
    ck_assert_str_eq(put("IN($2,$1,$2)LIMIT$1", "parameters: $1 = '1', $2 = '2'"),
                     "IN( '2', '1', '2')LIMIT$1");
    ck_assert_str_eq(put("$1FOR", "parameters: $1 = '1'"), " '1' FOR");
}
END_TEST

START_TEST(what_only_looks_like_one_stays)
{
    ck_assert_str_eq(put("'$1' \"$1\" /* $1 */ $$ $1 $$ a$1", "parameters: $1 = '5'"),
                     "'$1' \"$1\" /* $1 */ $$ $1 $$ a$1");
}
END_TEST

START_TEST(one_that_is_missing)
{
    ck_assert_ptr_null(put("a=$1", NULL));
    ck_assert_ptr_null(put("a=$1", ""));
    ck_assert_ptr_null(put("a=$3", "parameters: $1 = '5', $2 = NULL"));
    ck_assert_ptr_null(put("a=$1", "parameters: $1 = 'cut off"));
    ck_assert_ptr_null(put("a=$1", "parameters: $1 = 5"));
}
END_TEST

/* As many as the protocol can have: an insert of many rows, read in one go and not from the first
 * for each. */
START_TEST(many)
{
    static const unsigned most = 65535;
    char *statement = NULL, *detail = NULL;
    size_t statement_bytes, detail_bytes;
    FILE *s = open_memstream(&statement, &statement_bytes),
         *d = open_memstream(&detail, &detail_bytes);
    fputs("parameters: ", d);
    for (unsigned i = 1; i <= most; i++) {
        fprintf(s, "$%u,", i);
        fprintf(d, "%s$%u = '%u'", i > 1 ? ", " : "", i, i);
    }
    fclose(s);
    fclose(d);
    for (unsigned i = 0; i < 20; i++)
        ck_assert(pgsql_put_parameters(&to, statement, statement_bytes, detail));
    ck_assert_uint_eq(strncmp(to.data, " '1', '2', '3',", 15), 0);
    ck_assert_str_eq(to.data + to.length - 18, " '65534', '65535',");
    free(statement);
    free(detail);
}
END_TEST

RUN_SUITE_WITH("pgsql_parameters", 30, NULL, teardown, literals_take_their_places,
               what_only_looks_like_one_stays, one_that_is_missing, many)
