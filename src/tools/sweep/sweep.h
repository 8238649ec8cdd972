/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate sweep`: runs a test with all combinations of given option values (docs/sweep.md). */
#ifndef SWEEP_H
#define SWEEP_H

/* argv[0] is the name of the tool. Returns the exit code. */
int sweep_main(int argc, char **argv);

#endif
