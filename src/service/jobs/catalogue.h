/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests that jobs of a service may run, from a file that only its owner can change: a client
 * names a test and gives values to its parameters, each of a type and within bounds. */
#ifndef JOBS_CATALOGUE_H
#define JOBS_CATALOGUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum parameter_type { PARAMETER_INTEGER, PARAMETER_NUMBER, PARAMETER_BOOLEAN, PARAMETER_CHOICE };

struct parameter {
    const char *name; /* of the script's option */
    enum parameter_type type;
    double least, most;     /* of numbers */
    const json_t *choices;  /* texts */
    const json_t *standard; /* NULL: the script's own */
    const char *help;
};

struct catalogue_test {
    const char *name;
    const char *script; /* a bundled one's name, or a path from / on */
    const char *help;
    bool read_only;        /* it changes nothing: may go to a target in production */
    const json_t *options; /* of the script, that are always so: texts by name; NULL: none */
    struct parameter *parameter;
    size_t parameters;
};

struct catalogue {
    struct catalogue_test *test;
    size_t count;
    json_t *root; /* has the texts */
};

/* NULL after a logged message. catalogue_destroy() takes NULL. */
struct catalogue *catalogue_load(const char *path);
void catalogue_destroy(struct catalogue *catalogue);

/* NULL: there is none of that name. */
const struct catalogue_test *catalogue_find(const struct catalogue *catalogue, const char *name);
const struct parameter *catalogue_parameter(const struct catalogue_test *test, const char *name);

/* "integer" and the like. */
const char *parameter_type_name(enum parameter_type type);

/*
 * The text of a value for the command line, which the caller frees. NULL when it is not as allowed;
 * *allowed is then a text that says what is, and the caller frees that.
 */
char *parameter_value(const struct parameter *parameter, const json_t *value, char **allowed);

#endif
