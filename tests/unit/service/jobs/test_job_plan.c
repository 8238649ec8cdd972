/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the owner's files and of clients' requests, and the command lines of jobs. */
#include "service/jobs/job_plan.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"

#define TARGET                                                                                     \
    "'name': 'shop', 'class': 'test', 'options': {'db-driver': 'mysql', 'mysql-user': 'bench'}, "  \
    "'identity': 'abc', 'schema': 'made', 'max_rate': 500, 'max_workers': 8, 'max_seconds': 60, "  \
    "'guard_slo': 'p99<1s', 'guard_seconds': 5"
#define LIVE                                                                                       \
    "'name': 'live', 'class': 'production', 'options': {'db-driver': 'null'}, 'tests': "           \
    "['point', 'mixed']"
#define TESTS                                                                                      \
    "{'tests': [{'name': 'point', 'script': 'oltp_point_select', 'read_only': true, 'options': "   \
    "{'tables': '2'}, 'parameters': {'table_size': {'type': 'integer', 'min': 1, 'max': 1000, "    \
    "'default': 100}, 'skip_trx': {'type': 'boolean'}, 'rand-type': {'type': 'choice', "           \
    "'choices': ['uniform', 'zipfian']}}}, {'name': 'mixed', 'script': 'oltp_read_write'}, "       \
    "{'name': 'other', 'script': 'oltp_read_only', 'read_only': true}]}"

static char *write_file(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    for (; *text != '\0'; text++)
        fputc(*text == '\'' ? '"' : *text, file);
    fclose(file);
    chmod(name, mode);
    return (char *)name;
}

static struct target_list *load_targets(const char *one, mode_t mode)
{
    char text[2000];
    snprintf(text, sizeof(text), "{'targets': [{%s}]}", one);
    struct target_list *list = target_list_load(write_file("plan_targets.json", text, mode));
    unlink("plan_targets.json");
    return list;
}

static struct catalogue *load_tests(const char *text, mode_t mode)
{
    struct catalogue *catalogue = catalogue_load(write_file("plan_tests.json", text, mode));
    unlink("plan_tests.json");
    return catalogue;
}

static bool takes_target(const char *text)
{
    struct target_list *list = load_targets(text, 0600);
    bool taken = list != NULL;
    target_list_destroy(list);
    return taken;
}

static bool takes_tests(const char *text)
{
    struct catalogue *catalogue = load_tests(text, 0644);
    bool taken = catalogue != NULL;
    catalogue_destroy(catalogue);
    return taken;
}

static void add_word(void *arg, const char *word)
{
    fprintf(arg, " %s", word);
}

/* Returns the command line of a request, or the sentence that refuses it. The caller frees the
 * text. In `text`, ' stands for ". */
