/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets for options whose values have a syntax of their own: --slo, --inject, --percentile,
 * --retry. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fuzz.h"
#include "options/inject_plan.h"
#include "options/percentiles.h"
#include "options/policies/client_policy.h"
#include "options/slo.h"
#include "result/slo_judge.h"
#include "stats/snapshot.h"

static void run_slo(const uint8_t *data, size_t bytes);
static void run_inject(const uint8_t *data, size_t bytes);
static void run_percentile(const uint8_t *data, size_t bytes);
static void run_retry(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_slo = {.name = "slo", .run = run_slo};
const struct fuzz_target fuzz_inject = {.name = "inject", .run = run_inject};
const struct fuzz_target fuzz_percentile = {.name = "percentile", .run = run_percentile};
const struct fuzz_target fuzz_retry = {.name = "retry", .run = run_retry};

static void judge(const struct slo *slo)
{
    struct slo_judgement judgement;
    struct snapshot s;
    snapshot_init(&s);
    for (int64_t ns = 1; ns < INT64_C(1) << 40; ns *= 7)
        distribution_record(&s.metric[METRIC_RESPONSE], ns);
    slo_judge(&judgement, slo, &s, INT64_C(1000000000));
    for (unsigned i = 0; i < slo->count; i++)
        slo_figure_text(&slo->objective[i], &judgement.figure[i]);
    slo_is_lost(slo, &s, 100);
    snapshot_fini(&s);
}

/* Checks that objectives that are printed and read again are the same. */
static void check_text(const struct slo *slo)
{
    struct slo again;
    char *text = slo_text(slo, 1);
    FUZZ_CHECK(slo_check(text) == NULL);
    slo_parse(&again, text);
    FUZZ_CHECK(again.count == slo->count);
    for (unsigned i = 0; i < slo->count; i++) {
        FUZZ_CHECK(again.objective[i].kind == slo->objective[i].kind);
        FUZZ_CHECK(again.objective[i].percentile == slo->objective[i].percentile);
        FUZZ_CHECK(again.objective[i].or_equal == slo->objective[i].or_equal);
        FUZZ_CHECK(strcmp(again.objective[i].type, slo->objective[i].type) == 0);
    }
    free(text);
}

static void run_slo(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes);
    struct slo slo;
    if (slo_check(text) == NULL) {
        slo_parse(&slo, text);
        FUZZ_CHECK(slo.count > 0 && slo.count <= SLO_MAX);
        FUZZ_CHECK(slo_shortest_ms(&slo) > 0);
        check_text(&slo);
        judge(&slo);
    }
    free(text);
}

/* Each line of an input is an injection. */
static void run_inject(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), *rest = text, *line;
    char **lines = xcalloc(bytes + 2, sizeof(*lines));
    struct inject_plan plan;
    unsigned count = 0;
    while ((line = fuzz_line(&rest)) != NULL)
        if (inject_plan_check(line) == NULL)
            lines[count++] = line;
    inject_plan_load(&plan, lines);
    FUZZ_CHECK(plan.count == count);
    for (unsigned i = 0; i < plan.count; i++) {
        const struct inject_action *action = &plan.actions[i];
        FUZZ_CHECK(action->at_ns >= (i > 0 ? plan.actions[i - 1].at_ns : 0));
        FUZZ_CHECK((action->argv == NULL) == (action->kind == INJECT_SESSION));
        FUZZ_CHECK(action->argv == NULL || action->argv[0][0] != '\0');
        FUZZ_CHECK(strpbrk(action->shown, "\n\033") == NULL);
    }
    inject_plan_fini(&plan);
    free(lines);
    free(text);
}

static void run_percentile(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes);
    int64_t percentile[MAX_PERCENTILES], again;
    int count = percentiles_parse(text, percentile, MAX_PERCENTILES);
    FUZZ_CHECK((percentiles_check(text) == NULL) == (count >= 0));
    for (int i = 0; i < count; i++) {
        char name[32];
        FUZZ_CHECK(percentile[i] > 0 && percentile[i] <= 100 * PERCENT);
        FUZZ_CHECK(
            percentiles_parse(percentile_name(percentile[i], name, sizeof(name)), &again, 1) == 1);
        FUZZ_CHECK(again == percentile[i]);
    }
    free(text);
}

static void run_retry(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes);
    struct client_policy policy;
    client_policy_restore(&policy, 0, text);
    const struct retry_policy *retry = &policy.retry;
    FUZZ_CHECK((client_retry_check(text) == NULL) == policy.on);
    if (policy.on) {
        FUZZ_CHECK(retry->attempts >= 2 && retry->attempts <= 100);
        FUZZ_CHECK(retry->pause_ns >= 0 && retry->pause_ns <= INT64_C(3600000000000));
        FUZZ_CHECK(retry->budget <= 1);
    }
    client_retry_on_check(text);
    client_timeout_check(text);
    free(text);
}
