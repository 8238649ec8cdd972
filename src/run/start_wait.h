/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for the wall-clock time at which ranks start together without a connection to each other.
 */
#ifndef START_WAIT_H
#define START_WAIT_H

#include <stdint.h>

#include "options/settings.h"

/*
 * Waits until shortly before the time that --start-at names. Sets *start_ns (CLOCK_MONOTONIC) to
 * that time, or to the present time if the option was not given. Returns −1 after a signal, or,
 * with a logged message, if the time has passed.
 */
int start_wait(const struct settings *settings, int64_t *start_ns);

#endif
