/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unique names for things that several processes create in one place, such as sessions on a server.
 */
#ifndef UNIQUE_H
#define UNIQUE_H

/* 16 hexadecimal digits and a NUL. */
#define UNIQUE_BYTES 17

/*
 * Writes 64 random bits from the kernel as hexadecimal digits. No other call writes the same text,
 * in this process, in another one or on another machine. The random streams of the workload are not
 * affected. Any thread may call it. Returns −1 with errno set if the kernel returns no random bits.
 */
int unique_write(char text[UNIQUE_BYTES]);

#endif
