/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how the MongoDB driver parses statements and fills in values, without a server. */
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/mongodb/mongodb_text.h"

static void assert_statement(const char *text, enum sql_text_kind kind, char keyword,
                             const char *class)
{
    const size_t length = strlen(text);
    char name[48];

    ck_assert_msg(mongodb_language.kind(text, length) == kind, "%s", text);
    ck_assert_msg(*mongodb_language.keyword(text, length) == keyword, "%s", text);
    ck_assert_uint_eq(mongodb_language.class_name(text, length, name, sizeof(name)), strlen(class));
    ck_assert_str_eq(name, class);
}

START_TEST(the_first_key_decides_the_kind_of_a_statement)
{
    assert_statement("{\"find\": \"jsondoc12\", \"filter\": {}}", SQL_TEXT_READ, 'f',
                     "find jsondoc");
    assert_statement(" {\n \"update\":\"t\"}", SQL_TEXT_WRITE, 'u', "update t");
    assert_statement("{\"insert\":\"123\"}", SQL_TEXT_WRITE, 'i', "insert 123");
    assert_statement("{\"delete\":\"a b\"}", SQL_TEXT_WRITE, 'd', "delete a b");
    assert_statement("{\"findAndModify\":\"t1\"}", SQL_TEXT_WRITE, 'f', "findandmodify t");
    assert_statement("{\"aggregate\":1}", SQL_TEXT_READ, 'a', "aggregate");
    assert_statement("{\"createIndexes\":\"t\"}", SQL_TEXT_OTHER, 'c', "createindexes t");
    assert_statement("{\"drop\":\"t\"}", SQL_TEXT_OTHER, 'd', "drop t");
    assert_statement("{\"updates\":\"t\"}", SQL_TEXT_OTHER, 'u', "updates t");
    assert_statement("{\"find", SQL_TEXT_OTHER, 'f', "fin"); /* truncated */
    assert_statement("{}", SQL_TEXT_OTHER, '\0', "");
    assert_statement("", SQL_TEXT_OTHER, '\0', "");
    assert_statement("SELECT 1", SQL_TEXT_OTHER, '\0', "");
}
END_TEST

START_TEST(parameters_stand_outside_of_strings)
{
    static const char text[] = "{\"a?\": ?, \"b\": \"\\\"?\", \"c\": [?, \"\\\\\", ?]}";
    size_t at[3];

    ck_assert_uint_eq(mongodb_language.parameters(text, strlen(text), true, at, 3), 3);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(text[at[i]], '?');
    ck_assert_uint_eq(mongodb_language.parameters(text, strlen(text), true, NULL, 0), 3);
    ck_assert_uint_eq(mongodb_language.parameters("\"?", 2, true, at, 3), 0);
}
END_TEST

static struct mongodb_shared shared;
static struct driver_conn conn = {.ops = &mongodb_driver, .shared = &shared};

/* Returns the command made from a template and parameters as JSON, or "" after an error. */
static const char *filled(struct mongodb_template *t, struct sql_param *const *params)
{
    static char text[1024];
    bson_t command;

    text[0] = '\0';
    if (mongodb_template_fill(&conn, t, params, &command) == DRIVER_ERROR)
        return text;
    ck_assert(bson_validate(&command, BSON_VALIDATE_UTF8_ALLOW_NULL, NULL));
    char *json = bson_as_canonical_extended_json(&command, NULL);
    /* Releases of the library write one or two blanks in an empty document. */
    size_t length = 0;
    for (const char *c = json; *c != '\0' && length + 1 < sizeof(text); c++)
        if (c[0] != ' ' || c[1] != ' ')
            text[length++] = *c;
    text[length] = '\0';
    bson_free(json);
    return text;
}

static struct mongodb_template *template(const char *text)
{
    struct mongodb_template *t = mongodb_template_create(&conn, text, strlen(text));
    ck_assert_msg(t != NULL, "%s", conn.error.message);
    return t;
}

static struct sql_param text_param(const char *text)
{
    return (struct sql_param){
        .type = SQL_TYPE_VARCHAR, .text = (char *)text, .length = strlen(text)};
}

START_TEST(values_take_the_places_of_parameters)
{
    struct mongodb_template *t = template("{\"update\":\"t\",\"updates\":[{\"q\":{\"_id\":?},"
                                          "\"u\":{\"$set\":{\"a.b\":?,\"c\":[1,?]}}}],\"x\":?}");
    struct sql_param id = {.type = SQL_TYPE_BIGINT, .integer = 7}, text = text_param("x\"y");
    struct sql_param number = {.type = SQL_TYPE_DOUBLE, .number = 0.5};
    struct sql_param small = {.type = SQL_TYPE_INT, .integer = -3};
    struct sql_param *const params[] = {&id, &text, &number, &small};

    ck_assert_uint_eq(t->parameters, 4);
    ck_assert_str_eq(
        filled(t, params),
        "{ \"update\" : \"t\", \"updates\" : [ { \"q\" : { \"_id\" : { \"$numberLong\" : "
        "\"7\" } }, \"u\" : { \"$set\" : { \"a.b\" : \"x\\\"y\", \"c\" : [ { "
        "\"$numberInt\" : \"1\" }, { \"$numberDouble\" : \"0.5\" } ] } } } ], \"x\" : { "
        "\"$numberInt\" : \"-3\" } }");
    /* Use the same template again with a shorter, a longer and a null value. */
    text = text_param("");
    number.null = true;
    small.integer = INT64_C(1) << 40;
    ck_assert_str_eq(
        filled(t, params),
        "{ \"update\" : \"t\", \"updates\" : [ { \"q\" : { \"_id\" : { \"$numberLong\" : "
        "\"7\" } }, \"u\" : { \"$set\" : { \"a.b\" : \"\", \"c\" : [ { \"$numberInt\" : "
        "\"1\" }, null ] } } } ], \"x\" : { \"$numberLong\" : \"1099511627776\" } }");
    mongodb_template_destroy(t);
}
END_TEST

