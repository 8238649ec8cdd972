/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/tools.h"

#include <stddef.h>
#include <string.h>

#include "ranks/merge/merge_tool.h"
#include "tools/archive/archive_tool.h"
#include "tools/capacity/capacity.h"
#include "tools/compare/compare_tool.h"
#include "tools/report_tool.h"
#include "tools/selftest/selftest.h"
#include "tools/service_start.h"
#include "tools/sweep/sweep.h"
#include "tools/trend/trend_tool.h"

const struct tool tools[] = {
    {"archive", "keep the reports of runs, find them and show them again", archive_tool_main},
    {"capacity", "find the highest arrival rate that meets objectives", capacity_main},
    {"compare", "two runs side by side, and whether they differ by more than noise",
     compare_tool_main},
    {"merge", "make one report of those of several machines", merge_tool_main},
    {"report", "pages with charts, and tables, from JSON reports", report_tool_main},
    {"selftest", "check that what is measured on this machine is true", selftest_main},
    {"serve", "show an archive to web browsers and programs, and take reports", service_start_main},
    {"sweep", "run a test at all combinations of the values of some options", sweep_main},
    {"trend", "steps in the figures of an archive's runs, and what the newest is worth",
     trend_tool_main},
    {NULL, NULL, NULL},
};

const struct tool *tool_find(const char *name)
{
    const struct tool *tool = tools;
    while (tool->name != NULL && strcmp(tool->name, name) != 0)
        tool++;
    return tool->name != NULL ? tool : NULL;
}
