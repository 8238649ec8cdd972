/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a run. They are filled from the options once (settings_load.h) and then constant.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rand.h"
#include "base/util.h"
#include "options/arrivals/arrival_plan.h"
#include "options/arrivals/session_plan.h"
#include "options/checkpoints.h"
#include "options/inject_plan.h"
#include "options/percentiles.h"
#include "options/policies/client_policy.h"
#include "options/rank.h"
#include "options/slo.h"
#include "options/until.h"

/* The reaction to a request that arrives when the queue is full. */
enum queue_full { QUEUE_FULL_STOP, QUEUE_FULL_DROP };

/* The reaction of the other ranks to the loss of a rank. */
enum rank_lost { RANK_LOST_STOP, RANK_LOST_CONTINUE };

/* The format of standard output. */
enum report_format_kind { REPORT_FORMAT_TEXT, REPORT_FORMAT_JSON, REPORT_FORMAT_CSV };

/* When the headline is coloured. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Layouts of the text report, in the order of the choices of --report. The layouts of sysbench
 * have only its sections and lines. */
enum report_layout { LAYOUT_FULL, LAYOUT_SYSBENCH_1_1, LAYOUT_SYSBENCH_1_0 };

struct settings {
    struct rank node;      /* --node: number and count; zeroed if not given */
    int64_t start_wall_ns; /* --start-at in CLOCK_REALTIME; 0 if not given */
    struct rank rank;      /* the part of the run that this process executes */
    int64_t threads;       /* number of workers of this rank, ≥ 1 */
    int64_t events;        /* limit for the events of all ranks; 0 means no limit */
    int64_t time_ns;       /* 0 means no limit */
    int64_t warmup_ns;
    bool terminals; /* users send the requests, terminals (--pacing) or sessions; there is no
                     * rate then */
    struct session_plan sessions;
    double rate; /* mean arrivals per second of this rank; 0 for a closed loop */
    bool rate_changes;
    struct arrival_plan arrivals;
    struct inject_plan inject;  /* actions during the run, also storms */
    int64_t idle_connections;   /* connections that do nothing; 0 if there are none */
    double connect_rate;        /* idle connections opened per second, at most */
    int64_t idle_touch_ns;      /* time between two statements of an idle connection; 0: none */
    bool strict;                /* end with exit code 4 if the verdict is not VALID */
    struct slo slo;             /* end with exit code 3 if an objective is missed */
    int64_t slo_abort_ns;       /* −1: off; 0: end the run as soon as it can no longer meet the
                                 * objectives */
    struct until until;         /* end the run when these figures are known precisely enough */
    int64_t forced_shutdown_ns; /* −1 means off */
    int64_t thread_stack_bytes; /* in addition to the stack that the program needs itself */
    int64_t thread_init_timeout_ns;
    int64_t report_interval_ns;             /* 0 means no intervals */
    int64_t checkpoint_ns[MAX_CHECKPOINTS]; /* ascending, from the start of the run */
    unsigned checkpoints;
    int64_t percentile[MAX_PERCENTILES]; /* in millionths of a percent, all different, in the
                                          * order given */
    unsigned percentiles;                /* 0 if disabled */
    bool histogram;
    bool debug;
    bool validate;
    int64_t verbosity;
    int64_t deferred_threads; /* executors of deferred work in this rank; 0 executes it within
                               * the event */
    int64_t queue_size;       /* most requests that may wait in this rank, ≥ 1 */
    enum queue_full queue_full;
    enum rank_lost rank_lost;
    struct client_policy policy;
    int64_t drain_ns;           /* 0: requests that wait at the end are not executed */
    const char *json_path;      /* NULL if not given */
    const char *html_path;      /* NULL if not given */
    const char *archive_path;   /* a folder; NULL if not given */
    const char *csv_path;       /* NULL if not given */
    const char *hlog_path;      /* NULL if not given */
    const char *hgrm_path;      /* NULL if not given */
    const char *prom_file_path; /* NULL if not given */
    const char *prom_address;   /* NULL if not given */
    enum report_format_kind report_format;
    enum report_layout layout;
    bool layout_asked; /* --report was given and is not auto */
    bool brief;        /* --report=brief: headline and problems only */
    enum color color;
    bool live;                    /* show the live view if standard output is a terminal */
    const char *request_log_path; /* NULL if not given */
    const char *luajit_cmd;       /* NULL or "" if not given */
    int64_t staleness_ns; /* time between two markers for the staleness of replicas; 0 for none */
    double wait_events;           /* samples of sessions per second; 0 for none */
    int64_t slowest;              /* number of slowest requests to report; 0 for none */
    bool wait_events_text;        /* reports may show statements of sessions that block others */
    struct rand_config rand;
    bool seed_given; /* --rand-seed was given; otherwise the seed is from the clock */
};

/* Returns the number of arrivals of this rank from the start of the run to `until_ns`: those in
 * the trace, or the expected number. Arrivals end at --time. */
static inline double settings_arrivals_asked(const struct settings *settings, int64_t until_ns)
{
    if (settings->time_ns > 0)
        until_ns = min_i64(until_ns, settings->warmup_ns + settings->time_ns);
    return arrival_plan_count(&settings->arrivals, until_ns);
}

/* Returns the number of a worker in the whole run. `local` is its number in this rank. */
static inline unsigned settings_worker(const struct settings *settings, unsigned local)
{
    return (unsigned)settings->rank.first_thread + local;
}

/* Returns the number of workers of all ranks. */
static inline int64_t settings_all_threads(const struct settings *settings)
{
    return rank_is_alone(&settings->rank) ? settings->threads : settings->rank.threads;
}

/* Returns the number of an executor of deferred work in the whole run. Executors are numbered
 * after all workers. */
static inline unsigned settings_executor(const struct settings *settings, unsigned local)
{
    int64_t before = settings_all_threads(settings) +
                     (int64_t)settings->rank.number * settings->deferred_threads;
    return (unsigned)before + local;
}

#endif
