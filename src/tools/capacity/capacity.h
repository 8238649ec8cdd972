/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sysrate capacity`: finds the highest arrival rate at which a test meets its objectives
 * (docs/capacity.md).
 */
#ifndef CAPACITY_H
#define CAPACITY_H

/*
 * argv[0] is the name of the tool. Returns the exit code: EXIT_MISSED if the lowest rate misses the
 * objectives, EXIT_DOUBTFUL if the result is less precise than requested.
 */
int capacity_main(int argc, char **argv);

#endif
