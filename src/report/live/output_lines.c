/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs with one line per interval. */
#include "report/live/output_kinds.h"

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/text/report_csv.h"

static void csv_interval(void *self, const struct interval *interval, const json_t *value);
static int csv_finish(void *self, const struct snapshot *total);
static void csv_destroy(void *self);
static void json_interval(void *self, const struct interval *interval, const json_t *value);
static void json_destroy(void *self);

static const struct output_ops csv_ops = {.interval = csv_interval,
                                          .takes_json = true,
                                          .finish = csv_finish,
                                          .destroy = csv_destroy};
static const struct output_ops json_ops = {
    .interval = json_interval, .takes_json = true, .destroy = json_destroy};

/* CSV. */

struct csv_output {
    struct outfile file; /* its stream is NULL for standard output, and after csv_finish() */
    struct report_csv csv;
};

int output_csv_file(struct output *output, const struct settings *settings)
{
    if (settings->csv_path == NULL)
        return 0;
    struct csv_output *self = xcalloc(1, sizeof(*self));
    if (outfile_open(&self->file, settings->csv_path) != 0) {
        free(self);
        return -1;
    }
    report_csv_init(&self->csv, self->file.stream);
    *output = (struct output){&csv_ops, self};
    return 0;
}

int output_csv_stdout(struct output *output, const struct settings *settings)
{
    if (settings->report_format != REPORT_FORMAT_CSV)
        return 0;
    struct csv_output *self = xcalloc(1, sizeof(*self));
    report_csv_init(&self->csv, stdout);
    *output = (struct output){&csv_ops, self};
    return 0;
}

static void csv_interval(void *self, const struct interval *interval, const json_t *value)
{
    (void)interval;
    struct csv_output *output = self;
    report_csv_row(&output->csv, value);
    if (output->file.stream == NULL)
        log_flush_stdout();
    else
        outfile_flush(&output->file);
}

static int csv_finish(void *self, const struct snapshot *total)
{
    (void)total;
    struct csv_output *output = self;
    if (output->file.stream == NULL)
        return 0;
    int status = outfile_commit(&output->file);
    output->file.stream = NULL;
    return status;
}

static void csv_destroy(void *self)
{
    struct csv_output *output = self;
    report_csv_fini(&output->csv);
    if (output->file.stream != NULL)
        outfile_abandon(&output->file);
    free(output);
}

/* JSON lines. */

int output_json_stdout(struct output *output, const struct settings *settings)
{
    if (settings->report_format == REPORT_FORMAT_JSON)
        output->ops = &json_ops;
    return 0;
}

static void json_interval(void *self, const struct interval *interval, const json_t *value)
{
    (void)self;
    (void)interval;
    if (json_dumpf(value, stdout, REPORT_JSON_FLAGS) != 0 && !ferror(stdout))
        checked_alloc(NULL);
    fputc('\n', stdout);
    log_flush_stdout();
}

static void json_destroy(void *self)
{
    (void)self;
}
