/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/settings_rows.h"

#include <math.h>

#include "base/util.h"
#include "options/addresses.h"
#include "options/arrivals/arrival_law.h"
#include "options/arrivals/rate_profile.h"
#include "options/checkpoints.h"
#include "options/inject_plan.h"
#include "options/labels.h"
#include "options/percentiles.h"
#include "options/policies/client_policy.h"
#include "options/quantity.h"
#include "options/rank.h"
#include "options/slo.h"
#include "options/until.h"
#include "options/start_at.h"

#define KIB 1024.0
#define GIB (KIB * KIB * KIB)

/* Checks that types and bounds of rows cannot express. */

static const char *check_interval(const char *value)
{
    double seconds = 0;
    quantity_parse_time(value, &seconds);
    return seconds == 0 || seconds >= 0.001 ? NULL
                                            : "0 for none, or seconds from 0.001 to 1000000000";
}

static const char *check_staleness(const char *value)
{
    double seconds = 0;
    quantity_parse_time(value, &seconds);
    return seconds == 0 || (seconds >= 0.01 && seconds <= 10) ? NULL : "0 for none, or seconds from 0.01 to 10";
}

static const char *check_wait_events(const char *value)
{
    double rate = 0;
    quantity_parse(value, &rate);
    return rate == 0 || (rate >= 0.1 && rate <= 100) ? NULL
                                                     : "0 for none, or a rate from 0.1 to 100";
}

static const char *check_folder(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a folder";
}

static const char *check_path(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a file";
}

/* The table of options. */

#define FIELD(name) .field = offsetof(struct settings, name)
#define NO_FIELD .field = OPTION_NO_FIELD

