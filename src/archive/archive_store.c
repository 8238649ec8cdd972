/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/archive_store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"

#define FILE_NAME "archive.sqlite"
/* Longest time to wait for other processes that write. */
#define BUSY_MS 60000
/* "sysr": identifies the file for programs such as file(1). */
#define APPLICATION_ID 0x73797372
#define SCHEMA 2

/*
 * The figures to find and list runs by are in a separate table, because reports are about a
 * thousand times as large. `crc` is the CRC-32 (zlib) of the report: reports with the same CRC are
 * compared byte by byte.
 */
static const char tables[] =
    "CREATE TABLE series (id INTEGER PRIMARY KEY, settings TEXT NOT NULL UNIQUE);"
    "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, series INTEGER NOT NULL REFERENCES "
    "series, crc INTEGER NOT NULL, added TEXT NOT NULL, started TEXT NOT NULL, test TEXT NOT NULL, "
    "version TEXT NOT NULL, host TEXT NOT NULL, verdict TEXT NOT NULL, rate REAL, workers REAL, "
    "seconds REAL, completed_per_s REAL, mean_ms REAL, p50_ms REAL, p95_ms REAL, p99_ms REAL, "
    "max_ms REAL, failed REAL, kind TEXT NOT NULL, capacity_per_s REAL, capacity_low_per_s REAL, "
    "capacity_high_per_s REAL);"
    "CREATE TABLE reports (run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, bytes "
    "INTEGER NOT NULL, packed BLOB NOT NULL);"
    "CREATE TABLE labels (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT "
    "NULL, value TEXT NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE judged (series INTEGER NOT NULL, figure TEXT NOT NULL, state TEXT NOT NULL, "
    "PRIMARY KEY (series, figure)) WITHOUT ROWID;"
    "CREATE INDEX runs_crc ON runs (crc);"
    "CREATE INDEX runs_started ON runs (started, id);"
    "CREATE INDEX runs_series ON runs (series, started, id);"
    "PRAGMA application_id = 1937339250;"
    "PRAGMA user_version = 2;";
_Static_assert(APPLICATION_ID == 1937339250 && SCHEMA == 2, "as in the text above");

int archive_failed(const struct archive *archive)
{
    log_text(LOG_FATAL, "archive '%s': %s", archive->path, sqlite3_errmsg(archive->db));
    return -1;
}

sqlite3_stmt *archive_prepare(struct archive *archive, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(archive->db, sql, -1, &statement, NULL) != SQLITE_OK)
        archive_failed(archive);
    return statement;
}

int archive_finish(struct archive *archive, sqlite3_stmt *statement)
{
    if (statement == NULL)
        return -1;
    int code = sqlite3_step(statement);
    int status = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : archive_failed(archive);
    sqlite3_finalize(statement);
    return status;
}

