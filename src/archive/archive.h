/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Archive of runs: a folder with one SQLite file, which keeps each JSON report unchanged, together
 * with figures to find it by. Several processes may use one archive at the same time. A change that
 * a function has reported as done survives kill -9 and a loss of power.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/archive_entry.h"
#include "report/json/report_json.h"

struct archive;

/* A label of a run, for example "branch" = "main". */
struct archive_label {
    const char *name, *value;
};

/* Selects runs. A field that is NULL, 0 or an empty list selects all runs. Times are ISO 8601 in
 * UTC, or a prefix of such a time. */
struct archive_filter {
    const char *test;
    const char *verdict;       /* VALID or the name of a finding */
    const char *kind;          /* archive_kind_name() */
    const char *since, *until; /* runs that started at `since` or later, and before `until` */
    const struct archive_label *label; /* the run has to have all of these labels */
    size_t labels;
    int64_t id;    /* number of the only run to select; 0 for any run */
    int64_t limit; /* select only the newest `limit` runs; 0 for no limit */
    /* Number of newest runs to skip before applying the limit; only used with a limit. */
    int64_t skip;
};

struct archive_row {
    int64_t id;
    int64_t series;    /* runs with the same settings have the same number */
    const char *added; /* ISO 8601 */
    struct archive_entry entry;
    const char *labels; /* a JSON object, {} if the run has no labels */
};

/*
 * Opens the archive in the folder `path`. With `create`, makes the folder and the archive if they
 * do not exist. Returns NULL after a logged message. archive_close() ignores NULL.
 */
struct archive *archive_open(const char *path, bool create);
void archive_close(struct archive *archive);
/* Removes the file if this process has created it, no run was added by any process, and no other
 * process is using it. Only archive_close() may be called afterwards. */
void archive_discard(struct archive *archive);
/* Removes the folder if it is empty and was created by this process. Call this function after
 * archive_discard(). */
void archive_discard_folder(const char *path);

/* Makes outputs fail that would replace the file of the archive in the folder `path`, if there is
 * one. Call before threads are started. */
void archive_protect(const char *path);

/* Checks that a run can be added to the archive, which is created if necessary. On failure logs a
 * message, removes the files that were created, and returns −1. */
int archive_check(const char *path);

/*
 * Adds a text of `bytes` bytes: the JSON report of a run, or the result of a capacity search
 * (capacity.json). The run gets the labels in the report and those in `label`; if a value in
 * `label` is NULL, the run does not get the label of that name from the report. `name` is for
 * messages. Returns the number of the run; if the same report was added before, the number that it
 * got then. Returns one of the following errors after a logged message.
 */
#define ARCHIVE_ADD_REFUSED (-1) /* the text is neither a report nor the result of a search */
#define ARCHIVE_ADD_FAILED (-2)  /* the archive could not be read or written */
int64_t archive_add(struct archive *archive, const char *name, const char *text, size_t bytes,
                    const struct archive_label *label, size_t labels);

/*
 * Adds the report of a run that has just ended to the archive in the folder `path`. On failure logs
 * a message and returns −1; the report is then saved as a file in that folder if possible, and
 * another message names the file.
 */
int archive_add_report(const char *path, const struct report_json *json);

/* Sets a label of a run, or removes it if its value is NULL. Returns −1 after a logged message if
 * there is no such run. */
int archive_tag(struct archive *archive, int64_t id, const struct archive_label *label);

/* Removes a run. Returns −1 after a logged message if there is no such run. */
int archive_remove(struct archive *archive, int64_t id);

/* Calls `visit` for each selected run, from the oldest to the newest start. A row is valid until
 * `visit` returns. Returns −1 after a logged message. */
int archive_each(struct archive *archive, const struct archive_filter *filter,
                 void (*visit)(void *arg, const struct archive_row *row), void *arg);

/* Returns the number of selected runs; the limit of the filter is ignored. Returns −1 after a
 * logged message. */
int64_t archive_count(struct archive *archive, const struct archive_filter *filter);

/*
 * Saved state of an evaluation of one figure of a series, such as `sysrate trend`: any text, which
 * may be lost at any time. archive_recall() returns the text, which the caller frees, or NULL if
 * nothing was saved. Nothing is saved in an archive that cannot be written.
 */
char *archive_recall(struct archive *archive, int64_t series, const char *figure);
void archive_remember(struct archive *archive, int64_t series, const char *figure,
                      const char *state);

/*
 * Reads a report in parts, so that it is never in memory as a whole. No transaction stays open
 * between the parts. Any thread may read the next part, with its own handle of the archive.
 */
struct archive_stream;
/* Returns NULL after a logged message if there is no such run. *bytes is the length of the report. */
struct archive_stream *archive_stream_open(struct archive *archive, int64_t id, int64_t *bytes);
/* Reads at most `room` bytes into `text`. Returns their number, 0 at the end of the report, −1
 * after a logged message. */
int64_t archive_stream_read(struct archive_stream *stream, struct archive *archive, char *text,
                            size_t room);
/* NULL is ignored. */
void archive_stream_close(struct archive_stream *stream);

/* Returns the report as it was added; the caller frees it. Returns NULL after a logged message if
 * there is no such run. */
char *archive_report(struct archive *archive, int64_t id, size_t *bytes);

#endif
