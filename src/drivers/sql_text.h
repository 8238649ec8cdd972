/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the kind and the parameters of an SQL statement from its text. Literals ('…', "…", `…`,
 * $tag$…$tag$) and comments (--, slash-star) are skipped; a quote inside a literal is written
 * twice.
 */
#ifndef SQL_TEXT_H
#define SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum sql_text_kind {
    SQL_TEXT_READ,  /* returns a result set: SELECT, SHOW, VALUES, WITH without a write, ... */
    SQL_TEXT_WRITE, /* INSERT, UPDATE, DELETE, REPLACE, MERGE */
    SQL_TEXT_OTHER,
};

/* Returns the kind of a statement, decided by its first keyword or the one after a WITH clause. If
 * the text contains several statements, the first one decides. */
enum sql_text_kind sql_text_kind(const char *text, size_t length);

/* Returns the keyword that decides the kind, in lower case, or "" if the keyword is not known. */
const char *sql_text_keyword(const char *text, size_t length);

/*
 * Writes the byte offsets of the parameters ('?') to `offsets`, in ascending order, at most `room`
 * of them. Returns the number of parameters, which may exceed `room`. If `backslash` is true, a
 * backslash in '…' or "…" escapes the next character.
 */
unsigned sql_text_parameters(const char *text, size_t length, bool backslash, size_t *offsets,
                             unsigned room);

/*
 * Escapes `text` for use inside the quotes of a standard SQL literal, by doubling its quotes. `to`
 * has room for 2 · length bytes. Returns the number of bytes written.
 */
size_t sql_text_double_quotes(char *to, const char *text, size_t length);

#endif
