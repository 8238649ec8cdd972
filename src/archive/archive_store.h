/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SQLite file of an archive: its tables, and functions to execute statements. */
#ifndef ARCHIVE_STORE_H
#define ARCHIVE_STORE_H

#include <sqlite3.h>

#include "archive/archive.h"

struct archive {
    sqlite3 *db;
    char *path; /* path of the file */
};

/* Logs the last error of SQLite and returns −1. */
int archive_failed(const struct archive *archive);

/* Returns NULL after a logged message. archive_finish() must be called for each statement. */
sqlite3_stmt *archive_prepare(struct archive *archive, const char *sql);
/* Executes the rest of a statement without a result, and frees it. Returns −1 after a logged
 * message. */
int archive_finish(struct archive *archive, sqlite3_stmt *statement);
/* Executes statements that have no parameters and no results. Returns −1 after a logged message. */
int archive_execute(struct archive *archive, const char *sql);

/* Begins a write transaction; other processes wait for its end. On failure logs a message, rolls
 * back and returns −1. */
int archive_begin(struct archive *archive);
/* Ends the transaction: commits if `status` is 0, otherwise rolls back. Returns 0 or −1. */
int archive_end(struct archive *archive, int status);

#endif
