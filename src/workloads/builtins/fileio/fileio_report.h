/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of the test `fileio`. `test` is a struct fileio. */
#ifndef FILEIO_REPORT_H
#define FILEIO_REPORT_H

#include <stdio.h>

#include "workloads/builtins/fileio/fileio.h"

/* Prints the line about --file-extra-flags. */
void fileio_print_flags(const struct fileio *fileio, FILE *out);

/* Operations of the test (builtin.h). */
void fileio_print_mode(const void *test, FILE *out);
void fileio_interval_figures(void *test, FILE *out, const struct interval *interval);
void fileio_summary_figures(void *test, FILE *out, const struct summary *summary);
void fileio_throughput_figures(void *test, FILE *out, const struct summary *summary);

#endif
