/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords in the midst of what users write: commands, statements and what these print. Found by
 * the forms in which they are usually given: --password=X and --password X, -pX, PASSWORD=X,
 * "password": "X", scheme://user:X@host, password 'X', where "password" stands for every name with
 * pass, pwd, secret or token in it. Rather too many than too few. A language in which secrets have
 * other forms adds its words.
 */
#ifndef SECRET_H
#define SECRET_H

/* Words of a language, in small letters; both lists end with NULL. */
struct secret_words {
    const char *const *names; /* more parts of names of secrets */
    const char *const *links; /* words that may come between a name and its secret in quotes */
};

/* From now on the words count, in place of those of the last call; they must stay where they are.
 * Before other threads are started. NULL: no words. */
void secret_learn(const struct secret_words *words);

/* `text` with *** for each secret; the caller frees it. */
char *secret_mask(const char *text);

/* What the command `source` has printed: its own secrets and those of `source` masked. */
char *secret_mask_output(const char *text, const char *source);

/* Overwrites the secrets in `text`. */
void secret_wipe(char *text);

#endif
