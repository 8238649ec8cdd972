/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/settings.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "options/addresses.h"

#define KIB 1024.0
#define GIB (KIB * KIB * KIB)

static bool contains(const int64_t *values, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool parse_checkpoint(const char *text, int64_t *checkpoint_ns)
{
    static const struct option_spec row = {.type = OPTION_SECONDS};
    struct option_value seconds;
    char allowed[128];
    if (option_parse(&row, text, &seconds, allowed, sizeof(allowed)) != 0)
        return false;
    *checkpoint_ns = seconds.integer;
    option_value_fini(&seconds);
    return *checkpoint_ns > 0;
}

/* `list` as in struct option_value. Sorts. Returns how many; −1: malformed, repeated, too many. */
static int load_checkpoints(char *const *list, int64_t *checkpoint_ns)
{
    int count = 0;
    for (; list != NULL && *list != NULL; list++) {
        int64_t ns;
        if (count == MAX_CHECKPOINTS || !parse_checkpoint(*list, &ns) ||
            contains(checkpoint_ns, count, ns))
            return -1;
        checkpoint_ns[count++] = ns;
    }
    qsort(checkpoint_ns, (size_t)count, sizeof(checkpoint_ns[0]), compare_times);
    return count;
}

/* What the rows' types and bounds cannot say. */

static const char *check_rate(const char *value)
{
    struct rate_profile profile = {0};
    const char *allowed = rate_profile_parse(&profile, value);
    rate_profile_fini(&profile);
    return allowed;
}

static const char *check_interval(const char *value)
{
    double seconds = strtod(value, NULL);
    return seconds == 0 || seconds >= 0.001 ? NULL
                                            : "0 for none, or seconds from 0.001 to 1000000000";
}

static const char *check_checkpoints(const char *value)
{
    static const struct option_spec row = {.type = OPTION_LIST};
    struct option_value list = {0};
    int64_t checkpoint_ns[MAX_CHECKPOINTS];
    char allowed[128];
    int count = -1;
    if (option_parse(&row, value, &list, allowed, sizeof(allowed)) == 0)
        count = load_checkpoints(list.list, checkpoint_ns);
    option_value_fini(&list);
    return count >= 0 ? NULL
                      : "up to 1024 different numbers of seconds above 0, separated by commas";
}

static const char *check_path(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a file";
}

static const char *check_luajit(const char *value)
{
    return value[0] != '\0' ? NULL : "a command as for luajit -j, such as off";
}

/* The table. */

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
    {"thread-stack-size", OPTION_SIZE, "64K", "stack of each worker thread", 16 * KIB, GIB,
     FIELD(thread_stack_bytes)},
    {"thread-init-timeout", OPTION_SECONDS, "30", "seconds that workers may take to get ready",
     0.001, INFINITY, FIELD(thread_init_timeout_ns)},
    {"rate", OPTION_STRING, "0",
     "arrival rate: requests per second that arrive, whether workers keep up or not; 0: a worker "
     "starts the next event when it is free; TIME:RATE,... or sine(MEAN,AMPLITUDE,PERIOD): a rate "
     "that changes",
     .check = check_rate, .numeric = true, NO_FIELD},
    {"tx-rate", OPTION_STRING, .help = "another name of --rate", .same_as = "rate", NO_FIELD},
    {"arrival", OPTION_STRING, "poisson",
     "how requests arrive at that rate {poisson, constant}: independent of each other, or evenly "
     "spaced",
     .choices = "poisson|constant", NO_FIELD},
    {"arrival-trace", OPTION_FILE,
     .help = "take the arrival times from this file, a number of seconds on each line",
     .check = check_path, NO_FIELD},
    {"arrival-wait", OPTION_STRING, "auto",
     "how the generator waits for the next arrival {auto, sleep, spin}: auto spins the last "
     "milliseconds while a processor is idle",
     .choices = "auto|sleep|spin", NO_FIELD},
    {"inject", OPTION_STRING,
     .help = "at TIME: sql: STATEMENT, TIME: exec: COMMAND or TIME: sh: COMMAND, execute that "
             "beside the run, and compare "
             "response times before, during and after; may be given several times",
     .check = inject_plan_check, .repeats = true, NO_FIELD},
    {"strict", OPTION_BOOL, "off",
     "exit with 4 when the verdict on a run at an arrival rate is not VALID", FIELD(strict)},
    {"slo", OPTION_STRING,
     .help = "objectives: exit with 3 when one is missed "
             "(p99<20ms,mean<5ms,max<1s,errors<0.1%,throughput>500)",
     .check = slo_check, .adds = true, NO_FIELD},
    {"slo-abort", OPTION_SECONDS, "off",
     "end a run that has missed an objective for that many seconds; 0: as soon as it can no longer "
     "meet them as a whole",
     FIELD(slo_abort_ns), .off = true},
    {"queue-size", OPTION_INT, "131072", "requests that may wait for a worker at an arrival rate",
     1, 1 << 30, FIELD(queue_size)},
    {"queue-full", OPTION_STRING, "stop",
     "what to do with a request that finds the queue full {stop, drop}: end the run, or count it "
     "as dropped",
     .choices = "stop|drop", NO_FIELD},
    {"drain", OPTION_SECONDS, "0", "seconds after --time to work off requests that still wait",
     FIELD(drain_ns)},
    {"report-interval", OPTION_SECONDS, "0", "seconds between lines of statistics; 0: none",
     .check = check_interval, FIELD(report_interval_ns)},
    {"report-checkpoints", OPTION_LIST, "",
     "seconds from the start at which the full report is printed and statistics start anew",
     .check = check_checkpoints, NO_FIELD},
    {"json", OPTION_FILE, .help = "write all results to this file as JSON", .check = check_path,
     FIELD(json_path)},
    {"html", OPTION_FILE, .help = "write a page with charts to this file", .check = check_path,
     FIELD(html_path)},
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
     "what goes to standard output {text, json, csv}: the report, or a line per --report-interval",
     .choices = "text|json|csv", NO_FIELD},
    {"live", OPTION_BOOL, "off",
     "show figures and their last minutes at the bottom of the terminal", FIELD(live)},
    {"request-log", OPTION_FILE,
     .help = "write when each measured request arrived, started and ended, in ns, to this file",
     .check = check_path, FIELD(request_log_path)},
    {"debug", OPTION_BOOL, "off", "print debugging messages", FIELD(debug)},
    {"validate", OPTION_BOOL, "off", "check results where a test can", FIELD(validate)},
    {"help", OPTION_BOOL, "off", "print this help and exit", NO_FIELD},
    {"version", OPTION_BOOL, "off", "print the version and exit", NO_FIELD},
    {"config-file", OPTION_FILE, .help = "read options from this file, a name=value on each line",
     .check = check_path, NO_FIELD},
    {"luajit-cmd", OPTION_STRING, .help = "control LuaJIT as luajit -j does", .check = check_luajit,
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
     "distribution of random numbers {uniform, gaussian, special, pareto, zipfian}",
     .choices = "uniform|gaussian|special|pareto|zipfian", NO_FIELD},
    {"rand-seed", OPTION_INT, "0", "seed of all random numbers; 0: from the clock", 0, INFINITY,
     NO_FIELD},
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
     "percentiles of the latency to report, such as 95 or 50,95,99.9; 100: the maximum; 0: none",
     .check = percentiles_check, .numeric = true, NO_FIELD},
    {"histogram", OPTION_BOOL, "off", "print the distribution of the latency in the report",
     FIELD(histogram)},
};

