/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be told from the text of an SQL statement without a server: which kind it is and where
 * its parameters stand. Literals ('…', "…", `…`, $tag$…$tag$) and comments (--, slash-star) are
 * skipped; a quote inside a literal is written twice.
 */
#ifndef SQL_TEXT_H
#define SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum sql_text_kind {
    SQL_TEXT_READ,  /* SELECT, SHOW, VALUES, WITH without a write …: gives a result set */
    SQL_TEXT_WRITE, /* INSERT, UPDATE, DELETE, REPLACE, MERGE */
    SQL_TEXT_OTHER,
};

/* By the first keyword, or the one behind a WITH clause. Of several statements the first counts. */
enum sql_text_kind sql_text_kind(const char *text, size_t length);

/* The keyword that sql_text_kind() goes by, in lower case; "" where it knows none. */
const char *sql_text_keyword(const char *text, size_t length);

/*
 * Writes the offsets of the parameters ('?') to `offsets`, ascending, as far as there is `room`.
 * Returns how many there are. With `backslash`, one in '…' or "…" takes the next character as it
 * is.
 */
unsigned sql_text_parameters(const char *text, size_t length, bool backslash, size_t *offsets,
                             unsigned room);

/*
 * Writes `text` as the inside of a standard SQL literal: quotes doubled. `to` has room for 2 ·
 * length bytes. Returns the length.
 */
size_t sql_text_double_quotes(char *to, const char *text, size_t length);

#endif
