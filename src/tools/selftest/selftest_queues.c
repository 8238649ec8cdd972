/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests M/M/1, M/M/4 and M/D/1: each is a run of one process. */
#include "base/util.h"
#include "tools/selftest/selftest_internal.h"

const char queue_script[] = "local con\n"
                            "function thread_init() con = sysbench.sql.driver():connect() end\n"
                            "function event() con:query('COMMIT') end\n";

struct queue_test {
    const char *name;
    const char *service;
    double seconds;
    struct queue_model model;
};

static const struct queue_test tests[] = {
    {"M/M/1 at 0.70", "1ms:exp", 10, {700, 1e-3, 1, false}},
    {"M/M/4 at 0.50", "2ms:exp", 8, {1000, 2e-3, 4, false}},
    {"M/M/4 at 0.80", "2ms:exp", 12, {1600, 2e-3, 4, false}},
    {"M/D/1 at 0.70", "1ms:fixed", 8, {700, 1e-3, 1, true}},
};

static void run_queue(struct selftest *t, const struct queue_test *test)
{
    struct trial trial = {.test = t,
                          .rate = test->model.rate,
                          .seconds = test->seconds * t->scale,
                          .threads = test->model.servers,
                          .service = test->service,
                          .script = queue_script};
    struct evidence e = {0};
    t->name = test->name;
    if (trial_start(&trial) != 0) {
        selftest_check(t, "the run can be started", 1, 0, 0, 0);
    } else if (trial_finish(&trial, &e) == 0) {
        check_evidence(&trial, &e);
        check_queue(&trial, &test->model, &e);
    }
    evidence_fini(&e);
    trial_fini(&trial);
}

void selftest_queues(struct selftest *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        run_queue(t, &tests[i]);
}