int settings_add_options(struct options *set)
{
    if (options_add(set, "General options", general_rows, ARRAY_SIZE(general_rows)) != 0 ||
        options_add(set, "Pseudo-Random Numbers Generator options", rand_rows,
                    ARRAY_SIZE(rand_rows)) != 0)
        return -1;
    return options_add(set, "Log options", log_rows, ARRAY_SIZE(log_rows));
}

/* Loading. */

static enum rand_type find_rand_type(const char *name)
{
    static const char *const names[] = {
        [RAND_UNIFORM] = "uniform", [RAND_GAUSSIAN] = "gaussian", [RAND_SPECIAL] = "special",
        [RAND_PARETO] = "pareto",   [RAND_ZIPFIAN] = "zipfian",
    };
    size_t type = 0;
    while (strcmp(names[type], name) != 0)
        type++;
    return (enum rand_type)type;
}

static uint64_t seed_from_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    /* Runs that start at the same moment differ by process. The seed must fit --rand-seed. */
    uint64_t seed = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
    return ((seed ^ (uint64_t)getpid() << 32) & INT64_MAX) | 1;
}

static void load_rand(struct settings *settings, const struct options *set)
{
    int64_t seed = options_int(set, "rand-seed");
    settings->rand.type = find_rand_type(options_string(set, "rand-type"));
    settings->seed_given = seed != 0;
    settings->rand.seed = settings->seed_given ? (uint64_t)seed : seed_from_clock();
    settings->rand.threads = (unsigned)settings->threads;
}

