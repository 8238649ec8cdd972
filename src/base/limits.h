/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of this process that the user or the system has set (ulimit): open files, of which
 * connections are a part, the size of files, and the stack.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call at the start of main(), before any file is opened, from a function with small variables,
 * because the stack may be limited:
 * - Opens /dev/null in place of closed standard streams. Otherwise the next file could get the
 *   number of a standard stream, and reports would be written into it.
 * - Makes writes beyond the limit of file sizes fail with EFBIG instead of ending the process.
 * - Raises a low soft limit of the stack.
 * Returns 0, or −1 after a logged message if the stack is too small.
 */
int limits_begin(void);

/* Raises the soft limit for a run with `threads` threads, as far as the hard limit allows. */
void limits_allow_files(int64_t threads);

/* Makes sure that `files` more files can be opened and raises the soft limit if necessary.
 * Returns 0, or −1 after a logged message. */
int limits_reserve_files(int64_t files);

/* Checks whether the limit on open files is nearly exhausted; called after a failure that may
 * have this cause. If so, logs a message and returns true, and does so at each later call, because
 * threads that fail together free their files one after the other. Any thread may call this. */
bool limits_files_spent(int64_t threads);

#endif
