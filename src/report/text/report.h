/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text reports: each function writes one section of a report to a FILE *. The functions only format
 * the figures that they are given: they start no threads, run no scripts and do not use the
 * database. Only one thread may write to a FILE * at a time.
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
#include "result/waits/wait_shares.h"

struct report_format {
    const struct settings *settings;
    struct presentation workload; /* the workload's headings and own figures */
    bool narrow;                  /* intervals take one line, at an arrival rate, too */
    bool once;                    /* leave out figures that another section has as well */
};

/* Writes the header of a run, from "Running the test with following options:" to the two blank
 * lines at the end. */
void report_header(FILE *out, const struct settings *settings);

/* Returns true if `interval` must not be printed: in the layouts of sysbench, a last interval
 * that is shorter than the others because the run ended. */
bool report_leaves_out(const struct settings *settings, const struct interval *interval);

/*
 * Writes the line "[ 10s ] thds: …" and below it, if there is anything to report, lines for the
 * time without connection, for the queue and the arrivals at an arrival rate (at the end of the
 * first line if format->narrow), and for the observations of the server.
 */
void report_interval(FILE *out, const struct report_format *format,
                     const struct interval *interval);

/* Writes those of the sections Statements (if counted), Throughput or General statistics,
 * Latency and Threads fairness that settings->layout has. At an arrival rate with format->once,
 * Throughput and Latency are left out, because the requests and the times follow. */
void report_summary(FILE *out, const struct report_format *format, const struct summary *summary);

/* Writes "[ 10s ] Checkpoint report:", the line before the summary of one part of the run. */
void report_checkpoint_heading(FILE *out, int64_t at_ns);

/* After the summary: writes the errors by code and the statements by class. Writes nothing if
 * there were no errors and no classes. */
void report_operations(FILE *out, const struct report_format *format,
                       const struct summary *summary);

/* Writes the percentiles of an interval without a newline, such as "NAME (ms,50/95%):
 * 1.10/5.32", or "NAME (ms,0%): 0.00" if the settings ask for no percentile. If no request has
 * ended, the percentiles are "-"; in the layouts of sysbench they are 0.00. */
void report_latency(FILE *out, const char *name, int decimals, const struct settings *settings,
                    const struct distribution *distribution);

/* After report_operations(): writes the section about SQL writes that changed nothing. Writes
 * nothing if each of them changed something. */
void report_effects(FILE *out, const struct summary *summary);
/* After report_effects(): writes a table with one row per target (host). Writes nothing if there
 * are fewer than two targets. */
void report_targets(FILE *out, const struct report_format *format, const struct summary *summary);

/* After report_targets(): writes a table with one row per type of event. Writes nothing if the
 * workload named no types. */
void report_event_types(FILE *out, const struct report_format *format,
                        const struct summary *summary);
/* After report_deferred(): writes the section about terminals. Writes nothing if the requests
 * did not come from terminals. */
void report_terminals(FILE *out, const struct summary *summary);
/* After report_terminals(): writes the section about sessions. Writes nothing if the requests did
 * not come from sessions. */
void report_sessions(FILE *out, const struct report_format *format, const struct summary *summary);
/* Logs an alert if the sessions do not add up. */
void report_session_conservation(const struct summary *summary);
/* After report_event_types(): writes a table with the outcome of deferred work, one row per
 * type. Writes nothing if the workload deferred no work. */
void report_deferred(FILE *out, const struct report_format *format, const struct summary *summary);

/*
 * At an arrival rate, after the summary of one part of the run: writes the generator lag, and a
 * table of wait, service and response times.
 */
void report_times(FILE *out, const struct report_format *format, const struct summary *summary);

/*
 * At an arrival rate, after the summary of the whole run: writes the number of requests by outcome,
 * then report_times().
 */
void report_requests(FILE *out, const struct report_format *format, const struct summary *summary);

/* After report_requests(): writes the 95 % intervals of the mean and the percentiles. Writes
 * nothing if the run was too short for intervals. */
void report_precision(FILE *out, const struct precision *precision);

