/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renames the prepared statements in PREPARE, EXECUTE and DEALLOCATE of PostgreSQL.
 *
 * A pooler in transaction mode gives a session of the server to other clients, with all that is
 * prepared in it. So a replayed session has names of its own: with those of the log it might
 * execute a statement that another client has prepared under the same name.
 *
 * EXECUTE also has a name in EXPLAIN and CREATE TABLE … AS. DEALLOCATE ALL has no name, and a
 * statement that is called "transaction" keeps its name, because PREPARE TRANSACTION is no such
 * statement.
 */
#ifndef STATEMENT_NAMES_H
#define STATEMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the text, of one or several statements, has the name of a prepared statement. */
bool statement_names_any(const char *text, size_t length);

/*
 * The text with `prefix`, of small letters, digits and '_', in front of each such name, and its
 * length in *length. Names that are the same for the server stay the same, and others do not become
 * the same, although the server cuts names at 63 bytes. The caller frees the text, which ends with
 * a NUL.
 */
char *statement_names_prefix(const char *text, size_t *length, const char *prefix);

#endif
