/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An option consists of the table row that declares it, and a value that is parsed and checked
 * by the rules of this row. */
#ifndef OPTION_VALUE_H
#define OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of options: the syntax of the value, and the type of the field that the value is
 * copied to. */
/* clang-format off */
enum option_type {
    OPTION_BOOL,    /* on|off (also true|false, yes|no, 1|0); --name alone is on   bool */
    OPTION_INT,     /* 64-bit whole number, or one with k, M or G (powers of ten)  int64_t */
    OPTION_SIZE,    /* whole number with optional K M G T suffix (powers of 1024)  int64_t */
    OPTION_DOUBLE,  /* finite decimal number                                       double */
    OPTION_SECONDS, /* 0 to 10^9 decimal seconds, or a number of ms, s, m or h     int64_t, ns */
    OPTION_STRING,  /* any text                                                    const char * */
    OPTION_LIST,    /* comma-separated non-empty strings; "" is the empty list     no field */
    OPTION_FILE,    /* a path                                                      const char * */
};
/* clang-format on */

#define OPTION_NO_FIELD ((size_t)-1)

/* One of the values that a row allows. */
struct option_choice {
    const char *name;
    const char *meaning; /* a sentence for help, or NULL if the name is enough */
};

/* The choices of a row: {"a", "meaning of a"}, {"b", NULL} ... */
#define OPTION_CHOICES(...)                                                                        \
    ((const struct option_choice[]){__VA_ARGS__, {NULL, NULL}}) /* ends with a NULL name */

/* A table row that declares an option. Tables rely on the order of the members up to `help`,
 * followed by `min` and `max`. */
struct option_spec {
    const char *name; /* with dashes, without the leading "--" */
    enum option_type type;
    const char *fallback; /* the default as text, or NULL */
    const char *help;     /* one line; NULL if help does not list the option */

    /* Bounds of a number, both inclusive. If both are 0, only the type limits the value.
     * INFINITY means that there is no bound. */
    double min, max;
    /* The allowed strings (of each member of a LIST), written with OPTION_CHOICES(). NULL allows
     * any string. Help lists the choices with their meanings after the help text. */
    const struct option_choice *choices;
    bool tight; /* help lists the choices without blanks, as sysbench does for this option */
    /* Checks a value that is valid for the type. Returns NULL if the value is allowed, otherwise
     * a static string that says what is allowed ("a percentage above 0 ..."). */
    const char *(*check)(const char *value);

    size_t field; /* offset into the struct given to options_store(), or OPTION_NO_FIELD */

    const char *same_as;   /* this row is another name of the row named here */
    const char *successor; /* this row is an old name: a warning names this successor, which is
                            * set instead */
    bool ignored;          /* accepted for old command lines, without effect; `successor` says
                            * why */

    bool off;          /* a number that may also be "off", which is stored as −1 */
    const char *alone; /* value of the name without "="; NULL if a value is required (a BOOL is
                        * on) */
    bool adds;         /* STRING that is a list: a second occurrence adds to the first */
    bool repeats;      /* STRING that may be given several times; all values are in `list`.
                        * Secrets are masked */
    bool numeric;      /* STRING: scripts and JSON get a value that is a number as a number */

    bool tacit; /* help does not print the default */

    const char *argument; /* how help writes the value, such as "=FILE", or "" without one; NULL
                           * derives it from the type */
};

struct option_value {
    bool given;      /* set by the user rather than by default */
    bool off;        /* the value is "off" */
    int64_t integer; /* BOOL (0 or 1), INT, SIZE, SECONDS (in ns); −1 for "off" */
    double number;   /* the same as a double, SECONDS in seconds; DOUBLE; a numeric STRING */
    bool is_number;  /* `number` is valid: for INT, SIZE, DOUBLE, SECONDS unless off, and for a
                      * numeric STRING that is a number */
    char *text;      /* the value as written, or NULL; owned by this struct */
    char **list;     /* LIST and `repeats`: NULL-terminated, owned by this struct; NULL if empty */
};

/*
 * Parses a value by the rules of its row. `text` is NULL if the name was given without "=". On
 * success returns 0 and overwrites *value without freeing it. Otherwise returns −1, leaves *value
 * unchanged and writes what is allowed to `allowed`.
 */
int option_parse(const struct option_spec *row, const char *text, struct option_value *value,
                 char *allowed, size_t allowed_bytes);

/* Appends a value to the list of an option that repeats. */
void option_value_append(struct option_value *value, const char *text);

/* Frees the memory that the value owns and zeroes it. */
void option_value_fini(struct option_value *value);

/* Returns true if the names are equal; '-' and '_' are treated as equal. */
bool option_name_is(const char *a, const char *b);

/* Returns true if the value of this option is or reveals a password, and must not be shown. `name`
 * may be a whole argument, such as --mysql-password=VALUE. */
bool option_is_secret(const char *name);

#endif
