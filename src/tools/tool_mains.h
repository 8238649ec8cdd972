/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main functions of the tools. argv[0] is the name of the tool. The functions return the exit
 * code of the program: EXIT_WELL, EXIT_FAILED after a logged message, or another code named here.
 */
#ifndef TOOL_MAINS_H
#define TOOL_MAINS_H

/* Compares two variants in alternating blocks (docs/ab.md). Returns EXIT_WELL if no difference was
 * found at the requested precision, EXIT_DIFFERENT if B is worse, EXIT_BETTER if B is better, and
 * EXIT_UNDECIDED if neither is known. */
int ab_main(int argc, char **argv);

/* Adds runs to an archive, lists and prints them (docs/archive.md). */
int archive_tool_main(int argc, char **argv);

/* Finds the highest arrival rate at which a test meets its objectives (docs/capacity.md). Returns
 * EXIT_MISSED if the lowest rate misses the objectives, EXIT_DOUBTFUL if the result is less precise
 * than requested. */
int capacity_main(int argc, char **argv);

/* Compares two runs, or two folders of repeats (docs/compare.md). Returns EXIT_WELL if the runs are
 * the same, and EXIT_DIFFERENT if they differ. */
int compare_tool_main(int argc, char **argv);

/* Converts JSON reports to other forms. */
int report_tool_main(int argc, char **argv);

/* Compares runs of the null driver with closed formulas (docs/selftest.md). Runs all tests, which
 * takes about a minute, and prints a line for each check. Returns 1 if a check failed or could not
 * be made. */
int selftest_main(int argc, char **argv);

/* Runs a test with all combinations of given option values (docs/sweep.md). */
int sweep_main(int argc, char **argv);

/* Shows the history of the runs in an archive (docs/trend.md). Returns EXIT_DIFFERENT if there is a
 * step to the worse, and EXIT_FAILED also if there are too few runs. */
int trend_tool_main(int argc, char **argv);

#endif
