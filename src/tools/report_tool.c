/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/report_tool.h"

#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "document/html.h"
#include "document/report_csv.h"
#include "options/exit_codes.h"
#include "tools/tool_options.h"

static const char *check_file(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a file";
}

static const struct option_spec rows[] = {
    {"html", OPTION_FILE, .help = "one page that needs no network", .check = check_file,
     .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"csv", OPTION_FILE, .help = "a row per interval", .check = check_file,
     .field = OPTION_NO_FIELD, .argument = "=FILE"},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate report --html=FILE A.json [B.json ...]\n"
    "  sysrate report --csv=FILE A.json\n\n"
    "Makes a page, or a table of the intervals, from what runs have written with --json.\n"
    "Several runs are drawn over each other.\n\n",
    "report options",
    rows,
    ARRAY_SIZE(rows),
};

struct report_request {
    const char *html_path, *csv_path; /* NULL: not asked for */
    const char **inputs;              /* paths */
    size_t count;
};

static int read_request(struct report_request *request, const struct tool_call *call)
{
    *request = (struct report_request){.html_path = options_string(call->options, "html"),
                                       .csv_path = options_string(call->options, "csv"),
                                       .inputs = call->file,
                                       .count = call->files};
    if (request->html_path == NULL && request->csv_path == NULL)
        log_text(LOG_FATAL, "report: nothing to write: --html=FILE or --csv=FILE is needed");
    else if (request->count == 0)
        log_text(LOG_FATAL, "report: nothing to read: name a file that a run wrote with --json");
    else if (request->csv_path != NULL && request->count > 1)
        log_text(LOG_FATAL, "report: --csv takes one run, not %zu", request->count);
    else
        return 0;
    return -1;
}

static int check_outputs(const struct report_request *request)
{
    const struct outfile_option options[] = {{"html", request->html_path},
                                             {"csv", request->csv_path}};
    return outfile_check_all(options, ARRAY_SIZE(options));
}

static int write_reports(const struct report_request *request, const struct html_run *runs)
{
    if (request->csv_path != NULL &&
        report_csv_write(request->csv_path, runs[0].name, runs[0].document) != 0)
        return -1;
    return request->html_path != NULL ? html_write(request->html_path, runs, request->count) : 0;
}

/* "a" of "/tmp/a.json": what a reader tells runs apart by. */
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

int report_tool_main(int argc, char **argv)
{
    struct tool_call call;
    struct report_request request;
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0) {
        bool good = read_request(&request, &call) == 0 && check_outputs(&request) == 0 &&
                    make_reports(&request) == 0;
        code = good ? EXIT_WELL : EXIT_FAILED;
    }
    tool_call_fini(&call);
    return code;
}
