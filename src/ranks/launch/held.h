/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds output of this process in memory, to write or redirect it later. */
#ifndef HELD_H
#define HELD_H

/* One held stream of this process (a file descriptor such as STDERR_FILENO). */
struct held {
    int own; /* copy of the original descriptor; −1 if the stream is not held */
};

/* Redirects everything written to `fd` into memory. If that fails, output continues as before. */
void held_begin(struct held *held, int fd);
/* Ends holding: writes the held output to descriptor `to`, and directs `fd` there from now on. If
 * `to` is −1, both go to the original descriptor. */
void held_end(struct held *held, int fd, int to);

#endif
