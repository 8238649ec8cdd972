/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of options. Options are declared as rows of tables, validated when they are parsed, and read
 * by name or copied to the field that their row names. A set holds the rows of the program, of each
 * driver and of the test.
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
 * Adds `count` rows under the heading `group` ("General options", "sqlite options" …). Help keeps
 * the order. Rows and group must outlive the set. Returns −1 after a logged message if a name
 * exists already or a default is not allowed by its own row.
 */
int options_add(struct options *set, const char *group, const struct option_spec *rows,
                size_t count);

/* Returns the row of `name` ('-' and '_' are equal), or NULL. */
const struct option_spec *options_find(const struct options *set, const char *name);

/* Returns the heading under which the row of `name` was added, or NULL if there is no such row. */
const char *options_group(const struct options *set, const char *name);
/* Returns true if options_set() would parse `text` as a value of `name`, which must exist. */
bool options_accepts(const struct options *set, const char *name, const char *text);
/* Gives an option its default, as if it had never been set. The option must exist. */
void options_reset(struct options *set, const char *name);

/*
 * Sets `name` from `text`, which is NULL if the name was given without "=". Follows same_as and
 * successor. Returns 0, or −1 after logging one line with the option, the value (never a password)
 * and the allowed values. For an unknown name returns −1 without a message.
 */
int options_set(struct options *set, const char *name, const char *text);
/*
 * The same as options_set(), with messages that begin with `where` ("FILE:LINE") unless it is NULL.
 */
int options_set_from(struct options *set, const char *name, const char *text, const char *where);

/* Returns the name by which an option was set last, for messages: an alias, or with '_' for '-'.
 * The option must exist. The text is valid until the option is set again. */
const char *options_typed(const struct options *set, const char *name);

/* Returns the value of an option. The option must exist, otherwise the program aborts. The
 * pointer is valid as long as the set, and its strings until the option is set again. */
const struct option_value *options_get(const struct options *set, const char *name);
bool options_bool(const struct options *set, const char *name);
int64_t options_int(const struct options *set, const char *name);
const char *options_string(const struct options *set, const char *name);
/* Returns the index of the value among the choices of its row, from 0. The row must have
 * choices, and the option a value. */
unsigned options_choice(const struct options *set, const char *name);

/*
 * Copies the values of all rows that name a field to `target`, the struct that the fields are in.
 */
void options_store(const struct options *set, const struct option_spec *rows, size_t count,
                   void *target);

/* Calls `visit` for each row that holds a value (aliases and ignored rows do not), in the order
 * in which rows were added. */
void options_each(const struct options *set,
                  void (*visit)(void *arg, const struct option_spec *row,
                                const struct option_value *value),
                  void *arg);

/* Prints the rows of `group` as "  --name=TYPE   description {choices}; choice: meaning
 * [default]", aligned, and sorted by name if `sorted`. The caller prints the heading. */
void options_help(const struct options *set, const char *group, bool sorted, FILE *out);

/* Returns the rows of `group` that help lists, in the order in which they were added. The caller
 * frees the array. */
const struct option_spec **options_listed(const struct options *set, const char *group,
                                          size_t *count);
/* Prints these rows as options_help() does. */
void options_help_rows(const struct option_spec *const *rows, size_t count, FILE *out);

/* Prints the options that options_help() lists in one line, in the order in which they were
 * added: "--csv=FILE, --help". */
void options_print_names(const struct options *set, const char *group, FILE *out);

#endif
