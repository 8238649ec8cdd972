/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/claimable.h"

#include <string.h>

#include "base/util.h"

bool option_is_claimable(const struct options *set, const char *name)
{
    static const char *const groups[] = {"General options", "General database options"};
    static const char *const known[] = {
        "threads",
        "events",
        "time",
        "warmup-time",
        "forced-shutdown",
        "thread-stack-size",
        "rate",
        "tx-rate",
        "thread-init-timeout",
        "report-interval",
        "debug",
        "report-checkpoints",
        "validate",
        "help",
        "version",
        "config-file",
        "luajit-cmd",
        "num-threads",
        "max-requests",
        "max-time",
        "init-rng",
        "rand-init",
        "db-driver",
        "db-ps-mode",
        "db-debug",
    };
    const char *group = options_group(set, name);
    bool ours = false;
    for (size_t i = 0; group != NULL && i < ARRAY_SIZE(groups); i++)
        ours = ours || strcmp(group, groups[i]) == 0;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        ours = ours && !option_name_is(known[i], name);
    return ours;
}
