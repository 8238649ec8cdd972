/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and masks passwords in commands, statements and their output. Recognises the usual forms:
 * --password=X and --password X, -pX, PASSWORD=X, "password": "X", scheme://user:X@host and
 * password 'X', where "password" is any name that contains pass, pwd, secret or token. Masks too
 * much rather than too little. A language with other forms of secrets adds words of its own.
 */
#ifndef SECRET_H
#define SECRET_H

/* Words of a language, in lower case. Both lists end with NULL. */
struct secret_words {
    const char *const *names; /* additional parts of the names of secrets */
    const char *const *links; /* words that may separate a name from its secret in quotes */
};

/* Sets the additional words and replaces those of the last call. The words must stay valid. Call
 * before other threads are started. NULL means no additional words. */
void secret_learn(const struct secret_words *words);

/* Returns `text` with each secret replaced by ***. The caller frees it. */
char *secret_mask(const char *text);

/* Masks `text`, the output of the command `source`: the secrets in `text`, and those in `source`
 * wherever they appear in `text`. The caller frees the result. */
char *secret_mask_output(const char *text, const char *source);

/* Overwrites the secrets in `text`. */
void secret_wipe(char *text);

#endif
