/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/quantity.h"
#include "options/tool_options.h"
#include "report/page/html.h"
#include "report/text/report_csv.h"
#include "tools/report_again.h"
#include "tools/report_export.h"
#include "tools/report_paths.h"

static const char *check_file(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a file";
}

static const char *check_price(const char *value)
{
    double price;
    bool plain = quantity_read_plain(&value, &price) && *value == '\0';
    return plain && price > 0 ? NULL : "a number above 0";
}

static const struct option_spec rows[] = {
    {"html", OPTION_FILE, .help = "write one page that needs no network", .check = check_file,
     .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"csv", OPTION_FILE, .help = "write a CSV file with a row per interval", .check = check_file,
     .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"format", OPTION_STRING, "text",
     "print the text report, or the format of another program",
     .choices = REPORT_FORMAT_CHOICES, .field = OPTION_NO_FIELD, .argument = "=FORMAT"},
    {"price-per-hour", OPTION_STRING,
     .help = "price of an hour of all machines that the run needs: also print the cost of a "
             "million requests",
     .check = check_price, .field = OPTION_NO_FIELD, .numeric = true, .argument = "=PRICE"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate report A.json\n"
    "  sysrate report --html=FILE A.json [B.json ...]\n"
    "  sysrate report --csv=FILE A.json\n"
    "  sysrate report --format=FORMAT A.json [B.json ...]\n\n"
    "Prints the text report of a run from the file that the run wrote with --json, or makes a\n"
    "page or a table of the intervals. A folder stands for the *.json files in it. A page shows\n"
    "several runs in the same charts.\n\n",
    "report options",
    rows,
    ARRAY_SIZE(rows),
};

struct report_request {
    const char *html_path, *csv_path; /* NULL if not requested */
    enum report_format_name format;
    double price;        /* price of an hour; 0 if not requested */
    char *const *inputs; /* paths of reports */
    size_t count;
};

static int read_request(struct report_request *request, const struct tool_call *call,
                        const struct report_paths *paths)
{
    *request = (struct report_request){.html_path = options_string(call->options, "html"),
                                       .csv_path = options_string(call->options, "csv"),
                                       .format = options_choice(call->options, "format"),
                                       .inputs = paths->path,
                                       .count = paths->count};
    if (options_get(call->options, "price-per-hour")->given)
        request->price = options_get(call->options, "price-per-hour")->number;
    if (request->count == 0)
        log_text(LOG_FATAL, "report: nothing to read: give the file that a run wrote with --json");
    else if (request->csv_path != NULL && request->count > 1)
        log_text(LOG_FATAL, "report: --csv takes one run, not %zu", request->count);
    else
        return 0;
    return -1;
}

/* Warns of options that have no effect: with --html or --csv only a page or a file is written. */
static void warn_of_idle_options(const struct report_request *request)
{
    const bool files = request->html_path != NULL || request->csv_path != NULL;
    if (files && request->format != EXPORT_NONE)
        log_text(LOG_WARNING, "--format has no effect with --html or --csv");
    if (request->price > 0 && (files || request->format != EXPORT_NONE))
        log_text(LOG_WARNING, "--price-per-hour has no effect %s",
                 files ? "with --html or --csv" : "with --format");
}

static int check_outputs(const struct report_request *request)
{
    const struct outfile_option options[] = {{"html", request->html_path},
                                             {"csv", request->csv_path}};
    for (size_t i = 0; i < request->count; i++)
        outfile_protect(request->inputs[i], "a report that is read");
    return outfile_check_all(options, ARRAY_SIZE(options));
}

static int print_text(const struct report_named *run, double price)
{
    int status = report_again(stdout, run->document, run->name);
    return status == 0 && price > 0 ? report_print_cost(stdout, run, price) : status;
}

static int print_runs(const struct report_request *request, const struct html_run *runs)
{
    struct report_named *named = xcalloc(request->count, sizeof(*named));
    int status = 0;
    for (size_t i = 0; i < request->count; i++)
        named[i] = (struct report_named){runs[i].name, runs[i].document};
    if (request->format != EXPORT_NONE)
        status = report_export(stdout, request->format, named, request->count);
    for (size_t i = 0; i < request->count && status == 0 && request->format == EXPORT_NONE; i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        status = print_text(&named[i], request->price);
    }
    free(named);
    log_flush_stdout();
    return log_stdout_error() == 0 ? status : -1;
}

static int write_reports(const struct report_request *request, const struct html_run *runs)
{
    if (request->html_path == NULL && request->csv_path == NULL)
        return print_runs(request, runs);
    if (request->csv_path != NULL &&
        report_csv_write(request->csv_path, runs[0].name, runs[0].document) != 0)
        return -1;
    return request->html_path != NULL ? html_write(request->html_path, runs, request->count) : 0;
}

/* Returns "a" for "/tmp/a.json": the name of the run in the page. */
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = xstrdup(slash != NULL ? slash + 1 : path);
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0)
        name[length - 5] = '\0';
    return name;
}

static int make_reports(const struct report_request *request)
{
    struct report_document *documents = xcalloc(request->count, sizeof(*documents));
    struct html_run *runs = xcalloc(request->count, sizeof(*runs));
    int status = 0;
    for (size_t i = 0; i < request->count && status == 0; i++) {
        status = report_document_load(&documents[i], request->inputs[i]);
        runs[i] = (struct html_run){short_name(request->inputs[i]), &documents[i]};
    }
    if (status == 0)
        status = write_reports(request, runs);
    for (size_t i = 0; i < request->count; i++) {
        free((char *)runs[i].name);
        report_document_fini(&documents[i]);
    }
    free(runs);
    free(documents);
    return status;
}

/* Finds the reports in the files and folders of the command line. */
static int find_reports(struct report_paths *paths, const struct tool_call *call)
{
    for (size_t i = 0; i < call->files; i++) {
        const size_t before = paths->count;
        if (report_paths_add(paths, call->file[i]) != 0)
            return -1;
        if (paths->count == before) {
            log_text(LOG_FATAL, "report: the folder '%s' has no report (*.json)", call->file[i]);
            return -1;
        }
    }
    return 0;
}

int report_tool_main(int argc, char **argv)
{
    struct tool_call call;
    struct report_request request;
    struct report_paths paths = {0};
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0) {
        bool good = find_reports(&paths, &call) == 0 &&
                    read_request(&request, &call, &paths) == 0 && check_outputs(&request) == 0;
        if (good)
            warn_of_idle_options(&request);
        good = good && make_reports(&request) == 0;
        code = good ? EXIT_WELL : EXIT_FAILED;
    }
    report_paths_fini(&paths);
    tool_call_fini(&call);
    return code;
}
