/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where results go while a run goes on, beside the text: a list that the reporter hands them to,
 * whatever they are. One thread, the reporter's.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>

#include "measure/summary.h"
#include "options/settings.h"

/* How things stand. */
struct gauges {
    unsigned threads_running;
    uint64_t queue_length, concurrency;
};

/* All but the last may be NULL. */
struct output_ops {
    /* An interval has ended; `value` is the same as in the JSON report. */
    void (*interval)(void *self, const struct interval *interval, const json_t *value);
    /* Recorded since the last call, warm-up and measured. Whoever has this has update(), too. */
    void (*collect)(void *self, const struct snapshot *recorded);
    /* After one or two of these calls, at least once a second. */
    void (*update)(void *self, struct gauges gauges);
    /* The run has ended; `total` is all that was measured. −1 after a logged message. */
    int (*finish)(void *self, const struct snapshot *total);
    void (*destroy)(void *self);
};

struct output {
    const struct output_ops *ops;
    void *self;
};

#define OUTPUTS_MAX 12

struct outputs {
    const struct settings *settings;
    struct output output[OUTPUTS_MAX];
    unsigned count;
};

/* Opens all that the settings ask for. −1 after a logged message; outputs_fini() is due in any
 * case. */
int outputs_init(struct outputs *outputs, const struct settings *settings);
void outputs_fini(struct outputs *outputs);

/* One that somebody else owns: its destroy() does nothing. */
void outputs_add(struct outputs *outputs, struct output output);

void outputs_interval(struct outputs *outputs, const struct interval *interval);
void outputs_collect(struct outputs *outputs, const struct snapshot *recorded);
void outputs_update(struct outputs *outputs, struct gauges gauges);
/* −1 when any has failed. */
int outputs_finish(struct outputs *outputs, const struct snapshot *total);
/* Whether some output wants outputs_update() at least once a second. */
bool outputs_want_updates(const struct outputs *outputs);

/* The outputs: each returns 0 with *output set, or −1 after a logged message. */

/*
 * The view of --live; false where standard output is no terminal. Before there are other threads.
 */
bool output_live_open(struct output *output, const struct settings *settings);
/* A row or an object per interval, to a file or, at once, to standard output. */
int output_csv_open(struct output *output, const char *path);
int output_csv_stdout(struct output *output);
int output_json_stdout(struct output *output);
/* HdrHistogram's interval log and its table of percentiles (hdr_log.h). */
int output_hlog_open(struct output *output, const char *path);
int output_hgrm_open(struct output *output, const char *path);
/* Metrics (openmetrics.h), to the file or at the address of the settings. */
int output_prom_file(struct output *output, const struct settings *settings);
int output_prom_server(struct output *output, const struct settings *settings);

#endif
