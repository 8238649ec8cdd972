/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "options/labels.h"
#include "tools/before_commands.h"
#include "tools/capacity/capacity_internal.h"
#include "tools/capacity/capacity_text.h"
#include "tools/out_folder.h"

static const struct option_spec rows[] = {
    {"slo", OPTION_STRING,
     .help = "objectives to meet, such as p99<20ms,errors<0.1%; may be repeated to add more",
     .check = slo_check, .adds = true, .field = OPTION_NO_FIELD},
    {"out", OPTION_FILE, .help = "new folder for the results", .check = out_folder_check,
     .field = OPTION_NO_FIELD},
    {"min-rate", OPTION_DOUBLE, "10", "lowest arrival rate, which is probed first", 1e-3, 1e9,
     .field = OPTION_NO_FIELD},
    {"max-rate", OPTION_DOUBLE, "1000000", "highest arrival rate to probe", 1e-3, 1e9,
     .field = OPTION_NO_FIELD},
    {"precision", OPTION_DOUBLE, "5",
     "end the search when half the width of the confidence interval is below this percentage", 0.1,
     50, .field = OPTION_NO_FIELD},
    {"probe-time", OPTION_SECONDS, "10", "measured seconds of a probe, after its warm-up", 0.1, 1e6,
     .field = OPTION_NO_FIELD},
    {"min-speed", OPTION_DOUBLE, "1",
     "with -- replay LOG: lowest speed of the replay, which is probed first", 1e-3, 1e6,
     .field = OPTION_NO_FIELD},
    {"max-speed", OPTION_DOUBLE, "10000", "with -- replay LOG: highest speed of the replay", 1e-3,
     1e6, .field = OPTION_NO_FIELD},
    {"before-probe", OPTION_STRING,
     .help = "exec: COMMAND or sh: COMMAND, which is run before each probe; may be repeated",
     .check = before_commands_check, .field = OPTION_NO_FIELD, .repeats = true,
     .argument = "=COMMAND"},
    {"pause", OPTION_SECONDS, "0.5", "seconds without load between probes",
     .field = OPTION_NO_FIELD},
    {"time-limit", OPTION_SECONDS, "1800", "seconds after which no probe begins; 0: no limit",
     .field = OPTION_NO_FIELD},
    {"pairs", OPTION_INT, "2",
     "pairs of probes at the edge, from a lower and from a higher rate; 0: none", 0, 100,
     .field = OPTION_NO_FIELD},
    {"seed", OPTION_INT, .help = "seed of the random rates and runs; default: from the clock",
     .max = 9e15, .field = OPTION_NO_FIELD},
    {"archive", OPTION_STRING,
     .help = "add each probe and the result to the archive in this folder",
     .check = out_folder_check, .field = OPTION_NO_FIELD},
    {"label", OPTION_STRING, .help = "label of all these entries; may be repeated",
     .check = label_check, .field = OPTION_NO_FIELD, .repeats = true},
    SUBJECT_LAUNCHER_ROW,
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate capacity --slo=OBJECTIVES --out=DIR [options] -- TEST [options]\n\n"
    "Finds the highest arrival rate at which the test meets all objectives. If the test is "
    "'replay LOG',\nfinds the highest speed of the replay.\n\n",
    "capacity options",
    rows,
    ARRAY_SIZE(rows),
};

/* Options that the search itself sets. */
static const char *const own_options[] = {
    "archive-kind", "arrival-trace", "drain",
    "events",       "max-requests",  "max-time",
    "rand-seed",    "rate",          "report-checkpoints",
    "slo",          "slo-abort",     "time",
    "tx-rate",      "until",         "warmup-time",
};

/* Options. */

/* A throughput objective demands a minimum of the rate, which is what the search looks for, so it
 * is refused. */
static int check_objectives(const struct slo *slo)
{
    if (slo->count == 0)
        log_text(LOG_FATAL, "capacity: --slo=OBJECTIVES is needed, such as --slo='p99<20ms'");
    for (unsigned i = 0; i < slo->count; i++)
        if (slo->objective[i].kind == SLO_THROUGHPUT || slo->objective[i].kind == SLO_GOODPUT) {
            log_text(LOG_FATAL,
                     "capacity: %s cannot be an objective, because the search looks for the rate",
                     slo->objective[i].text);
            return -1;
        }
    return slo->count > 0 ? 0 : -1;
}

