/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program says of itself: --help, --version, `list`. */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>

#include "options/options.h"

struct usage {
    bool alias;                 /* it speaks as sysbench */
    const char *name, *version; /* what the banner says */
    const struct options *options;
};

void usage_version(const struct usage *u);
void usage_help(const struct usage *u);
/* `sysrate list` */
void usage_list(const struct usage *u);
/* Who types the bare name at a terminal wants to know what to type. */
void usage_beginning(const struct usage *u);
/* There is no such test (NULL: none was named): one that was perhaps meant, also of the scripts in
 * `folder`. */
void usage_suggest(const struct usage *u, const char *test, const char *folder);

#endif
