/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/quantity.h"
#include "options/tool_options.h"
#include "tools/compare/compare_by.h"
#include "tools/compare/compare_print.h"

static const char *check_condition(const char *value)
{
    struct compare_condition condition;
    if (compare_condition_parse(&condition, value) != 0)
        return "a figure, then >+PERCENT% or <-PERCENT%, such as p99>+10% or throughput<-5%";
    free(condition.figure);
    return NULL;
}

static const char *check_percent(const char *value)
{
    double percent;
    bool plain = quantity_read_plain(&value, &percent) && *value == '\0';
    return plain && percent <= 100 ? NULL : "a number of percent from 0 to 100";
}

/* Names with commas between them. */
static const char *check_names(const char *value)
{
    size_t length = strlen(value);
    bool good = length > 0 && value[0] != ',' && value[length - 1] != ',' &&
                strstr(value, ",,") == NULL && strpbrk(value, " =") == NULL;
    return good ? NULL : "the name of an option, or several with commas";
}

static const char *check_figure(const char *value)
{
    return value[0] != '\0' ? NULL : "a figure, such as throughput, mean or p99";
}

static const struct option_spec rows[] = {
    {"by", OPTION_STRING,
     .help = "rank the values of this option, such as db-ps-mode, among the reports of one folder",
     .check = check_names, .field = OPTION_NO_FIELD, .argument = "=OPTION"},
    {"figure", OPTION_STRING,
     .help = "with --by: figure of which the best is looked for; default: mean at an arrival rate, "
             "otherwise throughput",
     .check = check_figure, .field = OPTION_NO_FIELD, .argument = "=FIGURE"},
    {"fail-if", OPTION_STRING,
     .help = "fail if FIGURE>+PERCENT% or FIGURE<-PERCENT%; may be repeated",
     .check = check_condition, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=CONDITION"},
    {"min-change", OPTION_STRING, "2", "ignore differences that are smaller, in percent",
     .check = check_percent, .field = OPTION_NO_FIELD, .numeric = true, .argument = "=PERCENT"},
    {"max-noise", OPTION_STRING, COMPARE_MAX_NOISE,
     "a figure with more noise, in percent, is not called the same", .check = check_percent,
     .field = OPTION_NO_FIELD, .numeric = true, .argument = "=PERCENT"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate compare [options] A.json B.json\n"
    "  sysrate compare [options] FOLDER-A FOLDER-B\n"
    "  sysrate compare [options] --by=OPTION FOLDER\n\n"
    "Compares the files that two runs wrote with --json, and tests whether the runs differ by\n"
    "more than noise. A folder contains repeats of one run (*.json). The exit status is 0 if the\n"
    "two are the same, 5 if they differ, and 6 if that cannot be decided. With --fail-if they\n"
    "differ only if that figure of B is that much above or below A's, and by more than noise.\n"
    "With --by the settings in the folder of a sweep are compared with the best of them.\n\n",
    "compare options",
    rows,
    ARRAY_SIZE(rows),
};

static const enum exit_code exit_codes[] = {[COMPARE_SAME] = EXIT_WELL,
                                            [COMPARE_DIFFERENT] = EXIT_DIFFERENT,
                                            [COMPARE_UNKNOWN] = EXIT_UNKNOWN};

struct request {
    struct compare compare;
    struct compare_condition *condition;
    size_t conditions;
    const char *input[2];
};

static void add_conditions(struct request *request, char *const *text)
{
    for (; text != NULL && *text != NULL; text++) {
        size_t bytes = (request->conditions + 1) * sizeof(*request->condition);
        request->condition = xrealloc(request->condition, bytes);
        compare_condition_parse(&request->condition[request->conditions++], *text);
    }
}

static int read_request(struct request *request, const struct tool_call *call)
{
    request->compare.min_change = options_get(call->options, "min-change")->number;
    request->compare.max_noise = options_get(call->options, "max-noise")->number;
    add_conditions(request, options_get(call->options, "fail-if")->list);
    for (size_t i = 0; i < call->files && i < ARRAY_SIZE(request->input); i++)
        request->input[i] = call->file[i];
    if (call->files == ARRAY_SIZE(request->input))
        return 0;
    log_text(LOG_FATAL,
             "compare: needs two files that runs wrote with --json, or two folders of them, not "
             "%zu%s",
             call->files,
             call->files == 1 ? " (--by=OPTION compares the settings of one folder)" : "");
    return -1;
}

/* A figure that is missing must not be taken for one that is unchanged. */
static int check_conditions(const struct request *request)
{
    for (size_t i = 0; i < request->conditions; i++) {
        const struct compare_condition *condition = &request->condition[i];
        const char *path = compare_find_missing(&request->compare, condition->figure);
        if (path == NULL)
            continue;
        log_text(LOG_FATAL,
                 "--fail-if=%s: '%s' has no figure '%s'; use figures of the table, and percentiles "
                 "of --percentile",
                 condition->text, path, condition->figure);
        return -1;
    }
    return 0;
}

static int load(struct request *request)
{
    struct compare *c = &request->compare;
    if (compare_side_load(&c->a, request->input[0]) != 0 ||
        compare_side_load(&c->b, request->input[1]) != 0)
        return -1;
    compare_figures(c);
    return check_conditions(request);
}

/* Explains a condition that cannot be judged because of noise. */
static void explain_noise(const struct compare_condition *condition, const struct comparison *c,
                          const char *path, const char *remedy)
{
    printf("--fail-if=%s cannot be judged: ", condition->text);
    if (compare_is_known(c))
        printf("the noise of %s may hide a change beyond the limit. %s\n", condition->figure,
               remedy);
    else if (c->is_sparse)
        printf("too few independent requests of '%s' are beyond %s. %s\n", path, condition->figure,
               remedy);
    else
        printf("too few intervals of '%s' have %s. %s\n", path, condition->figure, remedy);
}

static void explain_unknown(const struct compare *c, const struct compare_condition *condition,
                            const struct comparison *comparison)
{
    bool of_a = compare_condition_hangs_on_a(condition, comparison);
    bool is_bound = of_a ? comparison->a_is_bound : comparison->b_is_bound;
    const char *path = of_a ? c->a.path : c->b.path;
    if (!compare_is_known(comparison) || !is_bound)
        explain_noise(condition, comparison, path, compare_remedy(c));
    else
        printf("--fail-if=%s cannot be judged: %s of '%s' is only a lower bound.\n",
               condition->text, condition->figure, path);
}

/* A condition that applies decides, regardless of the other conditions. */
static enum compare_result judge_conditions(const struct request *request)
{
    enum compare_result worst = COMPARE_SAME;
    for (size_t i = 0; i < request->conditions; i++) {
        const struct compare_condition *condition = &request->condition[i];
        const struct comparison *c = compare_find(&request->compare, condition->figure);
        enum compare_result result = compare_condition_judge(condition, c);
        compare_print_condition(stdout, condition, c, result);
        if (result == COMPARE_UNKNOWN)
            explain_unknown(&request->compare, condition, c);
        if (result == COMPARE_DIFFERENT || worst == COMPARE_SAME)
            worst = result;
    }
    return worst;
}

static void print_explanation(const struct compare *c)
{
    char *text = compare_explain(c);
    if (text != NULL)
        printf("%s\n", text);
    free(text);
}

static int judge(const struct request *request)
{
    const struct compare *c = &request->compare;
    compare_print(stdout, c);
    enum compare_result result =
        request->conditions > 0 ? judge_conditions(request) : compare_judge(c);
    if (request->conditions == 0)
        print_explanation(c);
    compare_print_verdict(stdout, c, result);
    return exit_codes[result];
}

static void request_fini(struct request *request)
{
    for (size_t i = 0; i < request->conditions; i++)
        free(request->condition[i].figure);
    free(request->condition);
    free(request->compare.comparison);
    compare_side_fini(&request->compare.a);
    compare_side_fini(&request->compare.b);
}

/* Functions for --by. */

/* Returns −1 after one logged line. */
static int check_by(const struct tool_call *call)
{
    if (options_get(call->options, "fail-if")->given)
        log_text(LOG_FATAL, "compare: --by and --fail-if cannot be combined");
    else if (call->files != 1)
        log_text(LOG_FATAL, "compare: --by needs one folder of reports, not %zu", call->files);
    else
        return 0;
    return -1;
}

static int compare_settings(const struct tool_call *call)
{
    struct compare_by by = {.options = options_string(call->options, "by"),
                            .figure = options_string(call->options, "figure"),
                            .min_change = options_get(call->options, "min-change")->number,
                            .max_noise = options_get(call->options, "max-noise")->number};
    int code = EXIT_FAILED;
    if (check_by(call) != 0)
        return EXIT_FAILED;
    if (compare_by_load(&by, call->file[0]) == 0 && compare_by_judge(&by) == 0) {
        compare_by_print(stdout, &by);
        code = exit_codes[compare_by_result(&by)];
    }
    compare_by_fini(&by);
    return code;
}

int compare_tool_main(int argc, char **argv)
{
    struct tool_call call;
    struct request request = {0};
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0 && options_string(call.options, "by") != NULL) {
        code = compare_settings(&call);
    } else if (code < 0 && options_string(call.options, "figure") != NULL) {
        log_text(LOG_FATAL, "compare: --figure needs --by");
        code = EXIT_FAILED;
    } else if (code < 0) {
        bool good = read_request(&request, &call) == 0 && load(&request) == 0;
        code = good ? judge(&request) : EXIT_FAILED;
    }
    request_fini(&request);
    tool_call_fini(&call);
    return code;
}