static const struct option_spec general_rows[] = {
    {"threads", OPTION_INT, "1", "number of worker threads", 1, 1e6, FIELD(threads)},
    {"events", OPTION_INT, "0", "number of events after which the run ends; 0: no limit", 0,
     INFINITY, FIELD(events)},
    {"time", OPTION_SECONDS, "10",
     "seconds after which the run ends, not counting the warm-up; 0: no limit", FIELD(time_ns)},
    {"warmup-time", OPTION_SECONDS, "0", "seconds to run before statistics start",
     FIELD(warmup_ns)},
    {"forced-shutdown", OPTION_SECONDS, "off",
     "seconds to wait after --time for stuck workers; off: no limit", FIELD(forced_shutdown_ns),
     .off = true},
    {"thread-stack-size", OPTION_SIZE, "64K",
     "stack size of each worker thread, in addition to 1 MiB for the program and LuaJIT", 16 * KIB,
     GIB, FIELD(thread_stack_bytes)},
    {"thread-init-timeout", OPTION_SECONDS, "30", "seconds to wait until all workers are ready",
     0.001, INFINITY, FIELD(thread_init_timeout_ns)},
    {"rate", OPTION_STRING, "0", "the name of --tx-rate in sysbench", .check = rate_profile_check,
     .numeric = true, NO_FIELD},
    {"tx-rate", OPTION_STRING,
     .help = "requests that arrive per second, independent of how fast workers are; 0: a worker "
             "starts the next event as soon as it is free; TIME:RATE,... or "
             "sine(MEAN,AMPLITUDE,PERIOD): a rate that changes over time",
     .same_as = "rate", NO_FIELD},
    {"arrival", OPTION_STRING, "poisson",
     "spacing of the arrivals at the mean rate of --tx-rate. poisson: arrivals are independent; "
     "constant: arrivals are evenly spaced; gamma(CV), weibull(SHAPE): independent gaps with this "
     "coefficient of variation or shape; mmpp(RATE1,RATE2,MEAN1,MEAN2): the rate jumps between two "
     "values",
     .check = arrival_law_check, NO_FIELD},
    {"burst", OPTION_STRING,
     .help = "bursts of arrivals at the same mean rate: xFACTOR LENGTH every PERIOD, or every "
             "~PERIOD at random moments",
     .check = arrival_burst_check, NO_FIELD},
    {"arrival-trace", OPTION_FILE,
     .help = "read arrival times from this file, in seconds since the start, one on each line",
     .check = check_path, NO_FIELD},
    {"arrival-wait", OPTION_STRING, "auto", "how to wait for the next arrival",
     .choices =
         OPTION_CHOICES([ARRIVAL_WAIT_AUTO] = {"auto",
                                               "workers sleep, or spin if processors are idle"},
                        [ARRIVAL_WAIT_SLEEP] = {"sleep", "workers sleep"},
                        [ARRIVAL_WAIT_SPIN] = {"spin", "the generator spins"}),
     NO_FIELD},
    {"pacing", OPTION_STRING, "workers", "source of the next request if there is no arrival rate",
     .choices = OPTION_CHOICES(
         {"workers", "each worker starts one when it is free"},
         {"terminals", "users send requests after think times that the script sets (tpcc)"}),
     NO_FIELD},
    {"session-rate", OPTION_STRING, "0",
     "sessions that begin per second; each sends requests with think times in between, and ends; "
     "0: "
     "there are no sessions; TIME:RATE,... or sine(MEAN,AMPLITUDE,PERIOD): a rate that changes "
     "over "
     "time",
     .check = rate_profile_check, .numeric = true, NO_FIELD},
    {"session-length", OPTION_STRING, "1",
     "number of requests of a session. N: each has N; geometric(MEAN): 1 or more with this mean; "
     "unlimited: sessions last until the end of the run",
     .check = session_length_check, NO_FIELD},
    {"think", OPTION_STRING, "0",
     "time between the end of a request of a session and the next request. TIME: constant; "
     "exp(TIME): exponential with this mean; lognormal(MEAN,CV): lognormal with this mean and "
     "coefficient of variation",
     .check = think_law_check, NO_FIELD},
    {"session-connection", OPTION_STRING, "any", "worker that serves a request of a session",
     .choices = OPTION_CHOICES({"any", "the first worker that is free"},
                               {"keep", "the worker that served the first request of the session, "
                                        "and its connection"}),
     NO_FIELD},
    {"sessions", OPTION_INT, "0", "number of sessions after which none begins; 0: no limit", 0, 4e9,
     NO_FIELD},
    {"timeout", OPTION_SECONDS, "0",
     "time from its arrival after which the client gives up a request; 0: no limit",
     .check = client_timeout_check, NO_FIELD},
    {"timeout-action", OPTION_STRING, "cancel",
     "what happens to the statement of a request that the client has given up",
     .choices = OPTION_CHOICES(
         [TIMEOUT_CANCEL] = {"cancel", "the server is asked to cancel it"},
         [TIMEOUT_ABANDON] = {"abandon", "the connection is closed, and the server may finish it"}),
     NO_FIELD},
    {"retry", OPTION_STRING,
     .help = "the client repeats failed requests: ATTEMPTS [PAUSE or exp(PAUSE)] [budget PERCENT%], "
             "such as '3 exp(50ms) budget 10%'",
     .check = client_retry_check, NO_FIELD},
    {"retry-on", OPTION_STRING, "timeout,deadlock",
     "kinds of errors after which --retry repeats a request: timeout, error, deadlock",
     .check = client_retry_on_check, NO_FIELD},
    {"inject", OPTION_STRING,
     .help = "execute a statement or command during the run, and compare response times before, "
             "during and after it: TIME: sql: STATEMENT, TIME: exec: COMMAND or TIME: sh: COMMAND; "
             "may be given several times",
     .check = inject_plan_check, .repeats = true, NO_FIELD},
    {"idle-connections", OPTION_INT, "0",
     "number of connections that do nothing, beside those of the workers; they are opened after "
     "the start of the run, and again when the server closes them; 0: none",
     0, 1e6, FIELD(idle_connections)},
    {"connect-rate", OPTION_DOUBLE, "1000",
     "how many idle connections are opened per second at most", 0.1, 1e6, FIELD(connect_rate)},
    {"idle-touch", OPTION_SECONDS, "0",
     "seconds after which each idle connection executes a statement that does nothing; 0: never",
     FIELD(idle_touch_ns)},
    {"connection-storm", OPTION_STRING,
     .help = "close a number of idle connections at once during the run and open them again, and "
             "compare times before, during and after: TIME: COUNT; may be given several times",
     .check = inject_plan_check_storm, .repeats = true, NO_FIELD},
    {"strict", OPTION_BOOL, "off", "exit with status 4 if the verdict on the run is not VALID",
     FIELD(strict)},
    {"slo", OPTION_STRING,
     .help = "objectives, such as p99<20ms,mean<5ms,max<1s,errors<0.1%,throughput>500; the exit "
             "status is 3 if one is missed",
     .check = slo_check, .adds = true, NO_FIELD},
    {"slo-abort", OPTION_SECONDS, "off",
     "end the run after an objective has been missed for that many seconds; 0: end it as soon as "
     "it can no longer meet all objectives",
     FIELD(slo_abort_ns), .off = true},
    {"until", OPTION_STRING,
     .help = "end the run as soon as these figures are known with this precision, such as "
             "p99±3%,mean±2%,throughput±1%; --time is the maximum then",
     .check = until_check, NO_FIELD},
    {"deferred-threads", OPTION_INT, "1",
     "threads that execute work deferred by a script (Delivery of tpcc); 0: the event executes the "
     "work itself",
     0, 1000, FIELD(deferred_threads)},
    {"queue-size", OPTION_INT, "131072", "maximum number of requests that wait for a worker", 1,
     1 << 30, FIELD(queue_size)},
    {"queue-full", OPTION_STRING, "stop",
     "reaction to a request that arrives when the queue is full",
     .choices = OPTION_CHOICES([QUEUE_FULL_STOP] = {"stop", "the run ends"},
                               [QUEUE_FULL_DROP] = {"drop", "the request is counted as dropped"}),
     NO_FIELD},
    {"rank-lost", OPTION_STRING, "stop", "reaction of the other ranks to the loss of a rank",
     .choices = OPTION_CHOICES([RANK_LOST_STOP] = {"stop", "they end and report"},
                               [RANK_LOST_CONTINUE] = {"continue", "they finish the run"}),
     NO_FIELD},
    {"drain", OPTION_SECONDS, "0",
     "seconds after --time in which waiting requests are still executed", FIELD(drain_ns)},
    {"report-interval", OPTION_SECONDS, "0", "seconds between lines of statistics; 0: no lines",
     .check = check_interval, FIELD(report_interval_ns)},
    {"report-checkpoints", OPTION_LIST, "",
     "seconds from the start at which a full report is printed and statistics are reset",
     .check = checkpoints_check, NO_FIELD},
    {"json", OPTION_FILE,
     .help = "write all results to this file as JSON; -: write them to standard output, and all "
             "other output to standard error",
     .check = check_path, FIELD(json_path)},
    {"html", OPTION_FILE, .help = "write a page with charts to this file", .check = check_path,
     FIELD(html_path)},
    {"archive", OPTION_STRING, .help = "add the run to the archive in this folder",
     .check = check_folder, FIELD(archive_path)},
    {"archive-kind", OPTION_STRING, "run", "kind of the run in the archive",
     .choices = OPTION_CHOICES({"run", "a measurement"},
                               {"probe", "part of a search, ignored by sysrate trend"}),
     NO_FIELD},
    {"label", OPTION_STRING,
     .help = "label of the run in reports and archives: NAME=VALUE; may be given several times",
     .check = label_check, .repeats = true, NO_FIELD},
    {"csv", OPTION_FILE, .help = "write a row per --report-interval to this file",
     .check = check_path, FIELD(csv_path)},
    {"hlog", OPTION_FILE,
     .help = "write a distribution per --report-interval to this file, as HdrHistogram log",
     .check = check_path, FIELD(hlog_path)},
    {"hgrm", OPTION_FILE,
     .help = "write the distribution to this file, as HdrHistogram table of percentiles",
     .check = check_path, FIELD(hgrm_path)},
    {"prom", OPTION_STRING,
     .help = "serve metrics for Prometheus at this [ADDRESS:]PORT during the run",
     .check = listen_address_check, FIELD(prom_address)},
    {"prom-file", OPTION_FILE, .help = "write metrics for Prometheus to this file every second",
     .check = check_path, FIELD(prom_file_path)},
    {"report-format", OPTION_STRING, "text", "format of standard output",
     .choices = OPTION_CHOICES([REPORT_FORMAT_TEXT] = {"text", "the report"},
                               [REPORT_FORMAT_JSON] = {"json", "a line per --report-interval, and "
                                                               "one for the whole run"},
                               [REPORT_FORMAT_CSV] = {"csv", "a line per --report-interval"}),
     NO_FIELD},
    {"report", OPTION_STRING, "auto", "layout of the report",
     .choices = OPTION_CHOICES(
         {"auto", "full, but without the last three lines if a closed loop writes to a file or "
                  "pipe (started as sysbench: the layout of the release that is imitated)"},
         {"full", "all sections"}, {"brief", "the last three lines and problems"},
         {"sysbench-1.1", "exactly the sections of sysbench 1.1"},
         {"sysbench-1.0", "exactly the sections of sysbench 1.0"}),
     NO_FIELD},
    {"color", OPTION_STRING, "auto", "when to colour the last lines of the report",
     .choices = OPTION_CHOICES([COLOR_AUTO] = {"auto", "on a terminal, unless NO_COLOR is set"},
                               [COLOR_ALWAYS] = {"always", NULL}, [COLOR_NEVER] = {"never", NULL}),
     NO_FIELD},
    {"live", OPTION_BOOL, "off",
     "show current figures and their history at the bottom of the terminal", FIELD(live)},
    {"request-log", OPTION_FILE,
     .help = "write the arrival, start and end of each measured request to this file, in ns",
     .check = check_path, FIELD(request_log_path)},
    {"staleness", OPTION_SECONDS, "0",
     "measure how old the data is that the replicas of --read-hosts return: seconds between two "
     "updates of a marker row in the table sysrate_marker; 0: do not measure",
     .check = check_staleness, FIELD(staleness_ns), .alone = "0.05"},
    {"wait-events", OPTION_DOUBLE, "0",
     "samples per second of the wait events of the server's sessions, to divide the time of slow "
     "requests; up to ten times as many while a request is slow; 0: none",
     0, 100, .check = check_wait_events, FIELD(wait_events), .alone = "10"},
    {"wait-events-text", OPTION_BOOL, "on",
     "report the statements of other sessions that block workers", FIELD(wait_events_text)},
    {"slowest", OPTION_INT,
     .help = "number of slowest requests of which the report has the details, such as their "
             "statements; by default 10 with --wait-events, otherwise none; 0: none",
     .min = 0, .max = 1000, .alone = "10", FIELD(slowest)},
    {"node", OPTION_STRING,
     .help = "execute rank I of a run that is divided among N machines: I/N, such as 0/2 or 1/2",
     .check = rank_check, NO_FIELD},
    {"start-at", OPTION_STRING,
     .help =
         "wall-clock time at which the run starts: a time such as 2026-01-31T23:59:00Z, @SECONDS "
         "since 1970, or +SECONDS:FILE, seconds after the last change of FILE",
     .check = start_at_check, NO_FIELD},
    {"debug", OPTION_BOOL, "off", "print debugging messages", FIELD(debug)},
    {"validate", OPTION_BOOL, "off", "check results if the test supports it", FIELD(validate)},
    {"help", OPTION_BOOL, "off", "print this help and exit", NO_FIELD},
    {"version", OPTION_BOOL, "off", "print the version and exit", NO_FIELD},
    {"config-file", OPTION_FILE, .help = "read options from this file, one name=value on each line",
     .check = check_path, NO_FIELD},
    {"luajit-cmd", OPTION_STRING, .help = "command for LuaJIT, as for luajit -j", .alone = "",
     FIELD(luajit_cmd)},
    {"num-threads", OPTION_INT, .help = "old name of --threads", .successor = "threads", NO_FIELD},
    {"max-requests", OPTION_INT, .help = "old name of --events", .successor = "events", NO_FIELD},
    {"max-time", OPTION_SECONDS, .help = "old name of --time", .successor = "time", NO_FIELD},
    {"init-rng", OPTION_BOOL, .ignored = true, NO_FIELD,
     .successor = "the generator is always initialized, use --rand-seed to choose the seed"},
    {"rand-init", OPTION_BOOL, .ignored = true, NO_FIELD,
     .successor = "the generator is always initialized, use --rand-seed to choose the seed"},
};

