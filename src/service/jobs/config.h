/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the configuration files of the owner of a service (JSON that other users cannot change).
 * Messages name the file, the part of it, and the key, but never a value, because it could be a
 * secret.
 */
#ifndef JOBS_CONFIG_H
#define JOBS_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

/* A part of a configuration file. */
struct config_part {
    const char *path; /* path of the file */
    char what[96];    /* name of the part in messages, for example "target 2" */
    const json_t *object;
};

/* Logs an error in a part as "FILE: WHAT: …". Returns −1. */
int config_refuse(const struct config_part *part, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Reads a configuration file. It must be a regular file that belongs to this user or to root and
 * that other users cannot write; if `secret`, they must not be able to read it either. Returns a
 * new reference to an object, or NULL after a logged message.
 */
json_t *config_load(const char *path, bool secret);

/* Each of these functions reads the value of a key. They return −1 after a logged message if the
 * value has the wrong type, is not allowed, or is missing although `needed`. If an optional key is
 * missing, *value does not change. */
int config_text(const struct config_part *part, const char *key, bool needed, const char **value);
int config_number(const struct config_part *part, const char *key, double least, double most,
                  double *value);
int config_bool(const struct config_part *part, const char *key, bool *value);
/* Reads a list of texts. */
int config_list(const struct config_part *part, const char *key, const json_t **value);
/* Checks that the part has no other keys than `keys`, a NULL-terminated list. */
int config_only(const struct config_part *part, const char *const *keys);

/* True if the text is a name: 1 to 64 letters, digits, '_', '.' and '-'. */
bool config_is_name(const char *text);

#endif
