/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tokens that allow clients to use the service. They are read from a file with one line per
 * token, `read NAME TOKEN` or `run NAME TOKEN`. The file must be accessible to its owner only.
 * Empty lines and lines that begin with # are ignored. Tokens do not change after they are loaded;
 * any thread may read them.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* Permissions of a client. Each role includes the permissions of the roles before it. */
enum token_role { ROLE_NONE, ROLE_READ, ROLE_RUN };

#define TOKEN_BYTES_MIN 20
#define TOKEN_BYTES_MAX 200

struct tokens;

/* Reads the file of tokens. Returns NULL after a logged message. */
struct tokens *tokens_load(const char *path);
void tokens_destroy(struct tokens *tokens);

/*
 * Returns the role of the token `text` and sets *name to its name. Returns ROLE_NONE if `text` is
 * no token or NULL. All tokens are compared to their last byte, so that the time this takes reveals
 * nothing about them.
 */
enum token_role tokens_role(const struct tokens *tokens, const char *text, const char **name);

/* Compares `bytes` bytes in a time that does not depend on their values. Returns true if they are
 * equal. */
bool tokens_same(const void *a, const void *b, size_t bytes);

/* Returns "none", "read" or "run". */
const char *token_role_name(enum token_role role);

#endif