static const struct option_spec rand_rows[] = {
    {"rand-type", OPTION_STRING, "uniform",
     "distribution of random numbers",
     .choices = OPTION_CHOICES([RAND_UNIFORM] = {"uniform", NULL},
                               [RAND_GAUSSIAN] = {"gaussian", NULL},
                               [RAND_SPECIAL] = {"special", NULL},
                               [RAND_PARETO] = {"pareto", NULL},
                               [RAND_ZIPFIAN] = {"zipfian", NULL}),
     NO_FIELD},
    {"rand-seed", OPTION_INT, "0", "seed of all random numbers; 0: derived from the clock",
     NO_FIELD},
    {"rand-spec-iter", OPTION_INT, "12", "gaussian, special: number of values that are summed up",
     1, 1000, FIELD(rand.spec_iter)},
    {"rand-spec-pct", OPTION_INT, "1", "special: percentage of the range that is special", 0, 100,
     FIELD(rand.spec_pct)},
    {"rand-spec-res", OPTION_INT, "75", "special: percentage of the values that are special", 0,
     100, FIELD(rand.spec_res)},
    {"rand-pareto-h", OPTION_DOUBLE, "0.2", "pareto: parameter h", 0.0001, 0.9999,
     FIELD(rand.pareto_h)},
    {"rand-zipfian-exp", OPTION_DOUBLE, "0.8", "zipfian: exponent", 0.0001, 10,
     FIELD(rand.zipfian_exp)},
};

static const struct option_spec log_rows[] = {
    {"verbosity", OPTION_INT, "3", "messages to print, from 0 (only fatal ones) to 5 (debug)", 0, 5,
     FIELD(verbosity)},
    {"percentile", OPTION_STRING, "95",
     "percentiles of the response time to report, such as 95 or 50,95,99.9; 100: the maximum; 0: "
     "no percentile",
     .check = percentiles_check, .numeric = true, NO_FIELD},
    {"histogram", OPTION_BOOL, "off", "print the distribution of response times in the report",
     FIELD(histogram)},
};

static const struct {
    const char *heading;
    const struct option_spec *rows;
    size_t count;
} groups[] = {
    {"General options", general_rows, ARRAY_SIZE(general_rows)},
    {"Pseudo-Random Numbers Generator options", rand_rows, ARRAY_SIZE(rand_rows)},
    {"Log options", log_rows, ARRAY_SIZE(log_rows)},
};

int settings_add_options(struct options *set)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (options_add(set, groups[i].heading, groups[i].rows, groups[i].count) != 0)
            return -1;
    return 0;
}

void settings_store(struct settings *settings, const struct options *set)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        options_store(set, groups[i].rows, groups[i].count, settings);
}
