/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a driver's statements are written in, as far as src/sql has to look into them: SQL
 * (sql_language.c), or what a driver brings for its own server.
 */
#ifndef LANGUAGE_H
#define LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/secret.h"
#include "drivers/sql_text.h"

struct driver_language {
    /* Whether a statement reads or writes; of several statements the first counts. */
    enum sql_text_kind (*kind)(const char *text, size_t length);
    /* The word that kind() goes by: "update", "insert", "delete" for these; "" where there is none.
     * Not ended by a NUL. */
    const char *(*keyword)(const char *text, size_t length);
    /*
     * Writes the offsets of the parameters ('?') to `offsets`, ascending, as far as there is
     * `room`. Returns how many there are. With `backslash`, one in a literal takes the next
     * character as it is.
     */
    unsigned (*parameters)(const char *text, size_t length, bool backslash, size_t *offsets,
                           unsigned room);
    /*
     * Writes the name of the class of a statement that the workload has not named: what it does,
     * and to which table, without the number at its end: "select sbtest". Returns its length.
     */
    size_t (*class_name)(const char *text, size_t length, char *name, size_t bytes);

    /* Of a text that can be no statement, what is allowed, a static string; NULL: it may be one.
     * NULL in place of the function: only the server knows. */
    const char *(*objection)(const char *text, size_t length);

    char quote;             /* around a literal */
    unsigned escaped_bytes; /* escape() makes so many of a byte, at most */
    const char *null;       /* the literal of NULL */
    const char *bulk_end;   /* what ends a statement behind the rows of a bulk insert */
    /*
     * Rows to load can be written as INSERT INTO. Else they go through load() alone, and in its
     * lines a text field begins with '"', a number does not.
     */
    bool has_insert;
};

extern const struct driver_language sql_language;
/* For secret_learn(): PASSWORD 'X', IDENTIFIED BY 'X', … AS 'X'. */
extern const struct secret_words sql_secret_words;

#endif
