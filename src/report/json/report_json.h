/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine-readable report (docs/json.md): collected while the run goes on, written once at its
 * end.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "report/text/report.h"

#define REPORT_JSON_SCHEMA 2

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
/* An interval as the report has it, for the report and for outputs; the caller's. */
json_t *report_json_interval_value(const struct settings *settings,
                                   const struct interval *interval);
/* One more of "intervals", as report_json_interval_value() makes it; `value` is taken over. */
void report_json_add_interval(struct report_json *json, json_t *value);
/* One more of "checkpoints". */
void report_json_checkpoint(struct report_json *json, const struct summary *summary, int64_t at_ns);
/*
 * Once. `end` says why the run ended: "time", "events", "script", "signal", "queue_full", "error",
 * "forced_shutdown", "slo".
 */
void report_json_summary(struct report_json *json, const struct summary *summary, const char *end,
                         int exit_code);

/* Once, before the summary: becomes its "audit". */
void report_json_trust(struct report_json *json, const struct trust *trust);
/* Once, before the summary: becomes its "remarks". */
void report_json_remarks(struct report_json *json, const struct remarks *remarks);
/* Once, before the summary: becomes its "slo". */
void report_json_slo(struct report_json *json, const struct slo_judgement *judgement);

/* Once: becomes "probes". */
void report_json_probes(struct report_json *json, const struct probe_report *report);
/* One more of "server_config": a setting of what the load goes to. */
void report_json_setting(struct report_json *json, const char *name, const char *value);
/* A member of the head, before the intervals, or an option of its "config"; `value` is taken over.
 */
void report_json_add_head(struct report_json *json, const char *name, json_t *value);
void report_json_add_config(struct report_json *json, const char *name, json_t *value);
/* A member of the report behind its summary; `value` is taken over. */
void report_json_add(struct report_json *json, const char *name, json_t *value);
/* One more of "marks": what happened from one moment of the run to another, for the page's time
 * line. */
void report_json_mark(struct report_json *json, int64_t from_ns, int64_t to_ns, const char *text);
/* One more of "warnings". */
void report_json_warning(struct report_json *json, const char *text);
/* Once: becomes "ranks" (of repeats: "repeats"), what each has come to, and "alignment". */
void report_json_ranks(struct report_json *json, const struct ranks *ranks);
/* Once: becomes "outages"; each has a mark. */
void report_json_outages(struct report_json *json, const struct outages *outages);
/* Once: becomes "injections"; those that were started have a mark each. */
void report_json_injections(struct report_json *json, const struct settings *settings,
                            const struct injection *injections, unsigned count);

/*
 * Writes the report: readers of `path` see the old file or the whole new one. −1 after a logged
 * message; what could be written then stays in a file beside it, which the message names
 * (base/outfile.h).
 */
int report_json_write(const struct report_json *json, const char *path);
/* Writes what report_json_write() does to a stream, whose errors are the caller's business. */
void report_json_print(const struct report_json *json, FILE *out);
/* Writes the report without its intervals, on one line. */
void report_json_print_line(const struct report_json *json, FILE *out);

#endif
