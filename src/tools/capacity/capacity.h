/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sysrate capacity`: the highest arrival rate at which a test meets its objectives
 * (docs/capacity.md).
 */
#ifndef CAPACITY_H
#define CAPACITY_H

/*
 * argv[0] is the name of the tool. Returns the exit code: EXIT_MISSED when the lowest rate misses,
 * EXIT_DOUBTFUL when the result is less precise than asked.
 */
int capacity_main(int argc, char **argv);

#endif
