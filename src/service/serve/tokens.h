/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may use the service: a file with a line for each, `read NAME TOKEN` or `run NAME TOKEN`, that
 * nobody but its owner can read or change. Empty lines and those that begin with # do not count.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* What one may do. Each includes those before it. */
enum token_role { ROLE_NONE, ROLE_READ, ROLE_RUN };

#define TOKEN_BYTES_MIN 20
#define TOKEN_BYTES_MAX 200

struct tokens;

/* NULL after a logged message. */
struct tokens *tokens_load(const char *path);
void tokens_destroy(struct tokens *tokens);

/*
 * What the holder of `text` may do, and in *name as whom; ROLE_NONE: it is no token (NULL is none).
 * How long that takes says nothing about the tokens: all are looked at, each to its end.
 */
enum token_role tokens_role(const struct tokens *tokens, const char *text, const char **name);

/* Every byte is looked at, whatever those before it are. */
bool tokens_same(const void *a, const void *b, size_t bytes);

/* "read", "run" */
const char *token_role_name(enum token_role role);

#endif