static char *answer_to(const char *target, const char *text)
{
    char *words = NULL, json[1000];
    size_t bytes;
    struct target_list *list = load_targets(target, 0600);
    struct catalogue *catalogue = load_tests(TESTS, 0644);
    snprintf(json, sizeof(json), "%s", text);
    for (char *c = json; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *request = json_loads(json, 0, NULL);
    ck_assert_ptr_nonnull(list);
    ck_assert_ptr_nonnull(catalogue);
    ck_assert_msg(request != NULL, "no JSON: %s", json);
    struct job_plan plan;
    char *wrong = job_plan_read(&plan, request, list, catalogue);
    if (wrong == NULL) {
        FILE *out = open_memstream(&words, &bytes);
        job_plan_words(&plan, "kept", "kept/jobs/7", 7, add_word, out);
        fclose(out);
    }
    json_decref(request);
    target_list_destroy(list);
    catalogue_destroy(catalogue);
    return wrong != NULL ? wrong : words;
}

static void check_answer(const char *target, const char *request, const char *expected)
{
    char *answer = answer_to(target, request);
    ck_assert_msg(strstr(answer, expected) != NULL, "%s\n  answer: %s\n  not in it: %s", request,
                  answer, expected);
    free(answer);
}

START_TEST(files_that_other_users_can_access_are_refused)
{
    ck_assert_ptr_null(load_targets(TARGET, 0640));
    ck_assert_ptr_null(load_targets(TARGET, 0604));
    ck_assert_ptr_null(load_tests(TESTS, 0664));
    ck_assert_ptr_null(load_tests(TESTS, 0646));
    ck_assert(takes_target(TARGET) && takes_tests(TESTS));
}
END_TEST

START_TEST(invalid_targets_are_refused)
{
#define NULL_TARGET "'name': 'x', 'class': 'test', 'options': {'db-driver': 'null'}"
#define WITH(options)                                                                              \
    "'name': 'x', 'class': 'test', 'identity': 'a', 'options': {'db-driver': 'mysql', " options "}"
    static const char *const wrong[] = {
        NULL_TARGET ", 'more': 1",
        NULL_TARGET ", 'identity': 'a'",
        NULL_TARGET ", 'schema': 'a'",
        NULL_TARGET ", 'max_rate': 0",
        NULL_TARGET ", 'max_seconds': 100000",
        NULL_TARGET ", 'tests': ['a', 1]",
        NULL_TARGET ", 'guard_slo': 'p99'",
        NULL_TARGET ", 'webhook': 'https://a/'",
        NULL_TARGET ", 'webhook': 'http://a'",
        NULL_TARGET ", 'webhook': 'http://u:p@a/'",
        NULL_TARGET ", 'webhook': 'http://a:b/'",
        NULL_TARGET ", 'webhook': 'http://[::1/'",
        NULL_TARGET ", 'webhook': 'http://a/b c'",
        "'name': 'x', 'class': 'test'",
        "'name': 'x', 'class': 'other', 'options': {'db-driver': 'null'}",
        "'name': 'a b', 'class': 'test', 'options': {'db-driver': 'null'}",
        "'name': 'x', 'class': 'test', 'options': {'db-driver': 'mysql'}",
        "'name': 'x', 'class': 'production', 'options': {'db-driver': 'mysql'}, 'identity': 'a', "
        "'schema': 'b'",
        WITH("'inject': '1: sh: id'"),
        WITH("'json': 'x'"),
        WITH("'pgsql-host': 'a'"),
        WITH("'mysql-password': 'secret'"),
        WITH("'mysql_password': 'secret'"),
        WITH("'mysql-host': 'a,b'"),
        WITH("'mysql-port': 3306"),
        WITH("'mysql-password-file': 'relative'"),
        WITH("'mysql-password-file': '/nothing/there'"),
    };
    ck_assert(takes_target(NULL_TARGET));
    ck_assert(takes_target(WITH("'mysql-host': 'a'")));
    ck_assert(takes_target(NULL_TARGET ", 'webhook': 'http://[::1]:80/a?b'"));
    ck_assert(takes_target(NULL_TARGET ", 'webhook': 'http://hooks.example.org/'"));
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        ck_assert_msg(!takes_target(wrong[i]), "%s", wrong[i]);
}
END_TEST

START_TEST(invalid_tests_are_refused)
{
#define ONE(more) "{'tests': [{'name': 'a', 'script': 'oltp_read_only', " more "}]}"
    static const char *const wrong[] = {
        "{'tests': []}",
        "{'tests': [{'name': 'a'}]}",
        "{'tests': [{'name': 'a', 'script': '-'}]}",
        "{'tests': [{'name': 'a', 'script': 'here/x.lua'}]}",
        "{'tests': [{'name': 'a', 'script': 'cpu'}, {'name': 'a', 'script': 'cpu'}]}",
        ONE("'options': {'inject': '1: sh: id'}"),
        ONE("'options': {'config-file': '/x'}"),
        ONE("'options': {'mysql-host': 'x'}"),
        ONE("'options': {'db_driver': 'x'}"),
        ONE("'parameters': {'threads': {'type': 'integer', 'min': 1, 'max': 2}}"),
        ONE("'parameters': {'luajit_cmd': {'type': 'choice', 'choices': ['a']}}"),
        ONE("'parameters': {'size': {'type': 'text'}}"),
        ONE("'parameters': {'size': {'type': 'integer', 'min': 1}}"),
        ONE("'parameters': {'size': {'type': 'integer', 'min': 2, 'max': 1}}"),
        ONE("'parameters': {'size': {'type': 'integer', 'min': 1, 'max': 2, 'default': 3}}"),
        ONE("'parameters': {'kind': {'type': 'choice'}}"),
    };
    ck_assert(takes_tests(ONE("'read_only': true")));
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        ck_assert_msg(!takes_tests(wrong[i]), "%s", wrong[i]);
}
END_TEST

START_TEST(invalid_requests_are_refused)
{
#define ASK(more) "{'target': 'shop', 'test': 'point', 'rate': 10, 'seconds': 5, " more "}"
    check_answer(TARGET, "{}", "target: a name is needed");
    check_answer(TARGET, "{'target': 'no'}", "target: there is no target");
    check_answer(TARGET, "{'target': 'shop', 'test': 'no'}", "test: there is no test");
    check_answer(TARGET, ASK("'inject': '1: sh: id'"), "inject: a job has no such key");
    check_answer(TARGET, ASK("'options': {}"), "options: a job has no such key");
    check_answer(TARGET, ASK("'kind': 'help'"), "kind: run, capacity");
    check_answer(TARGET, ASK("'workers': 9"), "workers: a number from 1 to 8");
    check_answer(TARGET, ASK("'workers': 1.5"), "workers: a whole number");
    check_answer(TARGET, ASK("'kind': 'prepare', 'workers': 1.5"), "workers: a whole number");
    check_answer(TARGET, ASK("'kind': 'cleanup', 'workers': 1.5"), "workers: a whole number");
    check_answer(TARGET, ASK("'kind': 'capacity', 'slo': 'max<1s', 'workers': 1.5"),
                 "workers: a whole number");
    check_answer(TARGET, ASK("'workers': '2'"), "workers: a number");
    check_answer(TARGET,
                 ASK("'slo': 'p1<1s,p2<1s,p3<1s,p4<1s,p5<1s,p6<1s,p7<1s,p8<1s,p9<1s,p10<1s,p11<1s,"
                     "p12<1s,p13<1s,p14<1s,p15<1s,p16<1s'"),
                 "slo: at most 16 objectives");
    check_answer(LIVE ", 'guard_slo': 'throughput>5'",
                 "{'target': 'live', 'test': 'point', 'confirm': 'live', 'kind': 'capacity', "
                 "'slo': 'p99<20ms'}",
                 "an objective for throughput");
    check_answer(TARGET, ASK("'warmup': 56"), "at most 60 seconds");
    check_answer(TARGET, ASK("'slo': 'p99<20ms --inject=x'"), "slo: objectives are needed");
    check_answer(TARGET, ASK("'parameters': {'tables': 3}"), "no parameter tables");
    check_answer(TARGET, ASK("'parameters': {'table_size': 1001}"), "a whole number from 1 to");
    check_answer(TARGET, ASK("'parameters': {'table_size': 2.5}"), "a whole number from 1 to");
    check_answer(TARGET, ASK("'parameters': {'table_size': '9'}"), "a whole number from 1 to");
    check_answer(TARGET, ASK("'parameters': {'rand-type': 'x'}"), "uniform, zipfian");
    check_answer(TARGET, ASK("'parameters': {'skip_trx': 1}"), "true, false");
    check_answer(TARGET, "{'target': 'shop', 'test': 'point', 'rate': 501, 'seconds': 5}",
                 "rate: a number from 0.001 to 500");
    check_answer(TARGET, "{'target': 'shop', 'test': 'point', 'seconds': 5}", "rate: a number");
    check_answer(TARGET, ASK("'kind': 'capacity'"), "slo: objectives are needed");
    check_answer(TARGET, ASK("'kind': 'sweep'"), "vary: rate or workers");
    check_answer(TARGET, ASK("'kind': 'sweep', 'vary': 'rate', 'values': [1, 501]"), "up to 500");
    check_answer(TARGET, ASK("'kind': 'sweep', 'vary': 'workers', 'values': [1, 1]"), "twice");
    check_answer(TARGET, ASK("'kind': 'sweep', 'vary': 'workers', 'values': []"), "1 to 50");
}
END_TEST

START_TEST(rules_of_a_production_target)
{
#define LIVE_ASK(more) "{'target': 'live', 'rate': 1, 'seconds': 1, " more "}"
    check_answer(LIVE, LIVE_ASK("'test': 'point'"), "confirm: the name");
    check_answer(LIVE, LIVE_ASK("'test': 'point', 'confirm': 'Live'"), "confirm: the name");
    check_answer(LIVE, LIVE_ASK("'test': 'mixed', 'confirm': 'live'"), "only read-only tests");
    check_answer(LIVE, LIVE_ASK("'test': 'other', 'confirm': 'live'"), "not allowed");
    check_answer(LIVE, LIVE_ASK("'test': 'point', 'confirm': 'live', 'kind': 'prepare'"),
                 "no schema");
    check_answer(LIVE, LIVE_ASK("'test': 'point', 'confirm': 'live'"), " oltp_point_select ");
}
END_TEST

#define OPTIONS                                                                                    \
    " oltp_point_select --db-driver=mysql --mysql-user=bench --mysql-db=made --tables=2 "          \
    "--table_size=100"

START_TEST(command_lines)
{
    check_answer(TARGET, ASK("'workers': 4"),
                 OPTIONS " --threads=4 --tx-rate=10 --report-format=json --time=5 --warmup-time=0 "
                         "--report-interval=1 --forced-shutdown=10 --slo=p99<1s --slo-abort=5 "
                         "run");
    check_answer(TARGET, ASK("'workers': 4"), OPTIONS);
    check_answer(TARGET, ASK("'parameters': {'table_size': 5, 'skip_trx': true}"),
                 "--table_size=5 --skip_trx=on ");
    check_answer(TARGET, ASK("'kind': 'sweep', 'vary': 'workers', 'values': [1, 2, 4]"),
                 " sweep --out=kept/jobs/7 --vary=threads=1,2,4 --archive=kept --label=job=7 "
                 "--label=target=shop --" OPTIONS " --tx-rate=10 --time=5");
    check_answer(TARGET, ASK("'kind': 'capacity', 'slo': 'p99<20ms'"),
                 " capacity --out=kept/jobs/7 --archive=kept --label=job=7 --label=target=shop "
                 "--slo=p99<20ms --max-rate=10 --min-rate=5 --time-limit=5 --probe-time=0.5 "
                 "--" OPTIONS " --threads=1 --forced-shutdown=10");
    check_answer(TARGET, ASK("'kind': 'capacity', 'slo': 'p99<=2s,errors<1%'"),
                 " --slo=p99<1s --slo=errors<1% --max-rate=10 ");
    check_answer(TARGET, ASK("'slo': 'mean<1s,p99<1ms'"),
                 " --slo=mean<1s --slo=p99<1ms --slo-abort=5 run");
    check_answer(TARGET, "{'target': 'shop', 'test': 'mixed', 'kind': 'prepare', 'workers': 2}",
                 " oltp_read_write --db-driver=mysql --mysql-user=bench --mysql-db=made "
                 "--threads=2 prepare");
}
END_TEST

RUN_SUITE("job_plan", 60, files_that_other_users_can_access_are_refused,
          invalid_targets_are_refused, invalid_tests_are_refused, invalid_requests_are_refused,
          rules_of_a_production_target, command_lines)
