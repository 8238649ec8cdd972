/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the blocks one after the other, each as a child process, and shows the progress. */
#include "tools/ab/ab.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/percentiles.h"
#include "tools/before_commands.h"

/* Interval at which signals are checked. */
#define SLICE_NS (100 * NS_PER_MS)

/* Making children. */

static bool is_given(const struct ab *ab, const char *name)
{
    const struct cmdline *cmd = &ab->subject.cmdline;
    bool given = false;
    for (unsigned i = 0; i < cmd->count; i++)
        given = given || option_name_is(cmd->assignments[i].name, name);
    return given;
}

static void add_percentile(int64_t *list, int *count, int64_t percentile)
{
    int i = 0;
    while (i < *count && list[i] != percentile)
        i++;
    if (i == *count && percentile > 0 && *count < MAX_PERCENTILES)
        list[(*count)++] = percentile;
}

/* Adds the usual percentiles, and those that were asked. */
static void add_percentiles(const struct ab *ab, struct child *child)
{
    int64_t list[MAX_PERCENTILES];
    int count = percentiles_parse("50,95,99", list, MAX_PERCENTILES);
    char text[MAX_PERCENTILES * 16] = "", name[16];
    for (size_t i = 0; i < ab->goals; i++)
        if (ab->goal[i].figure != NULL)
            add_percentile(list, &count, percentile_of_label(ab->goal[i].figure));
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? "," : "",
                 percentile_name(list[i], name, sizeof(name)));
    child_arg(child, "--percentile=%s", text);
}

/* Returns true if work per request was asked, such as server.log_bytes. */
static bool asks_work(const struct ab *ab)
{
    bool asks = false;
    for (size_t i = 0; i < ab->goals; i++)
        asks = asks || (ab->goal[i].figure != NULL && strchr(ab->goal[i].figure, '.') != NULL &&
                        percentile_of_label(ab->goal[i].figure) <= 0);
    return asks;
}

struct child *ab_child(const struct ab *ab, int k, const char *command)
{
    const struct ab_variant *variant = &ab->variant[k];
    struct child *child = subject_child_of(&ab->subject, command, variant->program);
    if (child == NULL)
        return NULL;
    if (!is_given(ab, "percentile"))
        add_percentiles(ab, child);
    if (!is_given(ab, "report-interval"))
        child_arg(child, "--report-interval=1");
    if (!is_given(ab, "server-stats") && asks_work(ab))
        child_arg(child, "--server-stats");
    for (size_t i = 0; i < variant->options; i++)
        child_arg(child, "%s", variant->option[i]);
    ab_add_server_args(variant, child);
    return child;
}

/* Waits for the end of a child, and passes a signal of the user to it. */
static void wait_for(struct child *child)
{
    bool told = false;
    while (!child_wait(child, clock_now_ns() + SLICE_NS))
        if (interrupt_signal() != 0 && !told) {
            child_signal(child, interrupt_signal());
            told = true;
        }
}

/* Blocks. */

static const char *block_label(const struct ab_series *series, int k, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s %zu, %c", series->control ? "control" : "pair", series->pairs,
             "AB"[k]);
    return text;
}

static void print_block(const struct ab_block *block, const char *label)
{
    static const char *const shown[] = {"throughput", "mean", "p95", "p99"};
    const char *before = " ";
    fprintf(stderr, "%s:%s", label, block->run.figures == 0 ? " no request completed" : "");
    for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
        const struct compare_figure *figure = compare_run_figure(&block->run, shown[i]);
        if (figure == NULL)
            continue;
        fprintf(stderr, "%s%s %s%.2f %s", before, figure->name, figure->lower_bound ? ">" : "",
                figure->value, figure->unit);
        before = ", ";
    }
    if (block->run.finding != NULL && strcmp(block->run.finding, "VALID") != 0)
        fprintf(stderr, ", %s", block->run.finding);
    fputc('\n', stderr);
}

static int read_block(struct ab *ab, struct ab_block *block, const struct child *child,
                      const char *label)
{
    char *report = child_text(child, CHILD_REPORT);
    int status = 0;
    if (report[0] != '\0' && interrupt_signal() == 0)
        status = ab_keep_report(ab, block, report, child_exit_code(child));
    free(report);
    subject_pass_warnings(&ab->subject, child, label);
    if (status == 0 && !block->measured && interrupt_signal() == 0) {
        char *failure = subject_failure("run", child);
        log_text(LOG_FATAL, "%s: %s", label, failure);
        free(failure);
        status = -1;
    }
    return status;
}

