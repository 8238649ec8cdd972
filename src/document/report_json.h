/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine-readable report (docs/json.md): collected while the run goes on, written once at its
 * end.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "report/report.h"

#define REPORT_JSON_SCHEMA 1

/* For jansson. Every time of whole nanoseconds up to 11 days has 15 digits at most, and so is
 * written exactly. */
#define REPORT_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

struct report_json;

/* What names the run; strings are copied. */
struct report_json_run {
    const char *version; /* of the tool */
    const char *test, *command;
    const char *started; /* ISO 8601 */
};

/* The settings are kept by reference, the rest is copied. */
struct report_json *report_json_create(const struct report_json_run *run,
                                       const struct settings *settings);
void report_json_destroy(struct report_json *json);

/*
 * One option of the test or the program for "config", in its type. A name that contains "password"
 * is left out, so all options may be handed over.
 */
void report_json_config(struct report_json *json, const char *name, const struct option_spec *row,
                        const struct option_value *value);
void report_json_interval(struct report_json *json, const struct interval *interval);
/* The same as a value of its own; the caller's. */
json_t *report_json_interval_value(const struct settings *settings,
                                   const struct interval *interval);
void report_json_checkpoint(struct report_json *json, const struct summary *summary, int64_t at_ns);
/*
 * Once. `end` says why the run ended: "time", "events", "script", "signal", "queue_full", "error",
 * "forced_shutdown", "slo".
 */
void report_json_summary(struct report_json *json, const struct summary *summary, const char *end,
                         int exit_code);

/* Before the summary, at an arrival rate: becomes its "trust". */
void report_json_trust(struct report_json *json, const struct trust *trust);
/* Before the summary: becomes its "slo". */
void report_json_slo(struct report_json *json, const struct slo_judgement *judgement);

/* Once, before the summary: becomes "probes". */
void report_json_probes(struct report_json *json, const struct probe_report *report);
/* A setting of what the load goes to, for "server_config". */
void report_json_setting(struct report_json *json, const char *name, const char *value);
/* Top-level members behind the summary; `value` is taken over. */
void report_json_add(struct report_json *json, const char *name, json_t *value);
/* One more of "marks": what happened from one moment of the run to another, for the page's time
 * line. */
void report_json_mark(struct report_json *json, int64_t from_ns, int64_t to_ns, const char *text);
/* One more of "warnings". */
void report_json_warning(struct report_json *json, const char *text);
/* "injections", each with its mark. */
void report_json_injections(struct report_json *json, const struct settings *settings,
                            const struct injection *injections, unsigned count);

/*
 * Writes to a temporary file beside `path`, then renames it: readers see the old file or the whole
 * new one. −1 after a logged message (and no temporary file left).
 */
int report_json_write(const struct report_json *json, const char *path);
/* The same document to a stream. */
void report_json_print(const struct report_json *json, FILE *out);
/* All of it but the intervals, on one line. */
void report_json_print_line(const struct report_json *json, FILE *out);

#endif
