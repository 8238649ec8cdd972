/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the JSON report (docs/json.md) during the run and writes it once at the end. One thread
 * at a time may use a report.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "result/connections/idle_counts.h"
#include "report/text/report.h"

#define REPORT_JSON_SCHEMA 2

/* Flags for jansson. A time in nanoseconds has at most 15 digits up to 11 days, so 15 digits
 * print it exactly. */
#define REPORT_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

struct plans;
struct report_json;

/* Identification of the run; the strings are copied. */
struct report_json_run {
    const char *version; /* version of this program */
    const char *test, *command;
    const char *started; /* start time, in ISO 8601 format */
};

/* Creates an empty report. The settings must outlive the report; everything else is copied. */
struct report_json *report_json_create(const struct report_json_run *run,
                                       const struct settings *settings);
void report_json_destroy(struct report_json *json);

/*
 * Adds an option of the test or the program to "config". Options that may hold a secret, such as a
 * password, are left out, so the caller may pass all options.
 */
void report_json_config(struct report_json *json, const char *name, const struct option_spec *row,
                        const struct option_value *value);
/* Returns a new JSON value of an interval, for the report and for outputs. */
json_t *report_json_interval_value(const struct settings *settings,
                                   const struct interval *interval);
/* Appends a value of report_json_interval_value() to "intervals"; takes ownership of `value`. */
void report_json_add_interval(struct report_json *json, json_t *value);
/* Appends to "checkpoints". `at_ns` is in nanoseconds since the start of the run. */
void report_json_checkpoint(struct report_json *json, const struct summary *summary, int64_t at_ns);
/*
 * Sets the summary; to be called once. `end` says why the run ended: "time", "events", "script",
 * "signal", "queue_full", "error", "forced_shutdown", "slo".
 */
void report_json_summary(struct report_json *json, const struct summary *summary, const char *end,
                         int exit_code);

/* Sets "audit" of the summary; to be called at most once, before report_json_summary(). The same
 * holds for the two functions below. */
void report_json_trust(struct report_json *json, const struct trust *trust);
/* Sets "remarks" of the summary. */
void report_json_remarks(struct report_json *json, const struct remarks *remarks);
/* Sets "slo" of the summary. */
void report_json_slo(struct report_json *json, const struct slo_judgement *judgement);

/* Sets "probes"; to be called at most once. */
void report_json_probes(struct report_json *json, const struct probe_report *report);
/* Adds a setting of the server to "server_config". */
void report_json_setting(struct report_json *json, const char *name, const char *value);
/* Adds a member in front of the intervals, or an option to "config"; takes ownership of `value`. */
void report_json_add_head(struct report_json *json, const char *name, json_t *value);
void report_json_add_config(struct report_json *json, const char *name, json_t *value);
/* Adds a member after the summary; takes ownership of `value`. */
void report_json_add(struct report_json *json, const char *name, json_t *value);
/* Appends to "marks" an occurrence that the page draws on its time axis. Times are in
 * nanoseconds since the start of the run. */
void report_json_mark(struct report_json *json, int64_t from_ns, int64_t to_ns, const char *text);
/* Appends a text to "warnings". */
void report_json_warning(struct report_json *json, const char *text);
/* Sets "ranks" (or "repeats" if the runs took place one after the other), with the results of
 * each rank, and "alignment"; to be called at most once. */
void report_json_ranks(struct report_json *json, const struct ranks *ranks);
/* Sets "plans"; to be called at most once. */
void report_json_plans(struct report_json *json, const struct plans *plans);
/* Returns the plans as in the JSON report. */
json_t *value_plans(const struct plans *plans);
/* Sets "wait_events"; to be called at most once. */
void report_json_waits(struct report_json *json, const struct wait_shares *shares);
/* Returns the blocker of a session (result/waits/wait_names.h) as a new value. */
json_t *value_blocker(const struct wait_shares *shares, unsigned blocker);
/* Returns the slow requests as a new value. `shares` names their waits; NULL if there are none. */
json_t *value_slowest(const struct slow_requests *slow, const struct wait_shares *shares);
/* Sets "slowest" to this value; to be called at most once. */
void report_json_slowest(struct report_json *json, const struct slow_requests *slow,
                         const struct wait_shares *shares);
/* Sets "outages", and adds a mark for each outage; to be called at most once. */
void report_json_outages(struct report_json *json, const struct outages *outages);
/* Sets "phases"; to be called at most once. */
void report_json_phases(struct report_json *json, const struct settings *settings,
                        const struct rate_phase *phases, unsigned count);
/* Sets "idle_connections". */
void report_json_idle(struct report_json *json, const struct idle_counts *idle);
/* Sets "injections", and adds a mark for each injection that was started; to be called at most
 * once. */
void report_json_injections(struct report_json *json, const struct settings *settings,
                            const struct injection *injections, unsigned count);

/*
 * Writes the report to a file. Readers of `path` see either the old file or the complete new one.
 * Returns 0, or −1 after a logged message; the part that could be written then remains in a
 * temporary file, which the message names (base/outfile.h).
 */
int report_json_write(const struct report_json *json, const char *path);
/* Writes the same text to a stream. The caller checks the stream for errors. */
void report_json_print(const struct report_json *json, FILE *out);
/* Writes the report without its intervals, on one line. */
void report_json_print_line(const struct report_json *json, FILE *out);

#endif
