/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/outputs.h"

#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "report/live/output_kinds.h"
#include "report/live/prom_server.h"
#include "report/page/html.h"

/* The outputs are opened and called in this order. The live view must be the first, because it
 * starts a process, and the web server of the metrics starts a thread. */
static int (*const kinds[])(struct output *output, const struct settings *settings) = {
    output_live, output_progress, output_csv_stdout, output_json_stdout, output_csv_file,
    output_hlog, output_hgrm,     output_prom_file,  output_prom_server,
};

void outputs_add(struct outputs *outputs, struct output output)
{
    outputs->output[outputs->count++] = output;
}

int outputs_make_room(struct settings *settings)
{
    if (settings->json_path == NULL || strcmp(settings->json_path, "-") != 0)
        return 0;
    if (settings->report_format != REPORT_FORMAT_TEXT) {
        log_text(LOG_FATAL, "--json=- cannot be used with --report-format: both are for standard "
                            "output");
        return -1;
    }
    settings->json_path = outfile_take_stdout();
    return settings->json_path != NULL ? 0 : -1;
}

int outputs_init(struct outputs *outputs, const struct settings *settings)
{
    *outputs = (struct outputs){0};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct output output = {0};
        if (kinds[i](&output, settings) != 0)
            return -1;
        if (output.ops != NULL)
            outputs_add(outputs, output);
    }
    return 0;
}

void outputs_fini(struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        outputs->output[i].ops->destroy(outputs->output[i].self);
    outputs->count = 0;
}

bool outputs_take_json(const struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->takes_json)
            return true;
    return false;
}

void outputs_interval(struct outputs *outputs, const struct interval *interval, const json_t *value)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->interval != NULL)
            outputs->output[i].ops->interval(outputs->output[i].self, interval, value);
}

void outputs_checkpoint(struct outputs *outputs, const struct summary *part, int64_t at_ns)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->checkpoint != NULL)
            outputs->output[i].ops->checkpoint(outputs->output[i].self, part, at_ns);
}

void outputs_collect(struct outputs *outputs, const struct snapshot *recorded)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->collect != NULL)
            outputs->output[i].ops->collect(outputs->output[i].self, recorded);
}

void outputs_update(struct outputs *outputs, struct gauges gauges)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->update != NULL)
            outputs->output[i].ops->update(outputs->output[i].self, gauges);
}

bool outputs_want_looks(const struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->look != NULL)
            return true;
    return false;
}

void outputs_look(struct outputs *outputs, struct gauges gauges, int64_t at_ns)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->look != NULL)
            outputs->output[i].ops->look(outputs->output[i].self, gauges, at_ns);
}

int outputs_finish(struct outputs *outputs, const struct snapshot *total)
{
    int status = 0;
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->finish != NULL &&
            outputs->output[i].ops->finish(outputs->output[i].self, total) != 0)
            status = -1;
    return status;
}

bool outputs_want_updates(const struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->update != NULL)
            return true;
    return false;
}

struct outputs_named {
    const struct outfile_option *option;
    size_t count;
};

/* Options of this type that name no output name a file that is read, such as a trace. */
static void protect_input(void *arg, const struct option_spec *row,
                          const struct option_value *value)
{
    const struct outputs_named *outputs = arg;
    char what[64];
    if (row->type != OPTION_FILE || value->text == NULL)
        return;
    for (size_t i = 0; i < outputs->count; i++)
        if (option_name_is(outputs->option[i].name, row->name))
            return;
    snprintf(what, sizeof(what), "the file of --%s", row->name);
    outfile_protect(value->text, what);
}

int outputs_check(const struct settings *settings, const struct options *set)
{
    const struct outfile_option options[] = {
        {"json", settings->json_path},
        {"html", settings->html_path},
        {"csv", settings->csv_path},
        {"hlog", settings->hlog_path},
        {"hgrm", settings->hgrm_path},
        {"prom-file", settings->prom_file_path},
        {"request-log", settings->request_log_path},
    };
    struct outputs_named named = {options, ARRAY_SIZE(options)};
    options_each(set, protect_input, &named);
    if (outfile_check_all(options, ARRAY_SIZE(options)) != 0)
        return -1;
    if (settings->prom_address != NULL && prom_server_check() != 0)
        return -1;
    return settings->html_path != NULL ? html_check() : 0;
}
