/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out from the text of a logged statement what the statement may do. The text is one that a
 * server has executed. A statement is treated as a write unless it is certain that it changes
 * nothing.
 */
#ifndef SQL_SCAN_H
#define SQL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* The two kinds of servers quote and comment in different ways. */
enum sql_scan { SQL_SCAN_MYSQL, SQL_SCAN_PGSQL };

enum sql_kind {
    SQL_KIND_READ,   /* reads, or affects its own session only: SET, BEGIN, COMMIT … */
    SQL_KIND_WRITE,  /* may change or lock data, or change something outside of its session */
    SQL_KIND_FORGET, /* deallocates a prepared statement, which the replayed session may not have */
    SQL_KIND_NEVER   /* is meaningless in another session than the original one */
};

/* Returns the highest kind among the statements in the text. With SQL_KIND_FORGET and
 * SQL_KIND_NEVER, *what is set to a noun in the plural that names such statements. */
enum sql_kind sql_scan_kind(const char *text, size_t length, enum sql_scan scan, const char **what);

/* Returns true if a MySQL statement begins with these words; `second` may be NULL. */
bool sql_scan_begins(const char *text, size_t length, const char *first, const char *second);

/* If the text is a single USE statement of MySQL, returns true and copies the database to `name`
 * ("" if it is too long). */
bool sql_scan_use(const char *text, size_t length, char *name, size_t bytes);

/* Writes a USE statement for a database with any name. `to` must have room for SQL_USE_BYTES(). */
#define SQL_USE_BYTES(name_bytes) (2 * (name_bytes) + sizeof("USE ``"))
void sql_write_use(char *to, const char *name);

/* Copies the statement, or its beginning, with each run of white space replaced by one blank. */
void sql_scan_line(char *to, size_t bytes, const char *text);

/* Returns the end of the literal or comment that starts at `p`; if neither starts there, returns
 * `p`. Comments that MySQL executes do not count as comments. */
const char *sql_skip_opaque(const char *p, const char *end, enum sql_scan scan);

/* Returns true if the text ends within a literal, a quoted name or a comment that needs an end.
 * Such a text is a part of a statement. */
bool sql_scan_is_open(const char *text, size_t length, enum sql_scan scan);

/* Length of the word or number at `p`; 0 if neither starts there. */
size_t sql_word_length(const char *p, const char *end);

#endif
