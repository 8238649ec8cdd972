/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets for the inputs of a service.
 *
 * `jobs` reads the configuration files of the owner and the request of a client for a job, given as
 * one object {"catalogue": …, "targets": …, "request": …}.
 * `service` reads the header of a request: each of the first lines is a value (see read_facts()),
 * the
 * others are NAME=VALUE pairs of the address. It also reads the input as a file of tokens, and
 * checks
 * it against the limits of JSON.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "fuzz.h"
#include "json_mutate.h"
#include "service/jobs/job_json.h"
#include "service/jobs/job_plan.h"
#include "service/serve/filter.h"
#include "service/serve/guard.h"
#include "service/serve/json_limits.h"

static void run_jobs(const uint8_t *data, size_t bytes);
static void run_service(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_jobs = {.name = "jobs", .run = run_jobs, .mutate = json_mutate};
const struct fuzz_target fuzz_service = {.name = "service", .run = run_service};

/* Creates a file that only its owner can read, as a service requires. */
static void own_file_init(struct fuzz_file *file, const void *data, size_t bytes)
{
    fuzz_file_init(file, data, bytes);
    FUZZ_CHECK(fchmod(file->fd, 0600) == 0);
}

static void part_init(struct fuzz_file *file, const json_t *root, const char *name)
{
    char *text = json_dumps(json_object_get(root, name), JSON_ENCODE_ANY);
    own_file_init(file, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
    free(text);
}

static void take_word(void *arg, const char *word)
{
    size_t *words = arg;
    FUZZ_CHECK(word[0] != '\0');
    ++*words;
}

static void try_request(const struct target_list *targets, const struct catalogue *catalogue,
                        const json_t *request)
{
    struct job_plan plan;
    size_t words = 0;
    char *wrong = job_plan_read(&plan, request, targets, catalogue);
    if (wrong == NULL) {
        FUZZ_CHECK(plan.values <= SWEEP_VALUES_MAX);
        FUZZ_CHECK(isfinite(job_plan_deadline(&plan)) && job_plan_deadline(&plan) > 0);
        job_plan_words(&plan, "kept", "kept/jobs/7", 7, take_word, &words);
        FUZZ_CHECK(words > 0);
    }
    free(wrong);
}

static void show(const struct target_list *targets, const struct catalogue *catalogue)
{
    for (size_t i = 0; i < targets->count; i++)
        json_decref(target_json(&targets->target[i]));
    for (size_t i = 0; i < catalogue->count; i++)
        json_decref(catalogue_test_json(&catalogue->test[i]));
}

static void run_jobs(const uint8_t *data, size_t bytes)
{
    struct fuzz_file tests, targets;
    json_t *root = json_loadb((const char *)data, bytes, 0, NULL);
    part_init(&tests, root, "catalogue");
    part_init(&targets, root, "targets");
    struct catalogue *catalogue = catalogue_load(tests.path);
    struct target_list *list = target_list_load(targets.path);
    if (catalogue != NULL && list != NULL) {
        show(list, catalogue);
        if (json_is_object(json_object_get(root, "request")))
            try_request(list, catalogue, json_object_get(root, "request"));
    }
    catalogue_destroy(catalogue);
    target_list_destroy(list);
    fuzz_file_fini(&tests);
    fuzz_file_fini(&targets);
    json_decref(root);
}

static const size_t fields[] = {
    offsetof(struct guard_facts, method),        offsetof(struct guard_facts, path),
    offsetof(struct guard_facts, host),          offsetof(struct guard_facts, origin),
    offsetof(struct guard_facts, authorization), offsetof(struct guard_facts, session),
    offsetof(struct guard_facts, type),          offsetof(struct guard_facts, length),
    offsetof(struct guard_facts, transfer),      offsetof(struct guard_facts, own)};

/* Reads the values of a request, one in each line. "-" stands for a value that is missing. */
static struct guard_facts read_facts(char **text)
{
    struct guard_facts facts = {0};
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const char *line = fuzz_line(text);
        if (line != NULL && strcmp(line, "-") != 0)
            *(const char **)((char *)&facts + fields[i]) = line;
    }
    facts.method = facts.method != NULL ? facts.method : "";
    facts.path = facts.path != NULL ? facts.path : "";
    return facts;
}

static void read_query(struct exchange *x, char *text)
{
    for (char *line; x->queries < EXCHANGE_QUERIES && (line = fuzz_line(&text)) != NULL;) {
        const char *name = strsep(&line, "=");
        x->query[x->queries++] = (struct exchange_pair){.name = xstrdup(name),
                                                        .value = xstrdup(line != NULL ? line : "")};
    }
}

static void try_exchange(struct service *service, char *text)
{
    struct exchange x;
    struct filter filter;
    int64_t id[8];
    exchange_init(&x, service);
    const struct guard_facts facts = read_facts(&text);
    const bool passed = guard_pass(&x, &facts);
    FUZZ_CHECK(passed == (x.error == NULL) && (!passed || x.route != NULL));
    FUZZ_CHECK(!passed || service->tokens == NULL || x.role >= x.route->role);
    read_query(&x, text);
    if (passed && filter_read(&filter, &x) == 0)
        FUZZ_CHECK(filter.archive.limit > 0 && filter.archive.skip >= 0);
    const size_t ids = filter_read_ids(&x, "runs", id, ARRAY_SIZE(id));
    FUZZ_CHECK(ids <= ARRAY_SIZE(id));
    exchange_fini(&x);
}

static void run_service(const uint8_t *data, size_t bytes)
{
    static char *const hosts[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    static const char known[] = "read ann 0123456789abcdefghij\nrun bob 9876543210abcdefghij\n";
    struct service service = {.host = hosts, .body_bytes_max = 1 << 20};
    struct fuzz_file file;
    own_file_init(&file, known, strlen(known));
    struct tokens *tokens = tokens_load(file.path);
    fuzz_file_fini(&file);
    FUZZ_CHECK(tokens != NULL);
    service.sessions = sessions_create(3600 * NS_PER_SEC);
    for (int guarded = 0; guarded < 2; guarded++) {
        char *text = fuzz_text(data, bytes);
        service.tokens = guarded ? tokens : NULL;
        try_exchange(&service, text);
        free(text);
    }
    sessions_destroy(service.sessions);
    tokens_destroy(tokens);
    own_file_init(&file, data, bytes);
    tokens_destroy(tokens_load(file.path));
    fuzz_file_fini(&file);
    json_limits_check((const char *)data, bytes);
}
