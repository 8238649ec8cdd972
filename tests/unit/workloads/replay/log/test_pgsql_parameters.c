/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that parameters are inserted into statements. */
#include "workloads/replay/log/pgsql_parameters.h"

#include <stdlib.h>

#include "../../../suite.h"
#include "base/util.h"

static struct log_text to;

static void teardown(void)
{
    log_text_fini(&to);
}

static const char *put_with(const char *statement, const char *detail, const char *context)
{
    bool cut = false;
    const bool found = pgsql_put_parameters(&to, statement, strlen(statement),
                                            pgsql_find_parameters(detail, context), &cut);
    return cut ? "cut" : found ? to.data : NULL;
}

static const char *put(const char *statement, const char *detail)
{
    return put_with(statement, detail, NULL);
}

START_TEST(literals_take_their_places)
{
    ck_assert_str_eq(put("a=$1 AND b=$2", "parameters: $1 = '5', $2 = NULL"), "a= '5' AND b= NULL");
    ck_assert_str_eq(put("a=$1", "Parameters: $1 = 'it''s, $2 = ''x'''"), "a= 'it''s, $2 = ''x'''");
    ck_assert_str_eq(put("SELECT 1", NULL), "SELECT 1");
    ck_assert_str_eq(put("IN($2,$1,$2)LIMIT$1", "parameters: $1 = '1', $2 = '2'"),
                     "IN( '2', '1', '2')LIMIT$1");
    /* Whatever standard_conforming_strings of the session is. */
    ck_assert_str_eq(put("a=$1 AND b=$2", "parameters: $1 = 'x\\', $2 = ' OR 1=1 --'"),
                     "a= E'x\\\\' AND b= ' OR 1=1 --'");
    ck_assert_str_eq(put("$1FOR", "parameters: $1 = '1'"), " '1' FOR");
}
END_TEST

START_TEST(other_texts_with_a_dollar_sign_stay)
{
    ck_assert_str_eq(put("'$1' \"$1\" /* $1 */ $$ $1 $$ a$1", "parameters: $1 = '5'"),
                     "'$1' \"$1\" /* $1 */ $$ $1 $$ a$1");
}
END_TEST

/* Servers and versions write them in different ways. */
START_TEST(spellings)
{
    ck_assert_str_eq(put("a=$1", "Query Parameters: $1 = '5'"), "a= '5'");
    ck_assert_str_eq(put_with("a=$1", "", "unnamed portal with parameters: $1 = '5'"), "a= '5'");
    ck_assert_str_eq(put_with("a=$1", NULL, "portal \"C_1\" with parameters: $1 = '5'"), "a= '5'");
    ck_assert_str_eq(put_with("a=$1", "Key (a)=(5) already exists.",
                              "PL/pgSQL function f(integer) line 3 at RAISE\n"
                              "unnamed portal with parameters: $1 = 'x\ny'"),
                     "a= 'x\ny'");
    ck_assert_ptr_null(put_with("a=$1", "Key (a)=(parameters: $1 = '5')", "parameter $1 = '5'"));
}
END_TEST

/* The server cuts values with log_parameter_max_length, and then adds dots. */
START_TEST(values_that_were_cut)
{
    ck_assert_str_eq(put("a=$1", "parameters: $1 = 'abc...'"), "cut");
    ck_assert_str_eq(put("a=$2", "parameters: $1 = 'abc...', $2 = 'd'"), "a= 'd'");
    ck_assert_str_eq(put("a=$1", "parameters: $1 = 'abc..'"), "a= 'abc..'");
    ck_assert_str_eq(put("a=$1", "parameters: $1 = '...abc'"), "a= '...abc'");
}
END_TEST

START_TEST(a_missing_parameter_is_reported)
{
    ck_assert_ptr_null(put("a=$1", NULL));
    ck_assert_ptr_null(put("a=$1", ""));
    ck_assert_ptr_null(put("a=$3", "parameters: $1 = '5', $2 = NULL"));
    ck_assert_ptr_null(put("a=$1", "parameters: $1 = 'cut off"));
    ck_assert_ptr_null(put("a=$1", "parameters: $1 = 5"));
}
END_TEST

/* The protocol allows 65535 parameters, for example in an insert of many rows. The parameters are
 * read once, and not from the first one for each parameter of the statement. */
START_TEST(as_many_as_the_protocol_allows)
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
        ck_assert_ptr_nonnull(put(statement, detail));
    ck_assert_uint_eq(strncmp(to.data, " '1', '2', '3',", 15), 0);
    ck_assert_str_eq(to.data + to.length - 18, " '65534', '65535',");
    free(statement);
    free(detail);
}
END_TEST

RUN_SUITE_WITH("pgsql_parameters", 30, NULL, teardown, literals_take_their_places,
               other_texts_with_a_dollar_sign_stay, spellings, values_that_were_cut,
               a_missing_parameter_is_reported, as_many_as_the_protocol_allows)
