/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL functions for vectors, which SQLite does not have. */
#ifndef SQLITE_VECTORS_H
#define SQLITE_VECTORS_H

#include <sqlite3.h>

/*
 * Adds these functions to a connection. A vector is a text such as "[1.5,-0.25]", or a BLOB of
 * single-precision numbers in the byte order of the machine.
 *
 *     vector_l2(a, b), vector_cosine(a, b), vector_inner(a, b)   distance (vectors.h)
 *     vector_f32(text)                                           the BLOB
 *
 * Returns the result of SQLite.
 */
int sqlite_vectors_add(sqlite3 *db);

#endif
