/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for what several processes keep in one place, such as the session of a server. */
#ifndef UNIQUE_H
#define UNIQUE_H

/* 16 hexadecimal digits and a NUL. */
#define UNIQUE_BYTES 17

/*
 * Writes 64 random bits of the kernel as hexadecimal digits: no other call writes the same text, in
 * this process or in another one, also on another machine. Random streams of the workload stay as
 * they are. Any thread. −1, with errno set, if the kernel gives no random bits.
 */
int unique_write(char text[UNIQUE_BYTES]);

#endif