/* Logs an ALERT if offered requests != completed + failed + dropped + unfinished ones. */
void report_conservation(const struct summary *summary);
/* Logs an ALERT if, for a type of deferred work, queued != completed + failed + unfinished. */
void report_deferred_conservation(const struct summary *summary);

/*
 * Warnings for the layouts of sysbench, which have no section for these facts: report_bounds()
 * warns that times of the report are lower bounds, report_findings() of each reason why the run is
 * less than VALID, and report_missed() of each objective that was missed.
 */
void report_bounds(const struct settings *settings, const struct summary *summary);
void report_findings(const struct verdict *verdict);
void report_missed(const struct slo_judgement *judgement);

/* Writes the section Audit (CPU time of the client; at an arrival rate also CPU time of the
 * generator, fit of the arrivals and Little's law), then the verdict. */
void report_trust(FILE *out, const struct settings *settings, const struct trust *trust);
/*
 * Writes the same for a report that ends with a headline, which has the verdict. If nothing is
 * suspicious, one line is written. Otherwise the section Audit is written, unless the report is to
 * be `brief` and the headline has everything that is wrong. The findings are listed if there are
 * more than one.
 */
void report_trust_once(FILE *out, const struct settings *settings, const struct trust *trust,
                       bool brief);

/* Writes a table with one row per rank of the run. */
void report_ranks(FILE *out, const struct ranks *ranks);

/* If the waits are at least 10 % of the mean response time, writes a note that each rank has its
 * own queue, so that an idle worker of one rank cannot take requests of another. */
void report_queues(FILE *out, const struct ranks *ranks);

/* Writes a table of the objectives: the measured figure of each, and whether it was met. */
void report_slo(FILE *out, const struct slo_judgement *judgement);

/* Writes the workload's remarks on the run: its notes, figures, self-audit and deviations. */
void report_remarks(FILE *out, const struct remarks *remarks);

/* Writes one line at the moment when an injection begins, and one when it ends. */
void report_injection_begin(FILE *out, const struct injection *injection);
void report_injection_end(FILE *out, const struct injection *injection);
/* Writes the cause of most of the time above p99 as a sentence. Returns false, and writes nothing,
 * if there is no such cause. */
bool report_wait_cause(FILE *out, const struct wait_shares *shares);
/* Writes a table of the wait events of requests, the sentence of report_wait_cause(), and notes. */
void report_wait_events(FILE *out, const struct wait_shares *shares);
/* Writes a line with the largest waits of the requests in service in a span of time. Writes nothing
 * if waits were not sampled. */
void report_wait_span(FILE *out, const struct wait_span *span);
/* Writes a table of the outages; nothing if there were none. */
void report_outages(FILE *out, const struct outages *outages);
/* Writes a table of the phases of a changing arrival rate. */
void report_phases(FILE *out, const struct settings *settings, const struct rate_phase *phases,
                   unsigned count);
/* After all other sections except the headline: writes the outcome of each injection, and the
 * response times before, during and after it. `ranks` is true if the requests are those of rank
 * 0 alone. */
void report_injections(FILE *out, const struct settings *settings,
                       const struct injection *injections, unsigned count, bool ranks);

/* Before report_summary(): writes "Latency histogram (values are in milliseconds)" in the steps
 * that sysbench uses. */
void report_histogram(FILE *out, const struct distribution *distribution);

/* The contents of report_headline(). The caller keeps ownership of all of it. */
struct headline {
    const struct settings *settings;
    const struct summary *total;
    const struct verdict *verdict;   /* NULL if the run was not judged */
    const struct slo_judgement *slo; /* NULL if there were no objectives */
    const struct ranks *ranks;       /* NULL if the run had one process */
    bool interrupted;                /* a signal ended the run */
    bool until;                      /* the figures of --until were known, which ended the run */
};

/*
 * Writes the last three lines of a report: the verdict, the number of requests by outcome, and the
 * response time. For a closed loop, a note is added that delays of later events are not measured.
 * More lines follow for objectives that were missed, for waits in the queues of several ranks, and
 * for a run that was ended by a signal. The verdict is coloured if `out` is a terminal, unless
 * settings->color or the environment variable NO_COLOR say otherwise.
 */
void report_headline(FILE *out, const struct headline *headline);

#endif
