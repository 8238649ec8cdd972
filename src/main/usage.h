/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that the program prints about itself: --help, --version and `list`. */
#ifndef USAGE_H
#define USAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "options/options.h"

struct usage {
    bool alias;                 /* the program uses the name and the words of sysbench */
    const char *name, *version; /* name and version in the banner */
    const struct options *options;
};

void usage_version(const struct usage *u);
/* Prints the page of --help; `test` is the name of the test on the command line, or NULL. */
void usage_help(const struct usage *u, const char *test);
/* Prints the output of `sysrate list`. */
void usage_list(const struct usage *u);
/* Prints a short introduction, for a start without arguments at a terminal. */
void usage_beginning(const struct usage *u);
/* Prints the meaning of the option with this name, or the tests that have such an option, also among
 * the scripts in `folder`. Returns false if there is neither. */
bool usage_option(const struct usage *u, const char *name, const char *folder, FILE *out);
/* After an unknown test (NULL if no test was named): suggests a similar name, also among the
 * scripts in `folder`. */
void usage_suggest(const struct usage *u, const char *test, const char *folder);

#endif
