/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runs: the values of an address, named as the options of `sysrate archive list`. */
#ifndef FILTER_H
#define FILTER_H

#include "service/serve/exchange.h"

#define FILTER_LABELS 8
#define FILTER_LIMIT 100
#define FILTER_LIMIT_MAX 1000

struct filter {
    struct archive_filter archive; /* texts are the exchange's */
    struct archive_label label[FILTER_LABELS];
};

/* Empty values do not count, as a form sends them. −1 after
 * exchange_fail(): one is not as allowed. Stays where it is. */
int filter_read(struct filter *filter, struct exchange *x);

/* The numbers in "1,5,7"; at most `most` of them. Returns how many; 0 after exchange_fail(). */
size_t filter_read_ids(struct exchange *x, const char *name, int64_t *id, size_t most);

#endif
