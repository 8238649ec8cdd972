/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output that is written later, or never. */
#ifndef HELD_H
#define HELD_H

/* A stream of this process, by the number of its descriptor. */
struct held {
    int own; /* where it goes otherwise; −1: it is not held */
};

/* What is written to `fd` stays in memory from now on. Where that cannot be, nothing changes. */
void held_begin(struct held *held, int fd);
/* Writes it to `to`, or, with −1, to where it would have gone, and so with all that follows. */
void held_end(struct held *held, int fd, int to);

#endif
