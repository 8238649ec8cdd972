/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An option: the row that declares it, and its value, parsed and checked as the row says. */
#ifndef OPTION_VALUE_H
#define OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is allowed as a value, and the type of the field that it is copied to. */
/* clang-format off */
enum option_type {
    OPTION_BOOL,    /* on|off (also true|false, yes|no, 1|0); --name alone is on   bool */
    OPTION_INT,     /* 64-bit whole number, or one with k, M or G (powers of ten)  int64_t */
    OPTION_SIZE,    /* whole number with optional K M G T suffix (powers of 1024)  int64_t */
    OPTION_DOUBLE,  /* finite decimal number                                       double */
    OPTION_SECONDS, /* 0 to 10^9 decimal seconds, or a number of ms, s, m or h     int64_t, ns */
    OPTION_STRING,  /* any text                                                    const char * */
    OPTION_LIST,    /* comma-separated strings, none empty; "": no member          no field */
    OPTION_FILE,    /* a path                                                      const char * */
};
/* clang-format on */

#define OPTION_NO_FIELD ((size_t)-1)

/* One of the values that a row allows. */
struct option_choice {
    const char *name;
    const char *meaning; /* for help: a few words; NULL if the name says it all */
};

/* The choices of a row: {"a", "meaning of a"}, {"b", NULL} ... */
#define OPTION_CHOICES(...)                                                                        \
    ((const struct option_choice[]){__VA_ARGS__, {NULL, NULL}}) /* ends with a NULL name */

/* One row. The order of the members up to `help`, then `min` and `max`, is that of tables. */
struct option_spec {
    const char *name; /* with dashes, without the leading "--" */
    enum option_type type;
    const char *fallback; /* the default as text; NULL: none */
    const char *help;     /* one line; NULL: accepted but not listed in help */

    /* Bounds of a number, both inclusive; both 0: only the type's own. INFINITY: no bound. */
    double min, max;
    /* The strings that are allowed, of a LIST for each member: OPTION_CHOICES(). NULL: any. Help
     * lists them with their meanings after the text of the row. */
    const struct option_choice *choices;
    bool tight; /* help lists the choices without blanks, as sysbench does for this option */
    /* Looks further at a value that is right by its type. NULL when it is good, else what is
     * allowed ("a percentage above 0 ..."), a static string. */
    const char *(*check)(const char *value);

    size_t field; /* offset into the struct given to options_store(), or OPTION_NO_FIELD */

    const char *same_as;   /* this row is another name of that row */
    const char *successor; /* this row is an old name: warns, names and sets its successor */
    bool ignored;          /* accepted for old command lines, without effect (successor: why) */

    bool off;          /* a number that may also be "off", stored as −1 */
    const char *alone; /* the value of a name without one; NULL: it needs one (a BOOL is on) */
    bool adds;         /* STRING that is a list: given again, it adds to what was given before */
    bool repeats;      /* STRING that may be given again; all are in the list. Secrets are masked */
    bool numeric;      /* STRING: a text that is a plain number is one for scripts and JSON */

    bool tacit; /* help does not say what the default is */

    const char *argument; /* how help writes the value: "=FILE", "" for none; NULL: by the type */
};

struct option_value {
    bool given;      /* set by the user, not by default */
    bool off;        /* "off" where the row allows it */
    int64_t integer; /* BOOL (0/1), INT, SIZE, SECONDS (in ns); off: −1 */
    double number;   /* that as a double, SECONDS in seconds; DOUBLE; a STRING that is_number */
    bool is_number;  /* `number` is the value: of INT, SIZE, DOUBLE, SECONDS unless off, and of a
                        numeric STRING that is one */
    char *text;      /* as written; NULL: no value. Owned by the value */
    char **list;     /* LIST, `repeats`: NULL-terminated, owned by the value; NULL when empty */
};

/*
 * Parses one value by its row's rules (NULL: the name stood alone). 0 with *value overwritten,
 * nothing of it freed; or −1 with *value as it was and what is allowed written to `allowed`.
 */
int option_parse(const struct option_spec *row, const char *text, struct option_value *value,
                 char *allowed, size_t allowed_bytes);

/* Adds a value to the list of a row that repeats. */
void option_value_append(struct option_value *value, const char *text);

/* Frees what the value owns and zeroes it. */
void option_value_fini(struct option_value *value);

/* True when both are the same name: '-' and '_' are the same. */
bool option_name_is(const char *a, const char *b);

/* Its value is a password, or leads to one: not to be shown to anybody. */
bool option_is_secret(const char *name);

#endif