static int check_subject(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->cmdline.count; i++)
        for (size_t k = 0; k < ARRAY_SIZE(own_options); k++)
            if (option_name_is(subject->cmdline.assignments[i].name, own_options[k])) {
                log_text(LOG_FATAL, "capacity: --%s cannot be used after '--': the search sets it",
                         subject->cmdline.assignments[i].name);
                return -1;
            }
    return 0;
}

static int read_goal(struct capacity *c)
{
    const struct options *set = c->subject.options;
    const struct option_value *seed = options_get(set, "seed");
    struct capacity_goal goal = {
        .min_rate = options_get(set, "min-rate")->number,
        .max_rate = options_get(set, "max-rate")->number,
        .precision = options_get(set, "precision")->number / 100,
        .pairs = (unsigned)options_int(set, "pairs"),
        .seed = (uint64_t)(seed->given ? seed->integer : clock_seed(CLOCK_SHORT_SEED))};
    slo_parse(&c->slo, options_string(set, "slo"));
    c->folder = options_string(set, "out");
    c->probe_s = options_get(set, "probe-time")->number;
    c->pause_s = options_get(set, "pause")->number;
    c->time_limit_s = options_get(set, "time-limit")->number;
    if (check_objectives(&c->slo) != 0)
        return -1;
    capacity_search_init(&c->search, &goal);
    if (c->folder == NULL)
        log_text(LOG_FATAL, "capacity: --out=DIR is needed, a folder for the results");
    else if (goal.min_rate >= goal.max_rate)
        log_text(LOG_FATAL, "capacity: --min-rate=%.15g must be below --max-rate=%.15g",
                 goal.min_rate, goal.max_rate);
    else
        return 0;
    return -1;
}

/* Returns −1 if the search should continue, otherwise the exit code. */
static int read_options(struct capacity *c, int argc, char **argv)
{
    int code = subject_init_or_log(&c->subject, &tool, argc, argv);
    if (code < 0 && (read_goal(c) != 0 || check_subject(&c->subject) != 0 ||
                     capacity_log_options(c) != 0))
        return EXIT_FAILED;
    if (code < 0)
        before_commands_load(&c->before, &c->subject.own, "before-probe");
    return code;
}

/* Progress, on standard error. */

static void print_estimate(const struct capacity *c)
{
    struct capacity_result r = capacity_search_result(&c->search);
    if (r.outcome == CAPACITY_FOUND)
        fprintf(stderr, "  | %.15g/s (%.15g to %.15g)", capacity_digits(r.rate),
                capacity_digits(r.low), capacity_digits(r.high));
}

static void print_run(const struct capacity *c)
{
    capacity_print_probe(stderr, &c->run[c->runs - 1], c->runs);
    print_estimate(c);
    fputc('\n', stderr);
}

/* The search. */

/* Waits between probes. Returns false if a signal ends the wait. */
static bool rest(double seconds)
{
    int64_t until_ns = clock_now_ns() + seconds_to_ns(seconds);
    while (interrupt_signal() == 0 && clock_now_ns() < until_ns)
        interrupt_wait(until_ns);
    return interrupt_signal() == 0;
}

static enum capacity_status take_probe(struct capacity *c, const struct capacity_probe *probe)
{
    json_t *report = NULL;
    char *text = NULL;
    struct capacity_run run = {.probe = *probe};
    if (c->log.rate > 0)
        run.speed = probe->rate / c->log.rate;
    if (before_commands_run(&c->before, "capacity: --before-probe") != 0)
        return interrupt_signal() != 0 ? CAPACITY_INTERRUPTED : CAPACITY_FAILED;
    enum capacity_status status = capacity_execute(c, &run, &report, &text);
    if (status != CAPACITY_DONE)
        return status;
    capacity_search_add(&c->search, &run.probe);
    run.probe.counts = c->search.probe[c->search.count - 1].counts;
    c->run = xrealloc(c->run, (c->runs + 1) * sizeof(*c->run));
    c->run[c->runs++] = run;
    print_run(c);
    capacity_note_settings(c, report);
    if (capacity_keep_report(c, text) != 0)
        status = CAPACITY_FAILED;
    free(text);
    json_decref(report);
    return status;
}

