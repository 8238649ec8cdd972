/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a statement of a log may do, told from its text. The text is one that a server has executed;
 * what is not known for certain to change nothing is a write.
 */
#ifndef SQL_SCAN_H
#define SQL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* They quote and comment in different ways. */
enum sql_scan { SQL_SCAN_MYSQL, SQL_SCAN_PGSQL };

enum sql_kind {
    SQL_KIND_READ,   /* reads, or concerns its session alone: SET, BEGIN, COMMIT … */
    SQL_KIND_WRITE,  /* may change data, or lock it, or what is beyond the session */
    SQL_KIND_FORGET, /* forgets a prepared statement, which the session may not have */
    SQL_KIND_NEVER   /* makes no sense in another session than the one it was in */
};

/* The greatest of the kinds among several statements. *what, with SQL_KIND_FORGET and
 * SQL_KIND_NEVER: what it is, in the plural. */
enum sql_kind sql_scan_kind(const char *text, size_t length, enum sql_scan scan, const char **what);

/* Whether these are the first words of a statement of MySQL; `second` may be NULL. */
bool sql_scan_begins(const char *text, size_t length, const char *first, const char *second);

/* Whether it is a USE of MySQL alone; then `name` gets the database: "" if it is too long. */
bool sql_scan_use(const char *text, size_t length, char *name, size_t bytes);

/* Writes the USE of a database, whatever its name is. */
#define SQL_USE_BYTES(name_bytes) (2 * (name_bytes) + sizeof("USE ``"))
void sql_write_use(char *to, const char *name);

/* Writes a statement, or its beginning, in one line. */
void sql_scan_line(char *to, size_t bytes, const char *text);

/* Past the literal or comment that starts at `p`; `p` itself if none does. What MySQL executes of a
 * comment is none. */
const char *sql_skip_opaque(const char *p, const char *end, enum sql_scan scan);

/* Of the word or number at `p`; 0: there is none. */
size_t sql_word_length(const char *p, const char *end);

#endif
