/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files by which the owner of a service says what may be done: JSON that others cannot change.
 * Messages name the file, the thing and the key, and never a value that could be a secret.
 */
#ifndef JOBS_CONFIG_H
#define JOBS_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

/* A part of such a file: what is read, and what messages call it. */
struct config_part {
    const char *path; /* of the file */
    char what[96];    /* "target 'shop'" */
    const json_t *object;
};

/* Logs what is wrong with a part, "FILE: WHAT: …"; returns −1. */
int config_refuse(const struct config_part *part, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Reads it: a regular file of this user (or of root) that nobody else can write, nor read where
 * `secret`. A new reference to an object; NULL after a logged message.
 */
json_t *config_load(const char *path, bool secret);

/* Each function takes a key and returns −1 after a logged message: it has the wrong type, or is not
 * as allowed, or is missing and `needed`. What is missing otherwise leaves *value as it was. */
int config_text(const struct config_part *part, const char *key, bool needed, const char **value);
int config_number(const struct config_part *part, const char *key, double least, double most,
                  double *value);
int config_bool(const struct config_part *part, const char *key, bool *value);
/* A list of texts. */
int config_list(const struct config_part *part, const char *key, const json_t **value);
/* That there are no others; `keys` is NULL-terminated. */
int config_only(const struct config_part *part, const char *const *keys);

/* A name: letters, digits, '_', '.' and '-', at most 64. */
bool config_is_name(const char *text);

#endif
