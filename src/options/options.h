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

enum option_type {
    OPTION_BOOL,    /* on|off (also true|false, yes|no, 1|0); --name alone is on.  field: bool */
    OPTION_INT,     /* 64-bit whole number.                                        field: int64_t */
    OPTION_SIZE,    /* whole number with optional K M G T suffix (powers of 1024). field: int64_t */
    OPTION_DOUBLE,  /* finite decimal number.                                      field: double */
    OPTION_SECONDS, /* decimal seconds.                                            field: int64_t,
                       ns */
    OPTION_STRING,  /*                                                             field: const char
                     * */
    OPTION_LIST,    /* comma-separated strings.                                    field: none */
    OPTION_FILE, /* a path.                                                     field: const char *
                  */
};

#define OPTION_NO_FIELD ((size_t)-1)

/*
 * One row. `min`/`max` bound numbers (both inclusive; both 0: only the type's own limits).
 * `choices` lists allowed strings as "a|b|c". `check` looks further at a value that is right by its
 * type: it returns NULL when `value` is good, else what is allowed ("a percentage above 0 …"), a
 * static string.
 */
struct option_spec {
    const char *name; /* with dashes, without the leading "--" */
    enum option_type type;
    const char *fallback; /* the default as text; NULL: none */
    const char *help;     /* one line; NULL: accepted but not listed in help */
    double min, max;      /* SECONDS: at most 10^9 in any case; INFINITY: no bound */
    const char *choices;
    const char *(*check)(const char *value);
    size_t field;          /* offset into the struct given to options_store(), or OPTION_NO_FIELD */
    const char *same_as;   /* this row is another name of that row */
    const char *successor; /* this row is an old name: warns, names and sets its successor */
    bool ignored;          /* accepted for old command lines, without effect (successor: why) */
    bool off;              /* a number that may also be "off", stored as −1 */
    const char
        *alone; /* the value where the name stands without one; NULL: it needs one (a BOOL is on) */
    bool adds;  /* STRING that is a list: given again, it adds to what was given before */
    bool repeats; /* STRING: may be given several times; all values are in the list, in order. Their
                     secrets are masked */
    bool numeric; /* STRING: where the text is a plain number, scripts and JSON see a number */
};

struct option_value {
    bool given;      /* set by the user, not by default */
    bool off;        /* "off" where the row allows it */
    int64_t integer; /* BOOL (0/1), INT, SIZE, SECONDS (in ns) */
    double number;   /* INT, SIZE, DOUBLE, SECONDS (in seconds), a STRING that is_number */
    bool is_number;  /* `number` is the value */
    char *text;      /* as written; NULL: no value. Owned by the set */
    char **list; /* OPTION_LIST, `repeats`: NULL-terminated, owned by the set; NULL when empty */
};

/* Frees what the value owns and zeroes it. */
void option_value_fini(struct option_value *value);

/* True when both are the same name: '-' and '_' are the same. */
bool option_name_is(const char *a, const char *b);

/* Its value is a password, or leads to one: not to be shown to anybody. */
bool option_is_secret(const char *name);

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
/* The same; the message begins with `where`, "FILE:LINE", unless that is NULL. */
int options_set_from(struct options *set, const char *name, const char *text, const char *where);

/*
 * The value of an option that must exist (a programming error otherwise: aborts). The pointer is
 * good as long as the set, the strings behind it until the option is set again.
 */
const struct option_value *options_get(const struct options *set, const char *name);
bool options_bool(const struct options *set, const char *name);
int64_t options_int(const struct options *set, const char *name);
const char *options_string(const struct options *set, const char *name);

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
 * Prints the rows of `group` as "  --name=TYPE   description [default]", aligned; sorted by name
 * when `sorted`. The heading is the caller's.
 */
void options_help(const struct options *set, const char *group, bool sorted, FILE *out);

/* Adds a value to those of a row that repeats. */
void option_value_append(struct option_value *value, const char *text);

/*
 * Parses one value by its row's rules (NULL: the name stood alone). 0 with *value overwritten,
 * nothing of it freed; or −1 with *value as it was and what is allowed written to `allowed`.
 */
int option_parse(const struct option_spec *row, const char *text, struct option_value *value,
                 char *allowed, size_t allowed_bytes);

#endif
