/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/output.h"

#include "document/report_json.h"

void outputs_add(struct outputs *outputs, struct output output)
{
    outputs->output[outputs->count++] = output;
}

static int add(struct outputs *outputs, int status, struct output output)
{
    if (status == 0)
        outputs_add(outputs, output);
    return status;
}

static int add_file(struct outputs *outputs, int (*open)(struct output *, const char *),
                    const char *path)
{
    struct output output = {0};
    if (path == NULL)
        return 0;
    int status = open(&output, path);
    return add(outputs, status, output);
}

static int add_standard_output(struct outputs *outputs, enum report_format_kind kind)
{
    struct output output = {0};
    if (kind == REPORT_FORMAT_TEXT)
        return 0;
    int status =
        kind == REPORT_FORMAT_CSV ? output_csv_stdout(&output) : output_json_stdout(&output);
    return add(outputs, status, output);
}

static int add_metrics(struct outputs *outputs,
                       int (*open)(struct output *, const struct settings *), const char *where)
{
    struct output output = {0};
    if (where == NULL)
        return 0;
    int status = open(&output, outputs->settings);
    return add(outputs, status, output);
}

static void add_live(struct outputs *outputs)
{
    struct output output;
    if (outputs->settings->live && output_live_open(&output, outputs->settings))
        add(outputs, 0, output);
}

int outputs_init(struct outputs *outputs, const struct settings *settings)
{
    *outputs = (struct outputs){.settings = settings};
    add_live(outputs);
    if (add_standard_output(outputs, settings->report_format) != 0 ||
        add_file(outputs, output_csv_open, settings->csv_path) != 0 ||
        add_file(outputs, output_hlog_open, settings->hlog_path) != 0 ||
        add_file(outputs, output_hgrm_open, settings->hgrm_path) != 0 ||
        add_metrics(outputs, output_prom_file, settings->prom_file_path) != 0 ||
        add_metrics(outputs, output_prom_server, settings->prom_address) != 0)
        return -1;
    return 0;
}

void outputs_fini(struct outputs *outputs)
{
    for (unsigned i = 0; i < outputs->count; i++)
        outputs->output[i].ops->destroy(outputs->output[i].self);
    outputs->count = 0;
}

void outputs_interval(struct outputs *outputs, const struct interval *interval)
{
    if (outputs->count == 0)
        return;
    json_t *value = report_json_interval_value(outputs->settings, interval);
    for (unsigned i = 0; i < outputs->count; i++)
        if (outputs->output[i].ops->interval != NULL)
            outputs->output[i].ops->interval(outputs->output[i].self, interval, value);
    json_decref(value);
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