/* Runs the block of variant `k` of the newest pair. */
static int run_block(struct ab *ab, struct ab_series *series, int k)
{
    struct ab_pair *pair = &series->pair[series->pairs - 1];
    const int variant = series->control ? AB_A : k;
    char label[64];
    block_label(series, k, label, sizeof(label));
    if (ab_set_server(ab, variant) != 0 ||
        before_commands_run(&ab->variant[variant].before, label) != 0)
        return -1;
    struct child *child = interrupt_signal() == 0 ? ab_child(ab, variant, "run") : NULL;
    if (child == NULL)
        return -1;
    child_arg(child, "--rand-seed=%lld", (long long)pair->seed);
    int status = child_start(child);
    if (status == 0) {
        wait_for(child);
        status = read_block(ab, &pair->block[k], child, label);
    }
    child_destroy(child);
    if (status == 0 && pair->block[k].measured)
        print_block(&pair->block[k], label);
    return status;
}

/* Pairs. */

static bool is_complete(const struct ab_pair *pair)
{
    return pair->block[AB_A].measured && pair->block[AB_B].measured;
}

static void drop_pair(struct ab_series *series)
{
    struct ab_pair *pair = &series->pair[--series->pairs];
    for (int k = 0; k < AB_VARIANTS; k++) {
        if (pair->block[k].measured)
            compare_run_fini(&pair->block[k].run);
        free(pair->block[k].path);
    }
}

/* Loads or runs the next pair. Returns −1 if it is not complete, and removes it from the series. */
static int take_pair(struct ab *ab, struct ab_series *series)
{
    ab_add_pair(ab, series);
    int status = ab_load_pair(ab, series);
    struct ab_pair *pair = &series->pair[series->pairs - 1];
    for (int turn = 0; turn < AB_VARIANTS && status == 0; turn++) {
        const int k = turn ^ pair->b_first;
        if (!pair->block[k].measured && interrupt_signal() == 0)
            status = run_block(ab, series, k);
    }
    if (status == 0 && is_complete(pair))
        return 0;
    drop_pair(series);
    return -1;
}

/* Progress. */

static void print_look(const struct ab_series *series)
{
    const char *before = " ";
    fprintf(stderr, "after %zu pairs:", series->pairs);
    for (size_t i = 0; i < series->figures; i++) {
        if (!(series->figure[i].precision > 0))
            continue;
        const struct ab_effect e = ab_effect_of(series, &series->figure[i]);
        char text[64];
        fprintf(stderr, "%s%s %+.2f %% (%s)", before, series->figure[i].name, e.change,
                ab_interval_text(&e, text, sizeof(text)));
        before = ", ";
    }
    fputc('\n', stderr);
}

/* A figure that is missing must not be taken for one that is unchanged. */
static int check_goals(const struct ab *ab, const struct ab_series *series)
{
    for (size_t i = 0; i < ab->goals && series->figures > 0; i++) {
        bool found = ab->goal[i].figure == NULL;
        for (size_t k = 0; k < series->figures; k++)
            found = found || strcmp(series->figure[k].name, ab->goal[i].figure) == 0;
        if (found)
            continue;
        log_text(LOG_FATAL,
                 "--until: a block has no figure '%s', or it is 0; use throughput, mean, wait, "
                 "service, percentiles of --percentile, and work per request, such as "
                 "server.log_bytes",
                 ab->goal[i].figure);
        return -1;
    }
    return 0;
}

/* Looks after every second pair, when A and B have been first equally often. Returns true if the
 * series is complete. */
static bool is_complete_series(const struct ab *ab, struct ab_series *series)
{
    if (series->pairs == 0 || series->pairs % 2 == 1)
        return series->pairs >= ab->max_pairs;
    ab_judge_series(ab, series);
    if (series->figures > 0)
        print_look(series);
    return series->result != AB_UNDECIDED || ab_is_hopeless(series) ||
           series->pairs >= ab->max_pairs;
}

int ab_run(struct ab *ab, struct ab_series *series)
{
    int status = 0;
    while (status == 0 && interrupt_signal() == 0 && !is_complete_series(ab, series)) {
        status = take_pair(ab, series);
        if (status == 0 && series->pairs % 2 == 0) {
            ab_judge_series(ab, series);
            status = check_goals(ab, series);
        }
    }
    ab_judge_series(ab, series);
    return interrupt_signal() != 0 ? 0 : status;
}
