/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SQLite file of an archive: its tables, and statements on them. */
#ifndef ARCHIVE_STORE_H
#define ARCHIVE_STORE_H

#include <sqlite3.h>

#include "archive/archive.h"

struct archive {
    sqlite3 *db;
    char *path; /* of the file */
};

/* Logs what went wrong on SQLite's side; returns −1. */
int archive_failed(const struct archive *archive);

/* NULL after a logged message. archive_finish() must follow. */
sqlite3_stmt *archive_prepare(struct archive *archive, const char *sql);
/* Steps a statement without a result to its end, and frees it. −1 after a logged message. */
int archive_finish(struct archive *archive, sqlite3_stmt *statement);
/* Executes statements without parameters and results. −1 after a logged message. */
int archive_execute(struct archive *archive, const char *sql);

/* A transaction that writes; other processes wait for its end. −1 after a logged message; what was
 * begun is undone then. */
int archive_begin(struct archive *archive);
/* Ends it: keeps what was done where `status` is 0, else undoes it. Returns 0 or −1. */
int archive_end(struct archive *archive, int status);

#endif
