/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of the run, in a file that is replaced once a second, or on a web server. */
#include "report/live/output_kinds.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "base/util.h"
#include "report/live/openmetrics.h"
#include "report/live/prom_server.h"

static void prom_collect(void *self, const struct snapshot *recorded);
static void prom_update(void *self, struct gauges gauges);
static int prom_finish(void *self, const struct snapshot *total);
static void prom_destroy(void *self);

static const struct output_ops prom_ops = {
    .collect = prom_collect, .update = prom_update, .finish = prom_finish, .destroy = prom_destroy};

struct prom_output {
    const struct settings *settings;
    struct prom_server *server; /* NULL if the metrics are written to a file */
    struct snapshot total;      /* since the start */
    struct gauges gauges;
    int64_t written_ns; /* when the file was written last */
    bool failed;        /* writing has failed and was reported; it is not tried again */
};

static void prom_open(struct output *output, const struct settings *settings,
                      struct prom_server *server)
{
    struct prom_output *self = xcalloc(1, sizeof(*self));
    self->settings = settings;
    self->server = server;
    snapshot_init(&self->total);
    *output = (struct output){&prom_ops, self};
}

int output_prom_file(struct output *output, const struct settings *settings)
{
    if (settings->prom_file_path != NULL)
        prom_open(output, settings, NULL);
    return 0;
}

int output_prom_server(struct output *output, const struct settings *settings)
{
    if (settings->prom_address == NULL)
        return 0;
    struct prom_server *server =
        prom_server_start(settings->prom_address, settings->report_format == REPORT_FORMAT_TEXT &&
                                                      settings->layout == LAYOUT_FULL);
    if (server == NULL)
        return -1;
    prom_open(output, settings, server);
    return 0;
}

static void prom_collect(void *self, const struct snapshot *recorded)
{
    struct prom_output *output = self;
    snapshot_add(&output->total, recorded);
}

static void print(const struct prom_output *output, FILE *out, enum metrics_format format)
{
    openmetrics_print(out, format, &output->total, output->gauges, output->settings->rate > 0);
}

static void publish(struct prom_output *output)
{
    char *page = NULL;
    size_t bytes = 0;
    FILE *stream = checked_alloc(open_memstream(&page, &bytes));
    print(output, stream, METRICS_OPENMETRICS);
    if (fclose(stream) != 0)
        checked_alloc(NULL);
    prom_server_publish(output->server, page, bytes);
}

static int write_file(struct prom_output *output)
{
    struct outfile file;
    if (outfile_open(&file, output->settings->prom_file_path) != 0)
        return -1;
    print(output, file.stream, METRICS_CLASSIC);
    return outfile_replace(&file);
}

static void prom_update(void *self, struct gauges gauges)
{
    struct prom_output *output = self;
    const int64_t now_ns = clock_now_ns();
    output->gauges = gauges;
    if (output->server != NULL) {
        publish(output);
    } else if (!output->failed && now_ns - output->written_ns >= NS_PER_SEC) {
        output->failed = write_file(output) != 0;
        output->written_ns = now_ns;
    }
}

static int prom_finish(void *self, const struct snapshot *total)
{
    (void)total; /* `total` lacks the warm-up, so counters would decrease */
    struct prom_output *output = self;
    output->gauges.queue_length = output->gauges.concurrency = 0;
    if (output->server != NULL)
        publish(output);
    return output->server == NULL && (output->failed || write_file(output) != 0) ? -1 : 0;
}

static void prom_destroy(void *self)
{
    struct prom_output *output = self;
    prom_server_stop(output->server);
    snapshot_fini(&output->total);
    free(output);
}
