/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text reports: pure functions from what stats measured to a FILE *. They know nothing of threads,
 * scripts or databases.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "options/settings.h"
#include "report/workload_report.h"
#include "result/injection.h"
#include "result/outage.h"
#include "result/ranks.h"
#include "result/remarks.h"
#include "result/slo_judge.h"
#include "result/summary.h"
#include "result/verdict.h"

struct report_format {
    const struct settings *settings;
    struct presentation workload; /* as it wants to be presented */
    bool narrow;                  /* an interval is one line, at an arrival rate, too */
    bool once;                    /* what the other sections have as well is left out */
};

/* From "Running the test with following options:" to the two blank lines at its end. */
void report_header(FILE *out, const struct settings *settings);

/* Whether a layout of sysbench leaves the interval out: what was left of one when the run ended. */
bool report_leaves_out(const struct settings *settings, const struct interval *interval);

/*
 * "[ 10s ] thds: …". Below it lines of what there is to say: time without connection, queue and
 * arrivals at an arrival rate (behind it where format->narrow), what was watched.
 */
void report_interval(FILE *out, const struct report_format *format,
                     const struct interval *interval);

/* Statements (where counted), Throughput or General statistics, Latency, Threads fairness: what
 * settings->layout has of them. At an arrival rate without Throughput and Latency where
 * format->once: requests and times follow. */
void report_summary(FILE *out, const struct report_format *format, const struct summary *summary);

/* "[ 10s ] Checkpoint report:", the line before the summary of one part of the run. */
void report_checkpoint_heading(FILE *out, int64_t at_ns);

/* After the summary: errors by code, and operations by class. Nothing where there are none. */
void report_operations(FILE *out, const struct report_format *format,
                       const struct summary *summary);

/* "NAME (ms,50/95%): 1.10/5.32", in an interval; "NAME (ms,0%): 0.00" without a percentile. */
void report_latency(FILE *out, const char *name, int decimals, const struct settings *settings,
                    const struct distribution *distribution);

/* After report_operations(): writes that changed nothing. Nothing where there are none. */
void report_effects(FILE *out, const struct summary *summary);
/* After report_effects(): one target beside the other. Nothing where there are not two. */
void report_targets(FILE *out, const struct report_format *format, const struct summary *summary);

/* After report_targets(): one type of event beside the other. Nothing where none was named. */
void report_event_types(FILE *out, const struct report_format *format,
                        const struct summary *summary);
/* After report_deferred(): terminals. Nothing where they did not send the requests. */
void report_terminals(FILE *out, const struct summary *summary);
/* After report_event_types(): what became of deferred work. Nothing where there was none. */
void report_deferred(FILE *out, const struct report_format *format, const struct summary *summary);

/*
 * At an arrival rate, after the summary of a part: generator lag, and wait, service and response
 * side by side.
 */
void report_times(FILE *out, const struct report_format *format, const struct summary *summary);

/*
 * At an arrival rate, after the summary of the whole run: what became of the requests, then
 * report_times().
 */
void report_requests(FILE *out, const struct report_format *format, const struct summary *summary);

/* Logs an ALERT when the requests of the run do not add up. */
void report_conservation(const struct summary *summary);
/* The same of deferred work. */
void report_deferred_conservation(const struct summary *summary);

/*
 * What a layout of sysbench has no place for, as warnings: that times of the report are lower
 * bounds, what makes a run less than VALID, and objectives that were missed.
 */
void report_bounds(const struct settings *settings, const struct summary *summary);
void report_findings(const struct verdict *verdict);
void report_missed(const struct slo_judgement *judgement);

/* CPU of the client and, at an arrival rate, of the generator, fit of arrivals, Little's law; the
 * verdict. */
void report_trust(FILE *out, const struct settings *settings, const struct trust *trust);
/*
 * The same before a headline, which has the verdict: a line where there is nothing to see. Else
 * what was seen, unless the headline has it all and the report is to be `brief`.
 */
void report_trust_once(FILE *out, const struct settings *settings, const struct trust *trust,
                       bool brief);

/* The ranks of a run side by side. */
void report_ranks(FILE *out, const struct ranks *ranks);

/* A worker of one rank cannot help another: that, where it shows in the waits. */
void report_queues(FILE *out, const struct ranks *ranks);

/* The objectives, what came out, and whether they were met. */
void report_slo(FILE *out, const struct slo_judgement *judgement);

/* What the workload says of the run: its figures, its audit, deviations. */
void report_remarks(FILE *out, const struct remarks *remarks);

/* A line of its own at the moment when an injection begins, and when it ends. */
void report_injection_begin(FILE *out, const struct injection *injection);
void report_injection_end(FILE *out, const struct injection *injection);
/* A table of the outages; nothing when there was none. */
void report_outages(FILE *out, const struct outages *outages);
/* After all else: what became of each injection, and the response times before, during and after;
 * `ranks`: the requests are those of rank 0 alone. */
void report_injections(FILE *out, const struct settings *settings,
                       const struct injection *injections, unsigned count, bool ranks);

/* "Latency histogram (values are in milliseconds)" on sysbench's grid; before report_summary(). */
void report_histogram(FILE *out, const struct distribution *distribution);

/* What report_headline() is made of. All is lent. */
struct headline {
    const struct settings *settings;
    const struct summary *total;
    const struct verdict *verdict;   /* NULL: nobody has judged the run */
    const struct slo_judgement *slo; /* NULL: there were no objectives */
    const struct ranks *ranks;       /* NULL: one process */
    bool interrupted;                /* by a signal */
};

/*
 * Three lines, behind everything else: the verdict, what became of the requests, and the response
 * time; of a closed loop also what it hides. More for objectives that were missed, for waits in the
 * queues of several ranks, and for a run that was interrupted. Coloured on a terminal, unless
 * settings->color or the environment (NO_COLOR) say otherwise.
 */
void report_headline(FILE *out, const struct headline *headline);

#endif
