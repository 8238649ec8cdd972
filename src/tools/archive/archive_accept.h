/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ARCHIVE_ACCEPT_H
#define ARCHIVE_ACCEPT_H

#include <stddef.h>

/* Checks that the JSON report of a run, or the result of a capacity search, can be shown after it
 * was added to an archive. Returns −1 after a logged message, which contains `name` and the path of
 * the first wrong value. */
int archive_accept(const char *name, const char *text, size_t bytes);

#endif
