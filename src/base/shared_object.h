/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the program that are loaded when they are wanted, since they bring large libraries. */
#ifndef SHARED_OBJECT_H
#define SHARED_OBJECT_H

/*
 * The path of such a file ("sysrate_mpi.so"): beside the program, below the folder above it, or
 * where it was installed. NULL: it is in none of them. The caller frees it.
 */
char *shared_object_find(const char *file);

/*
 * Its symbol, with dlopen()'s `flags`; it stays loaded. NULL: the file is not there (*why is NULL),
 * or cannot be used (*why says the reason).
 */
const void *shared_object_symbol(const char *file, int flags, const char *symbol, const char **why);

#endif
