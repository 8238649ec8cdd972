/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Query language of a driver: functions and constants that src/sql needs to examine and build
 * statements. sql_language.c implements SQL; a driver may define its own language.
 */
#ifndef LANGUAGE_H
#define LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/secret.h"
#include "drivers/sql_text.h"

struct driver_language {
    /* Returns whether a statement reads or writes. If the text contains several statements, the
     * first one decides. */
    enum sql_text_kind (*kind)(const char *text, size_t length);
    /* Returns the keyword that decides the kind, for example "update", "insert" or "delete", not
     * terminated by a NUL, or "" if the kind has no keyword. */
    const char *(*keyword)(const char *text, size_t length);
    /*
     * Writes the byte offsets of the parameters ('?') to `offsets`, in ascending order, at most
     * `room` of them. Returns the number of parameters, which may exceed `room`. If `backslash` is
     * true, a backslash in a literal escapes the next character.
     */
    unsigned (*parameters)(const char *text, size_t length, bool backslash, size_t *offsets,
                           unsigned room);
    /*
     * Writes the class name of a statement for --report-sql: the keyword and the table name without
     * digits at its end, for example "select sbtest". Returns the length of the name.
     */
    size_t (*class_name)(const char *text, size_t length, char *name, size_t bytes);

    /* If `text` cannot be a valid statement, returns a static string that describes what is
     * allowed; otherwise NULL. The member is NULL if only the server can check statements. */
    const char *(*objection)(const char *text, size_t length);

    char quote;             /* quote before and after a literal */
    unsigned escaped_bytes; /* escape() expands one byte to at most this many */
    const char *null;       /* the literal of NULL */
    const char *bulk_end;   /* text that ends a bulk insert after the last row */
    /*
     * True if rows can be loaded with INSERT INTO. Otherwise load() is the only way to load rows,
     * and its text fields, but not its numbers, begin with '"'.
     */
    bool has_insert;
};

extern const struct driver_language sql_language;
/* Words before a password in a statement, for secret_learn(): PASSWORD 'X', IDENTIFIED BY 'X',
 * IDENTIFIED ... AS 'X'. */
extern const struct secret_words sql_secret_words;

#endif
