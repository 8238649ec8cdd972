/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "options/tool_options.h"
#include "tools/selftest/selftest_internal.h"

/* Length of a --quick selftest relative to a full one. */
#define QUICK 0.3

static const struct option_spec rows[] = {
    {.name = "quick",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "shorten the runs to a third, with wider tolerances",
     .field = OPTION_NO_FIELD},
    {.name = "rand-seed",
     .type = OPTION_INT,
     .fallback = "1",
     .help = "seed of arrivals and service times; 0: from the clock",
     .max = INFINITY,
     .field = OPTION_NO_FIELD},
    {.name = "help",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "print this help and exit",
     .field = OPTION_NO_FIELD},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate selftest [options]\n\n"
    "Checks that measurements on this machine are correct: runs with known results are compared\n"
    "with closed formulas.\n\n",
    "selftest options", rows, ARRAY_SIZE(rows)};

static int conclude(const struct selftest *t, int64_t start_ns)
{
    const char *end = t->failed > 0 ? "FAILED (docs/selftest.md says what each check means)"
                      : interrupt_signal() != 0
                          ? "interrupted"
                          : "the figures of this program are correct on this machine";
    printf("\n%u of %u checks passed in %.0f s: %s\n", t->passed, t->passed + t->failed,
           ns_to_seconds(clock_now_ns() - start_ns), end);
    if (interrupt_signal() != 0)
        return EXIT_BY_SIGNAL + interrupt_signal();
    return t->failed == 0 ? EXIT_WELL : EXIT_FAILED;
}

static int run_tests(const struct options *set)
{
    int64_t start_ns = clock_now_ns();
    struct selftest t = {.seed = options_int(set, "rand-seed"),
                         .scale = options_bool(set, "quick") ? QUICK : 1};
    if (t.seed == 0)
        t.seed = clock_seed(CLOCK_SHORT_SEED);
    if (interrupt_init() != 0)
        return EXIT_FAILED;
    clock_set_slack_ns(1);
    printf("Seed %lld. Times in ms unless another unit is named.\n\n", (long long)t.seed);
    printf("%-16s  %-34s %10s %10s   %s\n", "test", "check", "expected", "measured", "tolerance");
    selftest_queues(&t);
    selftest_ranks(&t);
    selftest_stalls(&t);
    selftest_overload(&t);
    interrupt_fini();
    return conclude(&t, start_ns);
}

/* Returns the exit code, or −1 if the tests should be run. */
static int read_options(struct options *set, struct cmdline *cmd)
{
    if (options_add(set, tool.group, tool.rows, tool.count) != 0 ||
        cmdline_apply(cmd, set, true) != 0) {
        cmdline_hint(cmd, set);
        return EXIT_FAILED;
    }
    bool help = cmd->test != NULL && strcmp(cmd->test, "help") == 0;
    if (help || options_bool(set, "help")) {
        tool_options_help(&tool, set);
        return EXIT_WELL;
    }
    if (cmd->test == NULL)
        return -1;
    log_text(LOG_FATAL, "'selftest' takes no command but help: %s", cmd->test);
    return EXIT_FAILED;
}

int selftest_main(int argc, char **argv)
{
    struct options *set = options_create();
    struct cmdline cmd = {0};
    int code = EXIT_FAILED;
    if (cmdline_collect(&cmd, argc, argv) == 0)
        code = read_options(set, &cmd);
    if (code < 0)
        code = run_tests(set);
    options_destroy(set);
    cmdline_fini(&cmd);
    return code;
}