static void cut_short(struct capacity *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void cut_short(struct capacity *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->cut_short, sizeof(c->cut_short), fmt, args);
    va_end(args);
}

static void cut_short_by_change(struct capacity *c, const struct capacity_change *change)
{
    const bool slower = change->after < change->before;
    cut_short(c,
              "the server or this machine became %s at probe %zu: the capacity was about %.15g/s "
              "before, and is at %s about %.15g/s since then",
              slower ? "slower" : "faster", change->probe + 1, capacity_digits(change->before),
              slower ? "most" : "least", capacity_digits(change->after));
}

static bool is_over(const struct capacity *c, int64_t start_ns)
{
    return c->time_limit_s > 0 && ns_to_seconds(clock_now_ns() - start_ns) >= c->time_limit_s;
}

static enum capacity_status search(struct capacity *c)
{
    int64_t start_ns = clock_now_ns();
    struct capacity_probe probe;
    enum capacity_status status = CAPACITY_DONE;
    while (status == CAPACITY_DONE && capacity_search_next(&c->search, &probe)) {
        if (c->runs > 0 && is_over(c, start_ns)) {
            cut_short(c, "--time-limit=%g is over", c->time_limit_s);
            break;
        }
        if (c->runs > 0 && !rest(c->pause_s))
            return CAPACITY_INTERRUPTED;
        status = take_probe(c, &probe);
    }
    /* Named at its end only: a signal or the time limit is no result of the search. */
    if (status == CAPACITY_DONE && c->search.change.found)
        cut_short_by_change(c, &c->search.change);
    return status;
}

static int exit_code(const struct capacity_result *r)
{
    if (r->outcome == CAPACITY_BELOW_MIN)
        return EXIT_MISSED;
    return r->outcome == CAPACITY_ABOVE_MAX || r->precise ? EXIT_WELL : EXIT_DOUBTFUL;
}

static void print_plan(const struct capacity *c)
{
    const char *log = c->subject.cmdline.operand;
    printf("Capacity of %s%s%s with --seed=%llu:", c->subject.cmdline.test, log != NULL ? " " : "",
           log != NULL ? log : "", (unsigned long long)c->search.goal.seed);
    for (unsigned i = 0; i < c->slo.count; i++)
        printf(" %s", c->slo.objective[i].text);
    printf("\n");
    log_flush_stdout();
}

static int check_archive(const struct capacity *c)
{
    const char *archive = options_string(c->subject.options, "archive");
    return archive == NULL || archive_check(archive) == 0 ? 0 : -1;
}

/* If no probe has completed, writes nothing, so that another search can use the folder. */
static int keep_results(const struct capacity *c)
{
    if (c->runs == 0)
        return 0;
    printf("Results are in %s\n", c->folder);
    return capacity_write(c);
}

static int execute(struct capacity *c)
{
    /* Reports mistakes in the options of the test before anything is run. */
    struct child *help = subject_child(&c->subject, "help");
    if (help == NULL || subject_finish(help) != 0 || capacity_log_read(c) != 0 ||
        check_archive(c) != 0 ||
        capacity_folder_open(c) != 0 || interrupt_init() != 0)
        return EXIT_FAILED;
    clock_iso8601(c->started, sizeof(c->started));
    print_plan(c);
    enum capacity_status status = search(c);
    int signal = interrupt_signal();
    interrupt_fini();
    if (status == CAPACITY_FAILED)
        cut_short(c, "a probe failed");
    else if (signal != 0)
        cut_short(c, "signal %d (%s)", signal, strsignal(signal));
    struct capacity_result r = capacity_search_result(&c->search);
    const struct capacity_record record = capacity_record(c);
    capacity_print_result(stdout, &record);
    if (keep_results(c) != 0 || status == CAPACITY_FAILED)
        return EXIT_FAILED;
    return signal != 0 ? EXIT_BY_SIGNAL + signal : exit_code(&r);
}

int capacity_main(int argc, char **argv)
{
    struct capacity c = {.lock_fd = -1};
    int code = read_options(&c, argc, argv);
    if (code < 0)
        code = execute(&c);
    capacity_search_fini(&c.search);
    if (c.lock_fd >= 0)
        close(c.lock_fd);
    free(c.run);
    json_decref(c.settings);
    inject_plan_fini(&c.before);
    subject_fini(&c.subject);
    return code;
}