/* With another format than text, nothing but that goes to standard output. */
static void load_report_format(struct settings *settings, const struct options *set)
{
    const char *name = options_string(set, "report-format");
    settings->report_format = strcmp(name, "json") == 0  ? REPORT_FORMAT_JSON
                              : strcmp(name, "csv") == 0 ? REPORT_FORMAT_CSV
                                                         : REPORT_FORMAT_TEXT;
    if (settings->report_format != REPORT_FORMAT_TEXT)
        settings->verbosity = min_i64(settings->verbosity, LOG_WARNING);
    log_set_verbosity((enum log_level)settings->verbosity);
}

static void warn_without_intervals(const struct settings *settings)
{
    const struct {
        const char *name;
        bool asked;
        const char *what;
    } output[] = {{"csv", settings->csv_path != NULL, "write"},
                  {"hlog", settings->hlog_path != NULL, "write"},
                  {"html", settings->html_path != NULL, "draw over time"},
                  {"report-format=csv", settings->report_format == REPORT_FORMAT_CSV, "write"}};
    for (size_t i = 0; i < ARRAY_SIZE(output); i++)
        if (output[i].asked && settings->report_interval_ns == 0)
            log_text(LOG_WARNING, "--%s has nothing to %s without --report-interval",
                     output[i].name, output[i].what);
}

