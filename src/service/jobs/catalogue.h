/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The catalogue of tests that jobs may run, read from a file that only its owner can change. A
 * client names a test and gives values to its parameters; each parameter has a type and bounds. */
#ifndef JOBS_CATALOGUE_H
#define JOBS_CATALOGUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum parameter_type { PARAMETER_INTEGER, PARAMETER_NUMBER, PARAMETER_BOOLEAN, PARAMETER_CHOICE };

struct parameter {
    const char *name; /* name of the script's option */
    enum parameter_type type;
    double least, most;     /* bounds of a number */
    const json_t *choices;  /* allowed texts of a choice */
    const json_t *standard; /* default value; NULL if the script's own default applies */
    const char *help;
};

struct catalogue_test {
    const char *name;
    const char *script; /* name of a bundled script, or an absolute path */
    const char *help;
    bool read_only;        /* the test changes no data and may run on a production target */
    const json_t *options; /* fixed options of the script, texts by name; may be NULL */
    struct parameter *parameter;
    size_t parameters;
};

struct catalogue {
    struct catalogue_test *test;
    size_t count;
    json_t *root; /* owns the texts */
};

/* Returns NULL after a logged message. catalogue_destroy() ignores NULL. */
struct catalogue *catalogue_load(const char *path);
void catalogue_destroy(struct catalogue *catalogue);

/* Both return NULL if there is no test or parameter of this name. */
const struct catalogue_test *catalogue_find(const struct catalogue *catalogue, const char *name);
const struct parameter *catalogue_parameter(const struct catalogue_test *test, const char *name);

/* Returns the name of a type, for example "integer". */
const char *parameter_type_name(enum parameter_type type);

/*
 * Returns the text of a value for the command line. Returns NULL if the value is not allowed;
 * *allowed is then a text that describes the allowed values. The caller frees either text.
 */
char *parameter_value(const struct parameter *parameter, const json_t *value, char **allowed);

#endif
