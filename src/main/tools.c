/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/tools.h"

#include <stddef.h>
#include <string.h>

#include "ranks/merge/merge_tool.h"
#include "tools/service_start.h"
#include "tools/tool_mains.h"

const struct tool tools[] = {
    {"ab", "compare two variants in alternating blocks, until the difference is known", ab_main,
     TOOL_JUDGE},
    {"archive", "store reports of runs, find them and print them again", archive_tool_main,
     TOOL_KEEP},
    {"capacity", "find the highest arrival rate that meets objectives", capacity_main, TOOL_FIND},
    {"compare", "compare two runs and test whether they differ by more than noise",
     compare_tool_main, TOOL_JUDGE},
    {"merge", "combine reports of several machines into one", merge_tool_main, TOOL_KEEP},
    {"report", "make pages with charts, and tables, from JSON reports", report_tool_main,
     TOOL_KEEP},
    {"selftest", "check that measurements on this machine are correct", selftest_main, TOOL_CHECK},
    {"serve", "serve an archive to browsers and programs, and accept reports", service_start_main,
     TOOL_KEEP},
    {"sweep", "run a test with all combinations of given option values", sweep_main, TOOL_FIND},
    {"trend", "detect level changes in archived runs and judge the latest", trend_tool_main,
     TOOL_JUDGE},
    {NULL, NULL, NULL, 0},
};

const struct tool *tool_find(const char *name)
{
    const struct tool *tool = tools;
    while (tool->name != NULL && strcmp(tool->name, name) != 0)
        tool++;
    return tool->name != NULL ? tool : NULL;
}