static void warn_without_rate(const struct options *set)
{
    static const char *const names[] = {"queue-size", "queue-full",   "drain",
                                        "arrival",    "arrival-wait", "strict"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (options_get(set, names[i])->given)
            log_text(LOG_WARNING, "--%s has no effect without an arrival rate (--rate)", names[i]);
}

/* A trace stands for a constant rate where only the rate counts: its mean. */
static int load_trace(struct settings *settings, const struct options *set, const char *path)
{
    static const char *const others[] = {"rate", "arrival"};
    char rate[64];
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (options_get(set, others[i])->given) {
            log_text(LOG_FATAL, "--arrival-trace and --%s exclude each other", others[i]);
            return -1;
        }
    if (arrival_trace_load(&settings->trace, path) != 0)
        return -1;
    double seconds = ns_to_seconds(settings->trace.times_ns[settings->trace.count - 1]);
    snprintf(rate, sizeof(rate), "%.9f", (double)settings->trace.count / fmax(seconds, 1e-3));
    settings->arrival = ARRIVAL_TRACE;
    return rate_profile_parse(&settings->profile, rate) == NULL ? 0 : -1;
}

/* The mean of what may change: over the run where its length is known, else over the time of the
 * points. */
static double mean_rate(const struct settings *settings)
{
    const struct rate_profile *profile = &settings->profile;
    double span_s = settings->time_ns > 0 ? ns_to_seconds(settings->warmup_ns + settings->time_ns)
                    : profile->count > 1  ? fmax(profile->points[profile->count - 1].at_s, 1)
                                          : 1;
    double mean = rate_profile_arrivals(profile, span_s) / span_s;
    /* A rate that is 0 so long that nothing arrives is an arrival rate all the same. */
    return mean > 0 || rate_profile_is_constant(profile) ? mean : rate_profile_highest(profile);
}

double settings_arrivals_asked(const struct settings *settings, int64_t until_ns)
{
    if (settings->time_ns > 0)
        until_ns = min_i64(until_ns, settings->warmup_ns + settings->time_ns);
    if (settings->arrival == ARRIVAL_TRACE)
        return (double)arrival_trace_count(&settings->trace, until_ns);
    return rate_profile_arrivals(&settings->profile, ns_to_seconds(until_ns));
}

static int load_arrivals(struct settings *settings, const struct options *set)
{
    const char *wait = options_string(set, "arrival-wait");
    const char *trace = options_string(set, "arrival-trace");
    settings->arrival_wait = strcmp(wait, "sleep") == 0  ? ARRIVAL_WAIT_SLEEP
                             : strcmp(wait, "spin") == 0 ? ARRIVAL_WAIT_SPIN
                                                         : ARRIVAL_WAIT_AUTO;
    if (strcmp(options_string(set, "arrival"), "constant") == 0)
        settings->arrival = ARRIVAL_CONSTANT;
    if (trace != NULL && load_trace(settings, set, trace) != 0)
        return -1;
    if (trace == NULL)
        rate_profile_parse(&settings->profile, options_string(set, "rate"));
    settings->rate = mean_rate(settings);
    settings->rate_changes = !rate_profile_is_constant(&settings->profile);
    return 0;
}

static int load_injections(struct settings *settings, const struct options *set)
{
    const struct inject_plan *plan = &settings->inject;
    const int64_t end_ns = settings->warmup_ns + settings->time_ns;
    inject_plan_load(&settings->inject, options_get(set, "inject")->list);
    if (plan->count > MAX_INJECTIONS) {
        log_text(LOG_FATAL, "--inject: given %u times (allowed: up to %d times)", plan->count,
                 MAX_INJECTIONS);
        return -1;
    }
    if (plan->count == 0 || settings->time_ns == 0 || plan->actions[plan->count - 1].at_ns < end_ns)
        return 0;
    log_text(LOG_FATAL,
             "--inject: %g s is not before the end of the run, at %g s (--time, --warmup-time)",
             ns_to_seconds(plan->actions[plan->count - 1].at_ns), ns_to_seconds(end_ns));
    return -1;
}

void settings_fini(struct settings *settings)
{
    inject_plan_fini(&settings->inject);
    rate_profile_fini(&settings->profile);
    arrival_trace_fini(&settings->trace);
}

int settings_load(struct settings *settings, const struct options *set)
{
    *settings = (struct settings){0};
    options_store(set, general_rows, ARRAY_SIZE(general_rows), settings);
    options_store(set, rand_rows, ARRAY_SIZE(rand_rows), settings);
    options_store(set, log_rows, ARRAY_SIZE(log_rows), settings);
    if (settings->debug)
        settings->verbosity = LOG_DEBUG;
    load_report_format(settings, set);
    warn_without_intervals(settings);
    load_rand(settings, set);
    settings->queue_full =
        strcmp(options_string(set, "queue-full"), "drop") == 0 ? QUEUE_FULL_DROP : QUEUE_FULL_STOP;
    settings->checkpoints = (unsigned)load_checkpoints(options_get(set, "report-checkpoints")->list,
                                                       settings->checkpoint_ns);
    settings->percentiles = (unsigned)percentiles_parse(options_string(set, "percentile"),
                                                        settings->percentile, MAX_PERCENTILES);
    slo_parse(&settings->slo, options_string(set, "slo"));
    if (settings->slo_abort_ns >= 0 && settings->slo.count == 0)
        log_text(LOG_WARNING, "--slo-abort has no effect without objectives (--slo)");
    if (settings->histogram && settings->percentiles == 0) {
        log_text(LOG_FATAL, "--histogram cannot be used with --percentile=0");
        return -1;
    }
    if (settings->checkpoints > 0 && settings->checkpoint_ns[0] <= settings->warmup_ns) {
        log_text(LOG_FATAL, "--report-checkpoints: %g s lies in the warm-up, which ends at %g s",
                 ns_to_seconds(settings->checkpoint_ns[0]), ns_to_seconds(settings->warmup_ns));
        return -1;
    }
    if (load_arrivals(settings, set) != 0 || load_injections(settings, set) != 0)
        return -1;
    if (settings->rate == 0)
        warn_without_rate(set);
    return 0;
}
