/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures by which runs are found and listed. They are read from a report. */
#ifndef ARCHIVE_ENTRY_H
#define ARCHIVE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "report/json/report_document.h"

/* The numbers of an entry. A number that the run does not have is NAN. */
enum archive_figure {
    ARCHIVE_RATE, /* requested rate per second; NAN for a closed loop */
    ARCHIVE_WORKERS,
    ARCHIVE_SECONDS, /* duration of the measurement */
    ARCHIVE_COMPLETED_PER_S,
    ARCHIVE_MEAN_MS,
    ARCHIVE_P50_MS,
    ARCHIVE_P95_MS,
    ARCHIVE_P99_MS,
    ARCHIVE_MAX_MS,
    ARCHIVE_FAILED, /* number of requests */
    /* For a capacity search, requests per second: the capacity and its 95 % confidence interval. */
    ARCHIVE_CAPACITY_PER_S,
    ARCHIVE_CAPACITY_LOW_PER_S,
    ARCHIVE_CAPACITY_HIGH_PER_S,
    ARCHIVE_FIGURES,
};

enum archive_kind {
    ARCHIVE_RUN,
    ARCHIVE_PROBE,    /* a run made by a search, which means little on its own */
    ARCHIVE_CAPACITY, /* the result of a capacity search */
    ARCHIVE_KINDS,
};

struct archive_entry {
    enum archive_kind kind;
    const char *started; /* ISO 8601, UTC */
    const char *test;    /* "-" if the script came from standard input */
    const char *version; /* version of the program */
    const char *host;    /* host of the client; "-" if it is not known */
    /* "VALID", or findings separated by commas; "-" if the run was not judged */
    const char *verdict;
    const char *settings; /* output of report_settings() as text */
    double figure[ARCHIVE_FIGURES];
    char *own; /* storage for those of the texts above that the entry owns */
    char *own_settings;
};

/* Returns "run", "probe" or "capacity". */
const char *archive_kind_name(enum archive_kind kind);

/* Name of the figure in lists and in the service, for example "response_ms_p99". */
const char *archive_figure_name(enum archive_figure figure);

/* Name of the figure's column in the archive's file. */
const char *archive_figure_column(enum archive_figure figure);

/* Reads the entry from a report. The texts belong to the document or to the entry. Returns −1 after
 * a logged message, which contains `name`, if nothing was measured. */
int archive_entry_read(struct archive_entry *entry, const struct report_document *document,
                       const char *name);
/*
 * Reads the entry from the result of a capacity search (capacity.json). Its verdict is VALID if the
 * capacity was found with the requested precision and the client was not late; otherwise the
 * verdict names the reasons. The texts belong to `all` or to the entry. Returns −1 after a logged
 * message, which contains `name`.
 */
int archive_entry_read_capacity(struct archive_entry *entry, const json_t *all, const char *name);
/* Returns true if a text is the result of a capacity search and not the report of a run. */
bool archive_is_capacity(const char *text, size_t bytes);
void archive_entry_fini(struct archive_entry *entry);

#endif
