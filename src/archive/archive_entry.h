/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures by which runs are found and listed, from a report. */
#ifndef ARCHIVE_ENTRY_H
#define ARCHIVE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "report/json/report_document.h"

/* The numbers of an entry; NAN: there is none. */
enum archive_figure {
    ARCHIVE_RATE, /* asked for, per second; none in a closed loop */
    ARCHIVE_WORKERS,
    ARCHIVE_SECONDS, /* measured */
    ARCHIVE_COMPLETED_PER_S,
    ARCHIVE_MEAN_MS,
    ARCHIVE_P50_MS,
    ARCHIVE_P95_MS,
    ARCHIVE_P99_MS,
    ARCHIVE_MAX_MS,
    ARCHIVE_FAILED, /* requests */
    /* Of a capacity search, per second: what it has found, and the interval of 95 %. */
    ARCHIVE_CAPACITY_PER_S,
    ARCHIVE_CAPACITY_LOW_PER_S,
    ARCHIVE_CAPACITY_HIGH_PER_S,
    ARCHIVE_FIGURES,
};

enum archive_kind {
    ARCHIVE_RUN,
    ARCHIVE_PROBE,    /* a run that a search made: it says little by itself */
    ARCHIVE_CAPACITY, /* what a search came to */
    ARCHIVE_KINDS,
};

struct archive_entry {
    enum archive_kind kind;
    const char *started;  /* ISO 8601, UTC */
    const char *test;     /* "-": the script came from standard input */
    const char *version;  /* of the program */
    const char *host;     /* the client's; "-": not known */
    const char *verdict;  /* "VALID", or findings with commas between; "-": not judged */
    const char *settings; /* what report_settings() says, as text */
    double figure[ARCHIVE_FIGURES];
    char *own; /* what of the texts above is the entry's */
    char *own_settings;
};

/* "run", "probe", "capacity" */
const char *archive_kind_name(enum archive_kind kind);

/* "response_ms_p99" and the like: what it is called in lists and by the service. */
const char *archive_figure_name(enum archive_figure figure);

/* Its column in the archive's file. */
const char *archive_figure_column(enum archive_figure figure);

/* Texts are the document's, or the entry's own. −1 after a logged message with `name`: nothing was
 * measured. */
int archive_entry_read(struct archive_entry *entry, const struct report_document *document,
                       const char *name);
/*
 * The same of the result of a capacity search (capacity.json). Its verdict is VALID when the
 * capacity was found as precisely as asked, by a client that was not in the way; else what was
 * wrong. Texts are those of `all`, or the entry's own. −1 after a logged message with `name`.
 */
int archive_entry_read_capacity(struct archive_entry *entry, const json_t *all, const char *name);
/* Whether a text is such a result, and no report of a run. */
bool archive_is_capacity(const char *text, size_t bytes);
void archive_entry_fini(struct archive_entry *entry);

#endif
