/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sysrate capacity`: the highest arrival rate at which a test meets its objectives
 * (docs/capacity.md).
 */
#ifndef CAPACITY_H
#define CAPACITY_H

int capacity_main(int argc, char **argv);

#endif
