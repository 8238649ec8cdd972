/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/settings_rows.h"

#include <math.h>

#include "base/util.h"
#include "options/addresses.h"
#include "options/arrivals/rate_profile.h"
#include "options/checkpoints.h"
#include "options/inject_plan.h"
#include "options/labels.h"
#include "options/percentiles.h"
#include "options/quantity.h"
#include "options/rank.h"
#include "options/slo.h"
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
    {"events", OPTION_INT, "0", "stop after that many events; 0: no limit", 0, INFINITY,
     FIELD(events)},
    {"time", OPTION_SECONDS, "10", "stop after that many seconds; 0: no limit", FIELD(time_ns)},
    {"warmup-time", OPTION_SECONDS, "0", "seconds to run before statistics start",
     FIELD(warmup_ns)},
    {"forced-shutdown", OPTION_SECONDS, "off",
     "seconds to wait after --time before stuck workers are given up, or off",
     FIELD(forced_shutdown_ns), .off = true},
    {"thread-stack-size", OPTION_SIZE, "64K",
     "stack of each worker thread, beside the 1M that the program and LuaJIT have", 16 * KIB, GIB,
     FIELD(thread_stack_bytes)},
    {"thread-init-timeout", OPTION_SECONDS, "30", "seconds that workers may take to get ready",
     0.001, INFINITY, FIELD(thread_init_timeout_ns)},
    {"rate", OPTION_STRING, "0", "sysbench's name of --tx-rate", .check = rate_profile_check,
     .numeric = true, NO_FIELD},
    {"tx-rate", OPTION_STRING,
     .help = "arrival rate: requests per second that arrive, whether workers keep up or not; 0: a "
             "worker starts the next event when it is free; TIME:RATE,... or "
             "sine(MEAN,AMPLITUDE,PERIOD): a rate that changes",
     .same_as = "rate", NO_FIELD},
    {"arrival", OPTION_STRING, "poisson",
     "how requests arrive at that rate",
     .choices = OPTION_CHOICES([ARRIVAL_POISSON] = {"poisson", "independent of each other"},
                               [ARRIVAL_CONSTANT] = {"constant", "evenly spaced"}),
     NO_FIELD},
    {"arrival-trace", OPTION_FILE,
     .help = "take the arrival times from this file, a number of seconds on each line",
     .check = check_path, NO_FIELD},
    {"arrival-wait", OPTION_STRING, "auto",
     "how to wait for the next arrival",
     .choices = OPTION_CHOICES(
         [ARRIVAL_WAIT_AUTO] = {"auto", "workers sleep, or spin if processors are idle"},
         [ARRIVAL_WAIT_SLEEP] = {"sleep", "workers sleep"},
         [ARRIVAL_WAIT_SPIN] = {"spin", "the generator spins"}),
     NO_FIELD},
    {"pacing", OPTION_STRING, "workers",
     "who sends the next request if there is no rate",
     .choices = OPTION_CHOICES(
         {"workers", "each worker when it is free"},
         {"terminals", "users whose think times come from the script (tpcc)"}),
     NO_FIELD},
    {"inject", OPTION_STRING,
     .help = "at TIME: sql: STATEMENT, TIME: exec: COMMAND or TIME: sh: COMMAND, execute that "
             "beside the run, and compare "
             "response times before, during and after; may be given several times",
     .check = inject_plan_check, .repeats = true, NO_FIELD},
    {"strict", OPTION_BOOL, "off", "exit with 4 when the verdict on the run is not VALID",
     FIELD(strict)},
    {"slo", OPTION_STRING,
     .help = "objectives: exit with 3 when one is missed "
             "(p99<20ms,mean<5ms,max<1s,errors<0.1%,throughput>500)",
     .check = slo_check, .adds = true, NO_FIELD},
    {"slo-abort", OPTION_SECONDS, "off",
     "end a run that has missed an objective for that many seconds; 0: as soon as it can no longer "
     "meet them as a whole",
     FIELD(slo_abort_ns), .off = true},
    {"deferred-threads", OPTION_INT, "1",
     "threads that execute what a script defers (Delivery of tpcc); 0: it is executed at once, in "
     "the event",
     0, 1000, FIELD(deferred_threads)},
    {"queue-size", OPTION_INT, "131072", "requests that may wait for a worker at an arrival rate",
     1, 1 << 30, FIELD(queue_size)},
    {"queue-full", OPTION_STRING, "stop",
     "what to do with a request that finds the queue full",
     .choices = OPTION_CHOICES([QUEUE_FULL_STOP] = {"stop", "end the run"},
                               [QUEUE_FULL_DROP] = {"drop", "count the request as dropped"}),
     NO_FIELD},
    {"rank-lost", OPTION_STRING, "stop",
     "what the other ranks of a run do when one is lost",
     .choices = OPTION_CHOICES([RANK_LOST_STOP] = {"stop", "they end and report"},
                               [RANK_LOST_CONTINUE] = {"continue", "they finish the run"}),
     NO_FIELD},
    {"drain", OPTION_SECONDS, "0", "seconds after --time to work off requests that still wait",
     FIELD(drain_ns)},
    {"report-interval", OPTION_SECONDS, "0", "seconds between lines of statistics; 0: none",
     .check = check_interval, FIELD(report_interval_ns)},
    {"report-checkpoints", OPTION_LIST, "",
     "seconds from the start at which the full report is printed and statistics start anew",
     .check = checkpoints_check, NO_FIELD},
    {"json", OPTION_FILE,
     .help = "write all results to this file as JSON; -: to standard output, while what stands "
             "there otherwise goes to standard error",
     .check = check_path, FIELD(json_path)},
    {"html", OPTION_FILE, .help = "write a page with charts to this file", .check = check_path,
     FIELD(html_path)},
    {"archive", OPTION_STRING, .help = "add the run to the archive in this folder",
     .check = check_folder, FIELD(archive_path)},
    {"archive-kind", OPTION_STRING, "run",
     "kind of the run in the archive",
     .choices = OPTION_CHOICES({"run", NULL},
                               {"probe", "part of a search, left out by sysrate trend"}),
     NO_FIELD},
    {"label", OPTION_STRING,
     .help = "NAME=VALUE, by which the run is found in an archive; may be repeated",
     .check = label_check, .repeats = true, NO_FIELD},
    {"csv", OPTION_FILE, .help = "write a row per --report-interval to this file",
     .check = check_path, FIELD(csv_path)},
    {"hlog", OPTION_FILE,
     .help = "write HdrHistogram's log of a distribution per --report-interval to this file",
     .check = check_path, FIELD(hlog_path)},
    {"hgrm", OPTION_FILE, .help = "write HdrHistogram's table of percentiles to this file",
     .check = check_path, FIELD(hgrm_path)},
    {"prom", OPTION_STRING,
     .help = "serve metrics for Prometheus at this [ADDRESS:]PORT while the run goes on",
     .check = listen_address_check, FIELD(prom_address)},
    {"prom-file", OPTION_FILE, .help = "write metrics for Prometheus to this file every second",
     .check = check_path, FIELD(prom_file_path)},
    {"report-format", OPTION_STRING, "text",
     "format of standard output",
     .choices = OPTION_CHOICES([REPORT_FORMAT_TEXT] = {"text", "the report"},
                               [REPORT_FORMAT_JSON] = {"json", "a line per --report-interval, and "
                                                               "one of the whole run"},
                               [REPORT_FORMAT_CSV] = {"csv", "a line per --report-interval"}),
     NO_FIELD},
    {"report", OPTION_STRING, "auto",
     "layout of the report",
     .choices = OPTION_CHOICES(
         {"auto", "full, but a closed loop whose output is no terminal ends without the last three "
                  "lines; under the name sysbench, the layout of the release that it stands for"},
         {"full", "all sections"}, {"brief", "the last three lines and problems"},
         {"sysbench-1.1", "exactly the sections of that release"},
         {"sysbench-1.0", "exactly the sections of that release"}),
     NO_FIELD},
    {"color", OPTION_STRING, "auto",
     "colour of the report's last lines",
     .choices = OPTION_CHOICES([COLOR_AUTO] = {"auto", "on a terminal, unless NO_COLOR is set"},
                               [COLOR_ALWAYS] = {"always", NULL}, [COLOR_NEVER] = {"never", NULL}),
     NO_FIELD},
    {"live", OPTION_BOOL, "off",
     "show figures and their last minutes at the bottom of the terminal", FIELD(live)},
    {"request-log", OPTION_FILE,
     .help = "write when each measured request arrived, started and ended, in ns, to this file",
     .check = check_path, FIELD(request_log_path)},
    {"node", OPTION_STRING,
     .help = "execute rank I of the N, counted from 0, that the run is divided among, each on a "
             "machine of its own: I/N",
     .check = rank_check, NO_FIELD},
    {"start-at", OPTION_STRING,
     .help =
         "begin at that moment of the wall clock: a time such as 2026-01-31T23:59:00Z, @SECONDS "
         "since 1970, or +SECONDS:FILE, so long after FILE was changed last",
     .check = start_at_check, NO_FIELD},
    {"debug", OPTION_BOOL, "off", "print debugging messages", FIELD(debug)},
    {"validate", OPTION_BOOL, "off", "check results where a test can", FIELD(validate)},
    {"help", OPTION_BOOL, "off", "print this help and exit", NO_FIELD},
    {"version", OPTION_BOOL, "off", "print the version and exit", NO_FIELD},
    {"config-file", OPTION_FILE, .help = "read options from this file, a name=value on each line",
     .check = check_path, NO_FIELD},
    {"luajit-cmd", OPTION_STRING, .help = "control LuaJIT as luajit -j does", .alone = "",
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
    {"rand-seed", OPTION_INT, "0", "seed of all random numbers; 0: from the clock", NO_FIELD},
    {"rand-spec-iter", OPTION_INT, "12", "numbers summed up for one gaussian or special number", 1,
     1000, FIELD(rand.spec_iter)},
    {"rand-spec-pct", OPTION_INT, "1", "special: percentage of the range that is special", 0, 100,
     FIELD(rand.spec_pct)},
    {"rand-spec-res", OPTION_INT, "75", "special: percentage of the numbers that fall there", 0,
     100, FIELD(rand.spec_res)},
    {"rand-pareto-h", OPTION_DOUBLE, "0.2", "pareto: parameter h", 0.0001, 0.9999,
     FIELD(rand.pareto_h)},
    {"rand-zipfian-exp", OPTION_DOUBLE, "0.8", "zipfian: exponent", 0.0001, 10,
     FIELD(rand.zipfian_exp)},
};

static const struct option_spec log_rows[] = {
    {"verbosity", OPTION_INT, "3", "messages to print, from 0 (fatal ones only) to 5 (debug)", 0, 5,
     FIELD(verbosity)},
    {"percentile", OPTION_STRING, "95",
     "percentiles of the response time to report, such as 95 or 50,95,99.9; 100: the maximum; 0: "
     "none",
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
