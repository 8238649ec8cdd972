/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the runs of an archive as a table, as CSV or as JSON. */
#ifndef ARCHIVE_LIST_H
#define ARCHIVE_LIST_H

#include <stdio.h>

#include "archive/archive.h"

enum archive_format { ARCHIVE_TABLE, ARCHIVE_CSV, ARCHIVE_JSON };

/* Prints the runs that the filter selects. Returns −1 after a logged message. */
int archive_list(FILE *out, struct archive *archive, const struct archive_filter *filter,
                 enum archive_format format);

#endif
