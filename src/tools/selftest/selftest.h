/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate selftest`: compares runs of the null driver with closed formulas (docs/selftest.md). */
#ifndef SELFTEST_H
#define SELFTEST_H

/*
 * Runs all tests, which takes about a minute, and prints a line for each check. Returns 0, or 1 if
 * a check failed or could not be made.
 */
int selftest_main(int argc, char **argv);

#endif
