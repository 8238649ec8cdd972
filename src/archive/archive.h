/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that stay: a folder with one SQLite file, in which each JSON report is kept as it was given,
 * beside figures to find it by. Several processes may use one archive at the same time. What a
 * function has reported as done outlives kill -9 and a loss of power.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/archive_entry.h"
#include "report/json/report_json.h"

struct archive;

/* A word about a run: "branch" = "main". */
struct archive_label {
    const char *name, *value;
};

/* Which runs; NULL and an empty list: all. Times are ISO 8601, UTC, or the beginning of such. */
struct archive_filter {
    const char *test;
    const char *verdict;               /* VALID, or the name of a finding */
    const char *kind;                  /* archive_kind_name() */
    const char *since, *until;         /* runs that started from one on, and before the other */
    const struct archive_label *label; /* each of them */
    size_t labels;
    int64_t id;    /* this one alone; 0: any */
    int64_t limit; /* the newest so many; 0: no limit */
    int64_t skip;  /* … but for the newest of all, so many; only with a limit */
};

struct archive_row {
    int64_t id;
    int64_t series;    /* runs with the same settings have the same number */
    const char *added; /* ISO 8601 */
    struct archive_entry entry;
    const char *labels; /* a JSON object, {} for none */
};

/*
 * Opens the archive in the folder `path`; with `create` makes folder and archive unless they are
 * there. NULL after a logged message. archive_close() takes NULL.
 */
struct archive *archive_open(const char *path, bool create);
void archive_close(struct archive *archive);
/* Takes the file away again where this process has made it and nobody has added a run, and nobody
 * else is using it. Only archive_close() may follow. */
void archive_discard(struct archive *archive);
/* The same of the folder, after that, where nothing is in it. */
void archive_discard_folder(const char *path);

/* Whether a run can be added there; makes the archive. −1 after a logged message: what it has made
 * is gone again. */
int archive_check(const char *path);

/*
 * Adds a JSON report of a run, or the result of a capacity search (capacity.json), of so many
 * bytes, with the labels that it was given and those named here;
 * `name` is for messages. Returns the number of the run, that of the one that is there where it was
 * added before; after a logged message one of the two errors.
 */
#define ARCHIVE_ADD_REFUSED (-1) /* the text is no such report */
#define ARCHIVE_ADD_FAILED (-2)  /* the archive could not be read or written */
int64_t archive_add(struct archive *archive, const char *name, const char *text, size_t bytes,
                    const struct archive_label *label, size_t labels);

/*
 * Adds the report of a run that has just ended to the archive in the folder `path`. −1 after a
 * logged message: the report stays in a file of that folder then, if it can be written, and another
 * message names it.
 */
int archive_add_report(const char *path, const struct report_json *json);

/* Sets a label of a run, or removes it (value NULL). −1 after a logged message: no such run. */
int archive_tag(struct archive *archive, int64_t id, const struct archive_label *label);

/* Removes a run. −1 after a logged message: no such run. */
int archive_remove(struct archive *archive, int64_t id);

/* Calls `visit` for each, from the oldest to the newest start; a row is good until it returns. −1
 * after a logged message. */
int archive_each(struct archive *archive, const struct archive_filter *filter,
                 void (*visit)(void *arg, const struct archive_row *row), void *arg);

/* How many the filter lets through, whatever its limit. −1 after a logged message. */
int64_t archive_count(struct archive *archive, const struct archive_filter *filter);

/*
 * What a judge of a figure of a series remembers: any text, which may be lost at any time. NULL:
 * nothing. The caller frees it. An archive that cannot be written remembers nothing.
 */
char *archive_recall(struct archive *archive, int64_t series, const char *figure);
void archive_remember(struct archive *archive, int64_t series, const char *figure,
                      const char *state);

/* The report as it was given; the caller frees it. NULL after a logged message: no such run. */
char *archive_report(struct archive *archive, int64_t id, size_t *bytes);

#endif
