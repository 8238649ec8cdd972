/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from the query string of an address which runs are wanted. The names are those of the
 * options of `sysrate archive list`. */
#ifndef FILTER_H
#define FILTER_H

#include "service/serve/exchange.h"

#define FILTER_LABELS 8
#define FILTER_LIMIT 100
#define FILTER_LIMIT_MAX 1000

struct filter {
    struct archive_filter archive;                 /* its texts belong to the exchange */
    struct archive_label label[FILTER_LABELS + 1]; /* with room for a label of the handler */
};

/* Reads the query string into `filter`. Empty values are ignored, because browsers send them for
 * empty fields of a form. Returns −1 after exchange_fail() if a value is not allowed. The filter
 * must not be copied, because `archive` points to `label`. */
int filter_read(struct filter *filter, struct exchange *x);

/* Reads lists of run numbers such as "1,5,7" from all values `name` into `id`. Returns how many
 * there are, at most `most`, or 0 after exchange_fail(). */
size_t filter_read_ids(struct exchange *x, const char *name, int64_t *id, size_t most);

#endif
