/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes snapshots while a run goes on, adds them up, and hands them to the reports: text, JSON, the
 * workload's hooks. Used by the thread that controls the run, by no other.
 */
#ifndef REPORTER_H
#define REPORTER_H

#include "document/report_json.h"
#include "engine/workload.h"
#include "judge/audit.h"
#include "judge/slo_judge.h"
#include "measure/stats.h"
#include "measure/summary.h"
#include "options/settings.h"
#include "output/outputs.h"
#include "report/report.h"
#include "watch/probe.h"

struct reporter {
    const struct settings *settings;
    struct stats *stats;
    struct workload workload; /* with the report hooks */
    struct report_json *json; /* NULL: not asked for */
    struct outputs *outputs;
    char *no_op_cause; /* owned; NULL: none is known */
    struct report_format format;
    bool text; /* the verbosity lets reports through */
    int64_t
        measure_ns; /* length of the warm-up; this and all times here: since the start of the run */

    struct snapshot drained;  /* what was taken last */
    struct interval interval; /* since the last interval line */
    struct snapshot part;     /* since the last checkpoint */
    struct snapshot total;    /* since the end of the warm-up */
    int64_t part_from_ns;
    struct audit audit;               /* windows, at an arrival rate */
    struct slo_watch watch;           /* while the run goes on */
    int64_t interval_in_system;       /* when the current interval began */
    struct probes *probes;            /* NULL: nothing is watched. The run's */
    struct probe_report probed;       /* over the last interval; in the end, over the run */
    uint64_t counters[COUNTER_TYPES]; /* since the start of the run, warm-up included */
};

void reporter_init(struct reporter *r, const struct settings *settings, struct stats *stats,
                   struct workload workload, struct report_json *json, struct outputs *outputs);
void reporter_fini(struct reporter *r);

/* When the threads have started: lets the workload say what its reports look like. */
void reporter_set_format(struct reporter *r);

/* Ends the current interval at `now_ns` and reports it. */
void reporter_interval(struct reporter *r, int64_t now_ns, struct gauges gauges);

/* Ends the current part at `now_ns`: a full report, and a new start. */
void reporter_checkpoint(struct reporter *r, int64_t now_ns);

/* Adds what was recorded since the last call to interval, part and total; `now_ns` ends a window of
 * the audit. */
void reporter_collect(struct reporter *r, int64_t now_ns);
/* The same of what the audit needs, at little cost; the rest is left to the next collect. */
void reporter_audit(struct reporter *r, int64_t now_ns);

/*
 * After reporter_collect(): whether --slo-abort says that the run should end. `in_system`: requests
 * that wait or are in service.
 */
bool reporter_objectives_lost(struct reporter *r, int64_t now_ns, uint64_t in_system);

/* Whether the current interval holds anything, or has lasted for `ns` at least. */
bool reporter_interval_pending(const struct reporter *r, int64_t now_ns, int64_t ns);

/*
 * A measured request that was not completed. What it took so far is a lower bound: of its wait and
 * response when it never started (queued or dropped `age_ns` ago), of its service and response when
 * it is still in service.
 */
void reporter_add_waiting(struct reporter *r, int64_t age_ns);
void reporter_add_in_service(struct reporter *r, int64_t wait_ns, int64_t service_ns);

/*
 * The final report: the last part in the built-in text or the hook, the whole run in the requests
 * section and in JSON. `elapsed_ns` counts from the end of the warm-up. `end` as in
 * report_json_summary(). `trust`, at an arrival rate, brings the evidence from outside the
 * reporter; the rest is filled in here. NULL in a closed loop. Returns the exit code: in place of
 * 0, 1 when a report hook of the workload has failed or an output cannot be written, 4 when the
 * verdict is not VALID and --strict was given, 3 when an objective was missed.
 */
int reporter_final(struct reporter *r, const struct requests *requests, int64_t elapsed_ns,
                   struct trust *trust, const char *end, int exit_code);

#endif
