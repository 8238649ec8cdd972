/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs in the file formats of HdrHistogram. */
#include "report/live/output_kinds.h"

#include <time.h>

#include "base/outfile.h"
#include "base/util.h"
#include "report/live/hdr_log.h"

static void hlog_interval(void *self, const struct interval *interval, const json_t *value);
static int hlog_finish(void *self, const struct snapshot *total);
static int hgrm_finish(void *self, const struct snapshot *total);
static void hdr_destroy(void *self);

static const struct output_ops hlog_ops = {
    .interval = hlog_interval, .finish = hlog_finish, .destroy = hdr_destroy};
static const struct output_ops hgrm_ops = {.finish = hgrm_finish, .destroy = hdr_destroy};

struct hdr_output {
    struct outfile file; /* its stream is NULL after the end */
    bool begun;          /* the header of the log was written */
};

static int hdr_open(struct output *output, const struct output_ops *ops, const char *path)
{
    if (path == NULL)
        return 0;
    struct hdr_output *self = xcalloc(1, sizeof(*self));
    if (outfile_open(&self->file, path) != 0) {
        free(self);
        return -1;
    }
    *output = (struct output){ops, self};
    return 0;
}

int output_hlog(struct output *output, const struct settings *settings)
{
    return hdr_open(output, &hlog_ops, settings->hlog_path);
}

int output_hgrm(struct output *output, const struct settings *settings)
{
    return hdr_open(output, &hgrm_ops, settings->hgrm_path);
}

/* Writes the header before the first interval. Times in the log are relative to the start of the
 * run, `since_start_ns` ago. */
static void hlog_begin(struct hdr_output *output, int64_t since_start_ns)
{
    struct timespec now;
    if (output->begun)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    hdr_log_header(output->file.stream,
                   (int64_t)now.tv_sec * NS_PER_SEC + now.tv_nsec - since_start_ns);
    output->begun = true;
}

static void hlog_interval(void *self, const struct interval *interval, const json_t *value)
{
    (void)value;
    static const struct {
        const char *tag;
        enum metric metric;
    } kind[] = {{"response", METRIC_RESPONSE}, {"wait", METRIC_WAIT}, {"service", METRIC_SERVICE}};
    struct hdr_output *output = self;
    const struct snapshot *s = &interval->snapshot;
    hlog_begin(output, s->to_ns);
    for (unsigned i = 0; i < ARRAY_SIZE(kind); i++)
        if (i == 0 || s->metric[kind[i].metric].count > 0)
            hdr_log_line(output->file.stream, kind[i].tag, s->from_ns, s->to_ns,
                         &s->metric[kind[i].metric]);
    outfile_flush(&output->file);
}

static int hdr_commit(struct hdr_output *output)
{
    int status = outfile_commit(&output->file);
    output->file.stream = NULL;
    return status;
}

static int hlog_finish(void *self, const struct snapshot *total)
{
    hlog_begin(self, total->to_ns);
    return hdr_commit(self);
}

static int hgrm_finish(void *self, const struct snapshot *total)
{
    struct hdr_output *output = self;
    hgrm_print(output->file.stream, &total->metric[METRIC_RESPONSE]);
    return hdr_commit(output);
}

static void hdr_destroy(void *self)
{
    struct hdr_output *output = self;
    if (output->file.stream != NULL)
        outfile_abandon(&output->file);
    free(output);
}
