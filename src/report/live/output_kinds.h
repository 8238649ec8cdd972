/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that open the outputs which settings can ask for. The settings must outlive the output.
 * Each function returns 0 and sets *output, returns 0 without changing *output if the settings do
 * not ask for this output, or returns −1 after a logged message.
 */
#ifndef OUTPUT_KINDS_H
#define OUTPUT_KINDS_H

#include "options/settings.h"
#include "report/live/output.h"

/* Writes a CSV row per interval to the file of --csv. */
int output_csv_file(struct output *output, const struct settings *settings);
/* Write a CSV row or a JSON object per interval to standard output at once (--report-format). */
int output_csv_stdout(struct output *output, const struct settings *settings);
int output_json_stdout(struct output *output, const struct settings *settings);

/* Write HdrHistogram's interval log and its table of percentiles to files (hdr_log.h). */
int output_hlog(struct output *output, const struct settings *settings);
int output_hgrm(struct output *output, const struct settings *settings);

/* Provide metrics in a file and by a web server (openmetrics.h). */
int output_prom_file(struct output *output, const struct settings *settings);
int output_prom_server(struct output *output, const struct settings *settings);

/* Shows a line of progress at the bottom of the terminal, for a run that prints no intervals.
 * Starts a process, so it must be called before threads are started. */
int output_progress(struct output *output, const struct settings *settings);

/* Shows the view of --live if standard output is a terminal. Starts a process, so it must be
 * called before threads are started. */
int output_live(struct output *output, const struct settings *settings);

#endif
