/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/report_tool.h"

#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "document/html.h"
#include "document/report_csv.h"
#include "tools/tools.h"

#define USAGE                                                                                      \
    "Usage:\n"                                                                                     \
    "  sysrate report --html=FILE A.json [B.json ...]\n"                                           \
    "  sysrate report --csv=FILE A.json\n\n"                                                       \
    "Makes a page, or a table of the intervals, from what runs have written with --json.\n"        \
    "Several runs are drawn over each other.\n\n"                                                  \
    "  --html=FILE   one page that needs no network\n"                                             \
    "  --csv=FILE    a row per interval\n"                                                         \
    "  --help        this text\n"

struct report_request {
    const char *html_path, *csv_path; /* NULL: not asked for */
    char **inputs;                    /* paths */
    size_t count;
    bool help;
};

static int take_path(const char **path, const char *option, const char *value)
{
    if (value[0] == '\0') {
        log_text(LOG_FATAL, "invalid value for %s: '' (allowed: the name of a file)", option);
        return -1;
    }
    *path = value;
    return 0;
}

static int take_option(struct report_request *request, const char *arg)
{
    const char *value;
    if ((value = tool_option(arg, "--html=")) != NULL)
        return take_path(&request->html_path, "--html", value);
    if ((value = tool_option(arg, "--csv=")) != NULL)
        return take_path(&request->csv_path, "--csv", value);
    if (strcmp(arg, "--help") == 0) {
        request->help = true;
        return 0;
    }
    log_text(LOG_FATAL, "report: invalid option: %s (allowed: --html=FILE, --csv=FILE, --help)",
             arg);
    return -1;
}

static int read_request(struct report_request *request, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            request->inputs[request->count++] = argv[i];
        else if (take_option(request, argv[i]) != 0)
            return -1;
    }
    if (request->help)
        return 0;
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
    struct report_request request = {.inputs = xcalloc((size_t)argc, sizeof(char *))};
    int status = read_request(&request, argc, argv);
    if (status == 0 && request.help)
        fputs(USAGE, stdout);
    else if (status == 0 && (status = check_outputs(&request)) == 0)
        status = make_reports(&request);
    free(request.inputs);
    return status == 0 ? 0 : 1;
}