START_TEST(fields_of_a_document_are_put_in)
{
    struct mongodb_template *t =
        template("{\"insert\":\"t\",\"documents\":[{\"_id\":?,\"$json\":?,"
                 "\"z\":?},{\"$json\":\"{\\\"k\\\":true}\"},{\"$json\":?}]}");
    struct sql_param id = {.type = SQL_TYPE_INT, .integer = 1};
    struct sql_param first = text_param(" {\"a\":{\"b\":\"c\"}}"), second = text_param("{}");
    struct sql_param *const params[] = {&id, &first, &id, &second};

    ck_assert_uint_eq(t->parameters, 4);
    ck_assert_str_eq(
        filled(t, params),
        "{ \"insert\" : \"t\", \"documents\" : [ { \"_id\" : { \"$numberInt\" : \"1\" }, "
        "\"a\" : { \"b\" : \"c\" }, \"z\" : { \"$numberInt\" : \"1\" } }, { \"k\" : true }, "
        "{ } ] }");
    static const char *const bad[] = {"", "[1]", "{", "7", "null"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        first = text_param(bad[i]);
        ck_assert_str_eq(filled(t, params), "");
        ck_assert_str_eq(conn.error.message, "the value of \"$json\" is not a JSON document");
    }
    mongodb_template_destroy(t);
}
END_TEST

START_TEST(elements_for_the_driver_are_not_sent)
{
    shared.write_concern = BCON_NEW("w", "majority", "j", BCON_BOOL(true));
    struct mongodb_template *t =
        template("{\"delete\":\"t\",\"$db\":\"other\",\"$fields\":[\"n\",\"a.b\"],\"deletes\":[]}");
    ck_assert_str_eq(t->database, "other");
    ck_assert_uint_eq(t->columns, 2);
    ck_assert_str_eq(t->fields[1], "a.b");
    ck_assert_str_eq(filled(t, NULL),
                     "{ \"delete\" : \"t\", \"deletes\" : [ ], \"writeConcern\" : { "
                     "\"w\" : \"majority\", \"j\" : true } }");
    mongodb_template_destroy(t);
    t = template("{\"insert\":\"t\",\"writeConcern\":{\"w\":1}}");
    ck_assert_str_eq(filled(t, NULL), "{ \"insert\" : \"t\", \"writeConcern\" : { \"w\" : { "
                                      "\"$numberInt\" : \"1\" } } }");
    mongodb_template_destroy(t);
    t = template("{\"find\":\"t\"}");
    ck_assert_str_eq(filled(t, NULL), "{ \"find\" : \"t\" }");
    mongodb_template_destroy(t);
    bson_destroy(shared.write_concern);
    shared.write_concern = NULL;
}
END_TEST

START_TEST(malformed_commands_are_refused)
{
    static const char *const texts[] = {
        "",
        "SELECT 1",
        "{\"find\":",
        "{?: 1}",
        "{\"a\": {\"$numberLong\": ?}}",
        "{\"a\": {\"$undefined\": true}}",
        "{\"a\": 1, \"$db\": ?}",
        "{\"a\": 1, \"$fields\": [?]}",
    };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        ck_assert_msg(mongodb_template_create(&conn, texts[i], strlen(texts[i])) == NULL, "%s",
                      texts[i]);
        ck_assert_int_eq(conn.error.code, MONGODB_UNPARSED);
        ck_assert(!conn.error.connection_lost);
    }
}
END_TEST

START_TEST(literals_are_json)
{
    char to[64] = "";
    static const char text[] = "a\"b\\c\n\x01\xc3\xa4";
    const size_t length = mongodb_escape(&conn, to, text, strlen(text));

    ck_assert_str_eq(to, "a\\\"b\\\\c\\u000a\\u0001\xc3\xa4");
    ck_assert_uint_eq(length, strlen(to));
}
END_TEST

START_TEST(errors_of_lost_connections_are_known)
{
    ck_assert(mongodb_is_lost(9001) && mongodb_is_lost(10107) && mongodb_is_lost(6));
    ck_assert(!mongodb_is_lost(112) && !mongodb_is_lost(11000) && !mongodb_is_lost(18));
}
END_TEST

RUN_SUITE("mongodb", 60, the_first_key_decides_the_kind_of_a_statement,
          parameters_stand_outside_of_strings, values_take_the_places_of_parameters,
          fields_of_a_document_are_put_in, elements_for_the_driver_are_not_sent,
          malformed_commands_are_refused, literals_are_json, errors_of_lost_connections_are_known)
