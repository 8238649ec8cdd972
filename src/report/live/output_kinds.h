/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs that settings can ask for. Each of these looks into the settings, which must outlive
 * the output: 0 with *output set, 0 with *output as it was when the output is not asked for, or −1
 * after a logged message.
 */
#ifndef OUTPUT_KINDS_H
#define OUTPUT_KINDS_H

#include "options/settings.h"
#include "report/live/output.h"

/* A row per interval, to the file of --csv. */
int output_csv_file(struct output *output, const struct settings *settings);
/* A row or an object per interval, at once, on standard output (--report-format). */
int output_csv_stdout(struct output *output, const struct settings *settings);
int output_json_stdout(struct output *output, const struct settings *settings);

/* HdrHistogram's interval log and its table of percentiles (hdr_log.h), to files. */
int output_hlog(struct output *output, const struct settings *settings);
int output_hgrm(struct output *output, const struct settings *settings);

/* Metrics (openmetrics.h), to a file and by a web server. */
int output_prom_file(struct output *output, const struct settings *settings);
int output_prom_server(struct output *output, const struct settings *settings);

/* A line at the bottom of the terminal, for a run that prints nothing while it goes on. Starts a
 * process, too. */
int output_progress(struct output *output, const struct settings *settings);

/* The view of --live; nothing where standard output is no terminal. Starts a process: to be called
 * before there are other threads. */
int output_live(struct output *output, const struct settings *settings);

#endif
