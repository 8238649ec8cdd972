/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_queue.h"

#include <string.h>

#include "archive/archive_store.h"
#include "base/log.h"
#include "base/util.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ')"

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT "
    "NULL, cancel INTEGER NOT NULL DEFAULT 0, key TEXT UNIQUE, who TEXT NOT NULL, kind TEXT NOT "
    "NULL, target TEXT NOT NULL, test TEXT NOT NULL, request TEXT NOT NULL, queued TEXT NOT NULL, "
    "started TEXT, ended TEXT, reason TEXT, result TEXT, exit_code INTEGER NOT NULL DEFAULT -1, "
    "process INTEGER NOT NULL DEFAULT 0, process_start INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX IF NOT EXISTS jobs_state ON jobs (state, id);"
    "CREATE TABLE IF NOT EXISTS job_tables (target TEXT PRIMARY KEY, names TEXT NOT NULL) WITHOUT "
    "ROWID;";

const char *job_state_name(enum job_state state)
{
    static const char *const name[] = {"queued", "running", "done", "failed", "cancelled", "lost"};
    return name[state];
}

int jobs_init(struct archive *archive)
{
    if (archive_begin(archive) != 0)
        return -1;
    return archive_end(archive, archive_execute(archive, tables));
}

static void bind(sqlite3_stmt *statement, int at, const char *text)
{
    if (statement != NULL && text != NULL)
        sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, int at, int64_t number)
{
    if (statement != NULL)
        sqlite3_bind_int64(statement, at, number);
}

/* Returns the number in the first row of a statement, or `otherwise` if there is no row, or −1
 * after a logged message. Frees the statement. */
static int64_t number_of(struct archive *archive, sqlite3_stmt *row, int64_t otherwise)
{
    int code = row != NULL ? sqlite3_step(row) : SQLITE_ERROR;
    int64_t number = code == SQLITE_ROW ? sqlite3_column_int64(row, 0) : otherwise;
    if (row != NULL && code != SQLITE_ROW && code != SQLITE_DONE)
        archive_failed(archive);
    sqlite3_finalize(row);
    return code == SQLITE_ROW || code == SQLITE_DONE ? number : -1;
}

/* Adding of jobs. */

/* Returns the job with the key and request of `job`, 0 if no job has this key. After a logged
 * message returns JOBS_REFUSED if the job with this key has another request or client, otherwise
 * −1. */
static int64_t find_key(struct archive *archive, const struct job *job)
{
    if (job->key == NULL)
        return 0;
    sqlite3_stmt *row = archive_prepare(archive, "SELECT id FROM jobs WHERE key = ?");
    bind(row, 1, job->key);
    int64_t id = number_of(archive, row, 0);
    if (id <= 0)
        return id;
    row = archive_prepare(archive, "SELECT 1 FROM jobs WHERE id = ? AND request = ? AND who = ?");
    bind_number(row, 1, id);
    bind(row, 2, job->request);
    bind(row, 3, job->who);
    int64_t same = number_of(archive, row, 0);
    if (same != 0)
        return same == 1 ? id : -1;
    log_text(LOG_FATAL, "the key '%.100s' was used for another request before", job->key);
    return JOBS_REFUSED;
}

static int64_t insert(struct archive *archive, const struct job *job)
{
    sqlite3_stmt *statement = archive_prepare(
        archive, "INSERT INTO jobs (state, key, who, kind, target, test, request, queued) VALUES "
                 "(0, ?, ?, ?, ?, ?, ?, " NOW ")");
    bind(statement, 1, job->key);
    bind(statement, 2, job->who);
    bind(statement, 3, job->kind);
    bind(statement, 4, job->target);
    bind(statement, 5, job->test);
    bind(statement, 6, job->request);
    return archive_finish(archive, statement) == 0 ? sqlite3_last_insert_rowid(archive->db) : -1;
}

int64_t jobs_add(struct archive *archive, const struct job *job, bool *known)
{
    if (archive_begin(archive) != 0)
        return -1;
    int64_t id = find_key(archive, job);
    *known = id > 0;
    if (id == 0)
        id = insert(archive, job);
    return archive_end(archive, id > 0 ? 0 : -1) == 0 || id == JOBS_REFUSED ? id : -1;
}

/* Reading of jobs. */

