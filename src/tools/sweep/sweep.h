/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sysrate sweep`: a test at all combinations of the values of some options (docs/sweep.md). */
#ifndef SWEEP_H
#define SWEEP_H

/* As tools.h has it. */
int sweep_main(int argc, char **argv);

#endif