int archive_execute(struct archive *archive, const char *sql)
{
    return sqlite3_exec(archive->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                         : archive_failed(archive);
}

int archive_begin(struct archive *archive)
{
    return archive_execute(archive, "BEGIN IMMEDIATE");
}

int archive_end(struct archive *archive, int status)
{
    if (status == 0 && archive_execute(archive, "COMMIT") == 0)
        return 0;
    if (sqlite3_get_autocommit(archive->db) == 0)
        sqlite3_exec(archive->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

/* result of pragma() after an error */
#define NO_VALUE INT64_MIN

/* Returns the value of a PRAGMA, or NO_VALUE after a logged message. */
static int64_t pragma(struct archive *archive, const char *sql)
{
    sqlite3_stmt *statement = archive_prepare(archive, sql);
    int64_t value = NO_VALUE;
    if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    else if (statement != NULL)
        archive_failed(archive);
    sqlite3_finalize(statement);
    return value;
}

static const char not_ours[] = "this is not an archive of sysrate";

static int refuse(const struct archive *archive, const char *why)
{
    log_text(LOG_FATAL, "archive '%s': %s", archive->path, why);
    return -1;
}

/* The first process makes the tables; other processes wait for the end of its transaction. */
static int make_tables(struct archive *archive)
{
    if (archive_begin(archive) != 0)
        return -1;
    int64_t schema = pragma(archive, "PRAGMA user_version");
    int status = schema == NO_VALUE ? -1 : 0;
    if (schema == 0 && pragma(archive, "SELECT count(*) FROM sqlite_master") > 0)
        status = refuse(archive, not_ours);
    else if (schema == 0)
        status = archive_execute(archive, tables);
    return archive_end(archive, status);
}

static int check_schema(struct archive *archive, bool create)
{
    int64_t schema = pragma(archive, "PRAGMA user_version");
    char why[96];
    if (schema == 0 && create)
        return make_tables(archive);
    if (schema == NO_VALUE)
        return -1;
    if (pragma(archive, "PRAGMA application_id") != APPLICATION_ID)
        return refuse(archive, not_ours);
    if (schema == SCHEMA)
        return 0;
    snprintf(why, sizeof(why), "its schema is %lld, this sysrate reads %d", (long long)schema,
             SCHEMA);
    return refuse(archive, why);
}

/* True if this process has created the folder or the file. A process uses only one archive. */
static bool made_folder, made_file;

static int make_folder(const char *path)
{
    if ((made_folder = mkdir(path, 0777) == 0) || errno == EEXIST)
        return 0;
    log_errno(LOG_FATAL, "archive: cannot make the folder '%s'", path);
    return -1;
}

static int open_file(struct archive *archive, const char *path, bool create)
{
    const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &archive->db, flags, NULL) != SQLITE_OK)
        return archive_failed(archive);
    sqlite3_busy_timeout(archive->db, BUSY_MS);
    return archive_execute(archive, "PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON");
}

static int fill_draft(const struct archive *archive, const char *path)
{
    struct archive draft = {.path = archive->path};
    int status = open_file(&draft, path, true) == 0 ? make_tables(&draft) : -1;
    sqlite3_close(draft.db);
    return status;
}

/* If another process has created the file in the meantime, that file is used. */
static int put_in_place(const struct archive *archive, const char *draft)
{
    if ((made_file = link(draft, archive->path) == 0) || errno == EEXIST)
        return 0;
    /* The file system does not support hard links. */
    if ((made_file = rename(draft, archive->path) == 0))
        return 0;
    log_errno(LOG_FATAL, "archive: cannot make '%s'", archive->path);
    return -1;
}

/* The file is created under another name first, so that a file that is incomplete because the disk
 * is full never has the name of the archive. */
static int make_file(const struct archive *archive)
{
    char *draft;
    if (asprintf(&draft, "%s.new-%d-%lld", archive->path, (int)getpid(),
                 (long long)clock_seed(INT64_MAX)) < 0)
        checked_alloc(NULL);
    int status = fill_draft(archive, draft) == 0 ? put_in_place(archive, draft) : -1;
    unlink(draft);
    free(draft);
    return status;
}

static int make(const struct archive *archive, const char *folder)
{
    if (access(archive->path, F_OK) == 0)
        return 0;
    if (make_folder(folder) != 0)
        return -1;
    int status = make_file(archive);
    if (status != 0)
        archive_discard_folder(folder);
    return status;
}

static int check_there(const struct archive *archive)
{
    if (access(archive->path, F_OK) == 0)
        return 0;
    return refuse(archive, "it does not exist (create it by a run with --archive, or with "
                           "'sysrate archive add')");
}

static char *file_in(const char *folder)
{
    char *path;
    return asprintf(&path, "%s/" FILE_NAME, folder) < 0 ? checked_alloc(NULL) : path;
}

void archive_protect(const char *path)
{
    char *file = file_in(path);
    outfile_protect(file, "the archive");
    free(file);
}

struct archive *archive_open(const char *path, bool create)
{
    struct archive *archive = xcalloc(1, sizeof(*archive));
    archive->path = file_in(path);
    if ((create ? make(archive, path) : check_there(archive)) == 0 &&
        open_file(archive, archive->path, create) == 0 && check_schema(archive, create) == 0)
        return archive;
    archive_close(archive);
    return NULL;
}

void archive_close(struct archive *archive)
{
    if (archive == NULL)
        return;
    sqlite3_close(archive->db);
    free(archive->path);
    free(archive);
}

/* Other processes that wait with the file open get an error from SQLite: the file was removed. */
void archive_discard(struct archive *archive)
{
    static const char runs[] = "SELECT count(*) FROM sqlite_sequence WHERE seq > 0";
    if (!made_file)
        return;
    sqlite3_busy_timeout(archive->db, 0);
    if (sqlite3_exec(archive->db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
        return;
    if (pragma(archive, runs) == 0)
        unlink(archive->path);
    sqlite3_exec(archive->db, "ROLLBACK", NULL, NULL, NULL);
}

void archive_discard_folder(const char *path)
{
    if (made_folder)
        rmdir(path);
}

int archive_check(const char *path)
{
    struct archive *archive = archive_open(path, true);
    if (archive == NULL)
        return -1;
    /* This write fails if the folder is read-only or the disk is full. */
    int status = archive_begin(archive);
    if (status == 0)
        status = archive_end(archive, archive_execute(archive, "PRAGMA user_version = 2"));
    if (status != 0)
        archive_discard(archive);
    archive_close(archive);
    if (status != 0)
        archive_discard_folder(path);
    return status;
}
