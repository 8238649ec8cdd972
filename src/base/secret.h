/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passwords in the midst of what users write: commands, statements and what these print. Found by
 * the forms in which they are usually given: --password=X and --password X, -pX, MYSQL_PWD=X,
 * "password": "X", scheme://user:X@host, PASSWORD 'X', IDENTIFIED BY 'X', where "password" stands
 * for every name with pass, pwd, secret or token in it. Rather too many than too few.
 */
#ifndef SECRET_H
#define SECRET_H

/* `text` with *** for each secret; the caller frees it. */
char *secret_mask(const char *text);

/* What the command `source` has printed: its own secrets and those of `source` masked. */
char *secret_mask_output(const char *text, const char *source);

/* Overwrites the secrets in `text`. */
void secret_wipe(char *text);

#endif
