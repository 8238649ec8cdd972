/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads optional parts of the program on demand, because they depend on large libraries. */
#ifndef SHARED_OBJECT_H
#define SHARED_OBJECT_H

/*
 * Returns the path of a shared object such as "sysrate_mpi.so". It is searched for next to the
 * program, in ../lib/sysrate, and in the installation folder. Returns NULL if it is in none of
 * them. The caller frees the path.
 */
char *shared_object_find(const char *file);

/* Loads the file with dlopen() and `flags`, and returns its symbol. The file stays loaded.
 * Returns NULL if the file does not exist (*why is NULL) or cannot be used (*why is the reason). */
const void *shared_object_symbol(const char *file, int flags, const char *symbol, const char **why);

#endif
