/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: declared as rows of tables, validated where they are parsed, read by name or copied to
 * the field their row names. A set holds the rows of the program, of each driver and of the test.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "options/option_value.h"

struct options; /* a set of rows with their values */

struct options *options_create(void);
void options_destroy(struct options *set);

/*
 * Adds `count` rows under the heading `group` ("General options", "sqlite options" …; order is kept
 * for help). Rows and group must outlive the set. A name that stands already, or a default that its
 * own row does not allow, is an error: −1, logged.
 */
int options_add(struct options *set, const char *group, const struct option_spec *rows,
                size_t count);

/* The row of `name` ('-' and '_' are the same), or NULL. */
const struct option_spec *options_find(const struct options *set, const char *name);

/*
 * Sets `name` from text (NULL: the name stood without "="). Follows same_as and successor. Returns
 * 0; −1 after logging one line that names option, value (never a password) and what is allowed.
 * Unknown names are the caller's business: −1 without a message.
 */
int options_set(struct options *set, const char *name, const char *text);
/* options_set() with a message that begins with `where`, "FILE:LINE", unless that is NULL. */
int options_set_from(struct options *set, const char *name, const char *text, const char *where);

/* What an option that must exist was called when it was set last: an alias, '_' for '-'. For
 * messages; good until it is set again. */
const char *options_typed(const struct options *set, const char *name);

/*
 * The value of an option that must exist (a programming error otherwise: aborts). The pointer is
 * good as long as the set, the strings behind it until the option is set again.
 */
const struct option_value *options_get(const struct options *set, const char *name);
bool options_bool(const struct options *set, const char *name);
int64_t options_int(const struct options *set, const char *name);
const char *options_string(const struct options *set, const char *name);
/* The value's number among the choices of its row, counted from 0. The row must have choices, and
 * the option a value. */
unsigned options_choice(const struct options *set, const char *name);

/* Copies the values of those of the `count` rows that name a field to `target`, the struct of their
 * offsets. */
void options_store(const struct options *set, const struct option_spec *rows, size_t count,
                   void *target);

/* Calls `visit` for each row that has a value of its own (aliases and ignored rows have none), in
 * the order of adding. */
void options_each(const struct options *set,
                  void (*visit)(void *arg, const struct option_spec *row,
                                const struct option_value *value),
                  void *arg);

/*
 * Prints the rows of `group` as "  --name=TYPE   description {choices}; choice: meaning
 * [default]", aligned; sorted by name when `sorted`. The heading is the caller's.
 */
void options_help(const struct options *set, const char *group, bool sorted, FILE *out);

/* Prints what options_help() lists in one line, in the order of adding: "--csv=FILE, --help". */
void options_print_names(const struct options *set, const char *group, FILE *out);

#endif
