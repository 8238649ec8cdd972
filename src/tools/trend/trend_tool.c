/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/labels.h"
#include "options/tool_options.h"
#include "tools/archive/archive_words.h"
#include "tools/trend/trend_print.h"

static const struct option_spec rows[] = {
    {"label", OPTION_STRING, .help = "only runs with this label; may be repeated",
     .check = label_check, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=NAME=VALUE"},
    {"test-name", OPTION_STRING, .help = "only runs of this test", .check = archive_check_name,
     .field = OPTION_NO_FIELD, .argument = "=NAME"},
    {"since", OPTION_STRING, .help = "only runs that started at this time (UTC) or later",
     .check = archive_check_time, .field = OPTION_NO_FIELD, .argument = "=TIME"},
    {"until", OPTION_STRING, .help = "only runs that started before this time (UTC)",
     .check = archive_check_time, .field = OPTION_NO_FIELD, .argument = "=TIME"},
    {"within", OPTION_INT, "30",
     "exit status 5 if there is a step to the worse among this many last runs", 1,
     INT32_MAX, .field = OPTION_NO_FIELD, .argument = "=RUNS"},
    {"format", OPTION_STRING, "text", "output format",
     .choices = OPTION_CHOICES({"text", NULL}, {"json", NULL}),
     .field = OPTION_NO_FIELD, .argument = "=FORMAT"},
    {"html", OPTION_FILE, .help = "write a page with charts to this file",
     .check = archive_check_name, .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate trend [options] DIR\n\n"
    "Shows how throughput, p50, p95 and p99 of the runs in an archive changed over time: steps,\n"
    "with their size and the runs before and after them, and whether the newest run is as\n"
    "expected. The exit status is 5 if the series of the newest run has become worse recently, or\n"
    "if it is too short for steps and its newest runs are suspect; 6 if it has fewer than 4 valid\n"
    "runs; otherwise 0.\n\n",
    "trend options",
    rows,
    ARRAY_SIZE(rows),
};

static int write_page(const char *path, const struct trend *trend)
{
    struct outfile file;
    if (path == NULL)
        return 0;
    if (outfile_open(&file, path) != 0)
        return -1;
    trend_print_page(file.stream, trend);
    return outfile_commit(&file);
}

static int judge_code(const struct trend *trend, size_t within)
{
    const struct trend_series *newest = trend_newest_series(trend);
    if (newest == NULL || trend_is_unknown(newest))
        return EXIT_UNKNOWN;
    if (!trend_is_short(newest))
        return trend_became_worse(newest, within) ? EXIT_DIFFERENT : EXIT_WELL;
    if (trend_newest_is(newest, TREND_SUSPECT))
        return EXIT_DIFFERENT;
    return trend_newest_is(newest, TREND_WIDE) ? EXIT_UNKNOWN : EXIT_WELL;
}

static int show(const struct tool_call *call, const struct trend *trend)
{
    if (options_choice(call->options, "format") == 1)
        trend_print_json(stdout, trend);
    else
        trend_print_text(stdout, trend);
    log_flush_stdout();
    if (write_page(options_string(call->options, "html"), trend) != 0 || log_stdout_error() != 0)
        return EXIT_FAILED;
    return judge_code(trend, (size_t)options_int(call->options, "within"));
}

static int load_and_show(const struct tool_call *call, const struct archive_filter *filter)
{
    struct trend trend = {0};
    struct archive *archive = archive_open(call->file[0], false);
    int code = EXIT_FAILED;
    if (archive != NULL && trend_load(&trend, archive, filter) == 0) {
        /* With only a part of the runs, saved results are neither used nor written. */
        bool whole = filter->since == NULL && filter->until == NULL && filter->labels == 0;
        trend_judge(&trend, whole ? archive : NULL);
        code = show(call, &trend);
    }
    archive_close(archive);
    trend_fini(&trend);
    return code;
}

static int call_tool(const struct tool_call *call)
{
    const struct options *options = call->options;
    struct archive_filter filter = {.test = options_string(options, "test-name"),
                                    .since = options_string(options, "since"),
                                    .until = options_string(options, "until")};
    if (call->files != 1) {
        log_text(LOG_FATAL, "trend: needs the folder of an archive, not %zu arguments",
                 call->files);
        return EXIT_FAILED;
    }
    archive_protect(call->file[0]);
    if (options_string(options, "html") != NULL && outfile_check(options_string(options, "html")))
        return EXIT_FAILED;
    struct archive_label *label =
        archive_read_labels(options_get(options, "label")->list, &filter.labels);
    filter.label = label;
    int code = load_and_show(call, &filter);
    archive_free_labels(label, filter.labels);
    return code;
}

int trend_tool_main(int argc, char **argv)
{
    struct tool_call call;
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0)
        code = call_tool(&call);
    tool_call_fini(&call);
    return code;
}