static const char *text_at(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static void read_job(struct job *job, sqlite3_stmt *row)
{
    *job = (struct job){
        .id = sqlite3_column_int64(row, 0),
        .state = (enum job_state)sqlite3_column_int(row, 1),
        .cancel = sqlite3_column_int(row, 2) != 0,
        .key = text_at(row, 3),
        .who = text_at(row, 4),
        .kind = text_at(row, 5),
        .target = text_at(row, 6),
        .test = text_at(row, 7),
        .request = text_at(row, 8),
        .queued = text_at(row, 9),
        .started = text_at(row, 10),
        .ended = text_at(row, 11),
        .reason = text_at(row, 12),
        .result = text_at(row, 13),
        .exit_code = sqlite3_column_int(row, 14),
        .process = sqlite3_column_int64(row, 15),
        .process_start = sqlite3_column_int64(row, 16),
    };
}

int64_t jobs_each(struct archive *archive, const struct jobs_filter *filter,
                  void (*visit)(void *arg, const struct job *job), void *arg)
{
    sqlite3_stmt *row = archive_prepare(
        archive, "SELECT id, state, cancel, key, who, kind, target, test, request, queued, "
                 "started, ended, reason, result, exit_code, process, process_start FROM jobs "
                 "WHERE (?1 = 0 OR id = ?1) AND (?2 = 0 OR state <= 1) AND (?3 < 0 OR state = ?3) "
                 "ORDER BY id DESC LIMIT ?4");
    int64_t count = 0;
    int code;
    bind_number(row, 1, filter->id);
    bind_number(row, 2, filter->open);
    bind_number(row, 3, filter->by_state ? (int64_t)filter->state : -1);
    bind_number(row, 4, filter->limit > 0 ? filter->limit : -1);
    while ((code = row != NULL ? sqlite3_step(row) : SQLITE_ERROR) == SQLITE_ROW) {
        struct job job;
        read_job(&job, row);
        if (visit != NULL)
            visit(arg, &job);
        count++;
    }
    if (row != NULL && code != SQLITE_DONE)
        archive_failed(archive);
    sqlite3_finalize(row);
    return code == SQLITE_DONE ? count : -1;
}

bool jobs_is_cancelled(struct archive *archive, int64_t id)
{
    sqlite3_stmt *row = archive_prepare(archive, "SELECT cancel FROM jobs WHERE id = ?");
    bind_number(row, 1, id);
    return number_of(archive, row, 0) == 1;
}

/* Changes of state. The numbers in the statements are those of enum job_state. */

int64_t jobs_take(struct archive *archive)
{
    if (archive_begin(archive) != 0)
        return -1;
    int64_t id =
        number_of(archive, archive_prepare(archive, "SELECT min(id) FROM jobs WHERE state = 0"), 0);
    int status = id < 0 ? -1 : 0;
    if (id > 0) {
        sqlite3_stmt *statement =
            archive_prepare(archive, "UPDATE jobs SET state = 1, started = " NOW " WHERE id = ?");
        bind_number(statement, 1, id);
        status = archive_finish(archive, statement);
    }
    return archive_end(archive, status) == 0 ? id : -1;
}

int jobs_note_process(struct archive *archive, int64_t id, int64_t process, int64_t start)
{
    sqlite3_stmt *statement =
        archive_prepare(archive, "UPDATE jobs SET process = ?, process_start = ? WHERE id = ?");
    bind_number(statement, 1, process);
    bind_number(statement, 2, start);
    bind_number(statement, 3, id);
    return archive_finish(archive, statement);
}

int jobs_end(struct archive *archive, int64_t id, const struct job *end)
{
    sqlite3_stmt *statement = archive_prepare(
        archive,
        "UPDATE jobs SET state = CASE WHEN cancel AND ?1 <> 2 THEN 4 ELSE ?1 END, "
        "exit_code = ?2, reason = ?3, result = ?4, ended = " NOW " WHERE id = ?5 AND state = 1");
    bind_number(statement, 1, end->state);
    bind_number(statement, 2, end->exit_code);
    bind(statement, 3, end->reason);
    bind(statement, 4, end->result);
    bind_number(statement, 5, id);
    return archive_finish(archive, statement);
}

static int mark(struct archive *archive, int64_t id, bool *ended)
{
    sqlite3_stmt *statement = archive_prepare(
        archive,
        "UPDATE jobs SET cancel = 1, state = CASE state WHEN 0 THEN 4 ELSE state END, ended = "
        "CASE state WHEN 0 THEN " NOW " ELSE ended END WHERE id = ? AND state <= 1");
    bind_number(statement, 1, id);
    if (archive_finish(archive, statement) != 0)
        return -1;
    if (sqlite3_changes(archive->db) > 0) {
        statement = archive_prepare(archive, "SELECT state = 4 FROM jobs WHERE id = ?");
        bind_number(statement, 1, id);
        *ended = number_of(archive, statement, 0) == 1;
        return 0;
    }
    log_text(LOG_FATAL, "there is no job %lld that is queued or running", (long long)id);
    return JOBS_REFUSED;
}

int jobs_cancel(struct archive *archive, int64_t id, bool *ended)
{
    *ended = false;
    if (archive_begin(archive) != 0)
        return -1;
    const int status = mark(archive, id, ended);
    return archive_end(archive, status) == 0 || status == JOBS_REFUSED ? status : -1;
}

/* Lists of the tables that jobs have created. */

char *jobs_tables(struct archive *archive, const char *target)
{
    sqlite3_stmt *row = archive_prepare(archive, "SELECT names FROM job_tables WHERE target = ?");
    bind(row, 1, target);
    int code = row != NULL ? sqlite3_step(row) : SQLITE_ERROR;
    char *names = NULL;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        names = xstrdup(code == SQLITE_ROW ? text_at(row, 0) : "");
    else if (row != NULL)
        archive_failed(archive);
    sqlite3_finalize(row);
    return names;
}

int jobs_set_tables(struct archive *archive, const char *target, const char *names)
{
    sqlite3_stmt *statement = archive_prepare(
        archive, "INSERT INTO job_tables (target, names) VALUES (?1, ?2) ON CONFLICT (target) DO "
                 "UPDATE SET names = ?2");
    bind(statement, 1, target);
    bind(statement, 2, names);
    return archive_finish(archive, statement);
}
