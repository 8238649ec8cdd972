/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a run: filled from the options once (settings_load.h), constant from then on. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rand.h"
#include "base/util.h"
#include "options/arrivals/arrival_plan.h"
#include "options/checkpoints.h"
#include "options/inject_plan.h"
#include "options/percentiles.h"
#include "options/rank.h"
#include "options/slo.h"

/* What to do with a request that finds the queue full. */
enum queue_full { QUEUE_FULL_STOP, QUEUE_FULL_DROP };

/* What the other ranks do when one is lost. */
enum rank_lost { RANK_LOST_STOP, RANK_LOST_CONTINUE };

/* What goes to standard output. */
enum report_format_kind { REPORT_FORMAT_TEXT, REPORT_FORMAT_JSON, REPORT_FORMAT_CSV };

/* Of the headline. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/*
 * What the text of a run is made of; in the order of the choices of --report that are layouts.
 * Those of sysbench have its sections and lines only.
 */
enum report_layout { LAYOUT_FULL, LAYOUT_SYSBENCH_1_1, LAYOUT_SYSBENCH_1_0 };

struct settings {
    struct rank node;      /* --node: number and count; 0: not given */
    int64_t start_wall_ns; /* --start-at, CLOCK_REALTIME; 0: not given */
    struct rank rank;      /* which part of the run this process executes */
    int64_t threads;       /* of this rank, ≥ 1 */
    int64_t events;        /* of all ranks; 0: no limit */
    int64_t time_ns;       /* 0: no limit */
    int64_t warmup_ns;
    bool terminals; /* send the requests (--pacing); then there is no rate */
    double rate; /* arrivals per second of this rank, the mean where it changes; 0: closed loop */
    bool rate_changes;
    struct arrival_plan arrivals;
    struct inject_plan inject;  /* what happens besides while the run goes on */
    bool strict;                /* a run that is not VALID ends with exit code 4 */
    struct slo slo;             /* a run that misses one ends with exit code 3 */
    int64_t slo_abort_ns;       /* −1: off; 0: end the run when it can no longer meet them */
    int64_t forced_shutdown_ns; /* −1: off */
    int64_t thread_stack_bytes; /* beside what the program needs itself */
    int64_t thread_init_timeout_ns;
    int64_t report_interval_ns;             /* 0: none */
    int64_t checkpoint_ns[MAX_CHECKPOINTS]; /* ascending, from the start of the run */
    unsigned checkpoints;
    int64_t percentile[MAX_PERCENTILES]; /* in millionths of a percent, in the order given, all
                                            different */
    unsigned percentiles;                /* 0: disabled */
    bool histogram;
    bool debug;
    bool validate;
    int64_t verbosity;
    int64_t deferred_threads; /* executors of deferred work in this rank; 0: it is not put off */
    int64_t queue_size;       /* requests that may wait in this rank, ≥ 1 */
    enum queue_full queue_full;
    enum rank_lost rank_lost;
    int64_t drain_ns;           /* 0: what waits at the end is unfinished */
    const char *json_path;      /* NULL: none */
    const char *html_path;      /* NULL: none */
    const char *archive_path;   /* a folder; NULL: none */
    const char *csv_path;       /* NULL: none */
    const char *hlog_path;      /* NULL: none */
    const char *hgrm_path;      /* NULL: none */
    const char *prom_file_path; /* NULL: none */
    const char *prom_address;   /* NULL: none */
    enum report_format_kind report_format;
    enum report_layout layout;
    bool layout_asked; /* by --report */
    bool brief;        /* of LAYOUT_FULL, the headline and what is wrong */
    enum color color;
    bool live;                    /* a view of the run where standard output is a terminal */
    const char *request_log_path; /* NULL: none */
    const char *luajit_cmd;       /* NULL, "": none */
    struct rand_config rand;
    bool seed_given; /* else from the clock */
};

/* How many arrivals of this rank are asked for (a trace), or to be expected, from the start of the
 * run until then; none come after --time. */
static inline double settings_arrivals_asked(const struct settings *settings, int64_t until_ns)
{
    if (settings->time_ns > 0)
        until_ns = min_i64(until_ns, settings->warmup_ns + settings->time_ns);
    return arrival_plan_count(&settings->arrivals, until_ns);
}

/* The number of a worker in the whole run, by that in this rank. */
static inline unsigned settings_worker(const struct settings *settings, unsigned local)
{
    return (unsigned)settings->rank.first_thread + local;
}

/* The workers of all ranks. */
static inline int64_t settings_all_threads(const struct settings *settings)
{
    return rank_is_alone(&settings->rank) ? settings->threads : settings->rank.threads;
}

/* The number of an executor of deferred work: behind all workers. */
static inline unsigned settings_executor(const struct settings *settings, unsigned local)
{
    int64_t before = settings_all_threads(settings) +
                     (int64_t)settings->rank.number * settings->deferred_threads;
    return (unsigned)before + local;
}

#endif
