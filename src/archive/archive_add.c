/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/archive_store.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "options/labels.h"
#include "report/text/interval_column.h"

/* A report that is being added. */
struct addition {
    const char *name; /* for messages */
    const char *text;
    size_t bytes;
    int64_t crc;
    struct archive_entry entry;
    const json_t *own_labels;
    const struct archive_label *label;
    size_t labels;
};

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text)
{
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name), text, -1,
                      SQLITE_STATIC);
}

/* Reports are stored compressed. */

static int insert_report(struct archive *archive, int64_t id, const struct addition *a)
{
    uLongf packed_bytes = compressBound(a->bytes);
    Bytef *packed = checked_alloc(malloc(packed_bytes));
    if (compress2(packed, &packed_bytes, (const Bytef *)a->text, a->bytes, 6) != Z_OK)
        checked_alloc(NULL);
    sqlite3_stmt *statement =
        archive_prepare(archive, "INSERT INTO reports (run, bytes, packed) VALUES (?, ?, ?)");
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_int64(statement, 2, (int64_t)a->bytes);
    sqlite3_bind_blob64(statement, 3, packed, packed_bytes, SQLITE_STATIC);
    int status = archive_finish(archive, statement);
    free(packed);
    return status;
}

/* Decompresses a report. Returns NULL if the stored data is damaged. */
static char *unpack(const void *packed, size_t packed_bytes, size_t bytes)
{
    char *text = checked_alloc(malloc(bytes + 1));
    uLongf length = bytes;
    text[bytes] = '\0';
    if (uncompress((Bytef *)text, &length, packed, packed_bytes) == Z_OK && length == bytes)
        return text;
    free(text);
    return NULL;
}

/* Returns the report in a row whose columns are the number of bytes and the compressed report. */
static char *report_in(struct archive *archive, sqlite3_stmt *row, int64_t id, size_t *bytes)
{
    *bytes = (size_t)sqlite3_column_int64(row, 0);
    char *text = unpack(sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1), *bytes);
    if (text == NULL)
        log_text(LOG_FATAL, "archive '%s': the report of run %lld is damaged", archive->path,
                 (long long)id);
    return text;
}

char *archive_report(struct archive *archive, int64_t id, size_t *bytes)
{
    sqlite3_stmt *row = archive_prepare(archive, "SELECT bytes, packed FROM reports WHERE run = ?");
    char *text = NULL;
    sqlite3_bind_int64(row, 1, id);
    int code = row != NULL ? sqlite3_step(row) : SQLITE_ERROR;
    if (code == SQLITE_ROW)
        text = report_in(archive, row, id, bytes);
    else if (code == SQLITE_DONE)
        log_text(LOG_FATAL, "archive '%s': there is no run %lld", archive->path, (long long)id);
    else if (row != NULL)
        archive_failed(archive);
    sqlite3_finalize(row);
    return text;
}

/* Functions that insert rows into the tables. */

/* Returns the number of the run with the same report, 0 if it was not added before, −1 after a
 * logged message. */
static int64_t find_same(struct archive *archive, const struct addition *a)
{
    sqlite3_stmt *row = archive_prepare(archive, "SELECT id FROM runs WHERE crc = ?");
    int64_t found = row == NULL ? -1 : 0;
    sqlite3_bind_int64(row, 1, a->crc);
    while (found == 0 && sqlite3_step(row) == SQLITE_ROW) {
        size_t bytes;
        int64_t id = sqlite3_column_int64(row, 0);
        char *text = archive_report(archive, id, &bytes);
        if (text == NULL)
            found = -1;
        else if (bytes == a->bytes && memcmp(text, a->text, bytes) == 0)
            found = id;
        free(text);
    }
    sqlite3_finalize(row);
    return found;
}

static int insert_series(struct archive *archive, const char *settings)
{
    sqlite3_stmt *statement =
        archive_prepare(archive, "INSERT OR IGNORE INTO series (settings) VALUES (:settings)");
    bind_text(statement, ":settings", settings);
    return archive_finish(archive, statement);
}

/* The names of columns and parameters come from the table of figures, so that they are listed only
 * once. */
static char *insert_text(void)
{
    char *sql = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&sql, &bytes));
    fputs("INSERT INTO runs (series, kind, crc, added, started, test, version, host, verdict", out);
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        fprintf(out, ", %s", archive_figure_column(i));
    fputs(") VALUES ((SELECT id FROM series WHERE settings = :settings), :kind, :crc, :added, "
          ":started, "
          ":test, :version, :host, :verdict",
          out);
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        fprintf(out, ", :%s", archive_figure_column(i));
    fputs(")", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return sql;
}

static void bind_figures(sqlite3_stmt *statement, const double *figure)
{
    for (int i = 0; i < ARCHIVE_FIGURES; i++) {
        char name[32];
        snprintf(name, sizeof(name), ":%s", archive_figure_column(i));
        int at = sqlite3_bind_parameter_index(statement, name);
        if (isnan(figure[i]))
            sqlite3_bind_null(statement, at);
        else
            sqlite3_bind_double(statement, at, figure[i]);
    }
}

static int64_t insert_run(struct archive *archive, const struct addition *a)
{
    const struct archive_entry *e = &a->entry;
    char added[32];
    clock_iso8601(added, sizeof(added));
    char *sql = insert_text();
    sqlite3_stmt *statement = archive_prepare(archive, sql);
    free(sql);
    bind_text(statement, ":settings", e->settings);
    bind_text(statement, ":kind", archive_kind_name(e->kind));
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":crc"), a->crc);
    bind_text(statement, ":added", added);
    bind_text(statement, ":started", e->started);
    bind_text(statement, ":test", e->test);
    bind_text(statement, ":version", e->version);
    bind_text(statement, ":host", e->host);
    bind_text(statement, ":verdict", e->verdict);
    bind_figures(statement, e->figure);
    return archive_finish(archive, statement) == 0 ? sqlite3_last_insert_rowid(archive->db) : -1;
}

static int insert_label(struct archive *archive, int64_t id, const struct archive_label *label)
{
    sqlite3_stmt *statement = archive_prepare(
        archive,
        label->value != NULL
            ? "INSERT OR REPLACE INTO labels (run, name, value) VALUES (:run, :name, :value)"
            : "DELETE FROM labels WHERE run = :run AND name = :name");
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":run"), id);
    bind_text(statement, ":name", label->name);
    if (label->value != NULL)
        bind_text(statement, ":value", label->value);
    return archive_finish(archive, statement);
}

static bool is_left_out(const struct addition *a, const char *name)
{
    for (size_t i = 0; i < a->labels; i++)
        if (a->label[i].value == NULL && strcmp(a->label[i].name, name) == 0)
            return true;
    return false;
}

/* Inserts the labels that the run got from --label, each as "NAME=VALUE". */
static int insert_own_labels(struct archive *archive, int64_t id, const struct addition *a)
{
    size_t i;
    json_t *text;
    int status = 0;
    json_array_foreach(a->own_labels, i, text)
    {
        if (status != 0 || !json_is_string(text) || label_check(json_string_value(text)) != NULL)
            continue;
        char *name = xstrdup(json_string_value(text)), *equals = strchr(name, '=');
        *equals = '\0';
        const struct archive_label label = {name, equals + 1};
        if (!is_left_out(a, name))
            status = insert_label(archive, id, &label);
        free(name);
    }
    return status;
}

/* Must be called in a transaction. */
static int64_t insert(struct archive *archive, const struct addition *a)
{
    int64_t id = find_same(archive, a);
    if (id > 0)
        log_text(LOG_WARNING, "'%s' is run %lld already", a->name, (long long)id);
    if (id == 0 && insert_series(archive, a->entry.settings) == 0) {
        id = insert_run(archive, a);
        if (id > 0 &&
            (insert_report(archive, id, a) != 0 || insert_own_labels(archive, id, a) != 0))
            id = -1;
    }
    for (size_t i = 0; i < a->labels && id > 0; i++)
        if (a->label[i].value != NULL && insert_label(archive, id, &a->label[i]) != 0)
            id = -1;
    return id > 0 ? id : -1;
}

static char *copy_of(const char *text, size_t bytes)
{
    char *copy = checked_alloc(malloc(bytes + 1));
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

static int64_t insert_whole(struct archive *archive, const struct addition *a)
{
    if (archive_begin(archive) != 0)
        return ARCHIVE_ADD_FAILED;
    int64_t id = insert(archive, a);
    return archive_end(archive, id > 0 ? 0 : -1) == 0 ? id : ARCHIVE_ADD_FAILED;
}

static int64_t add_report(struct archive *archive, struct addition *a)
{
    struct report_document document;
    int64_t id = ARCHIVE_ADD_REFUSED;
    if (report_document_parse(&document, a->name, copy_of(a->text, a->bytes), a->bytes) == 0 &&
        archive_entry_read(&a->entry, &document, a->name) == 0) {
        a->own_labels = interval_value(document.head, "config/label");
        id = insert_whole(archive, a);
    }
    report_document_fini(&document);
    return id;
}

static int64_t add_capacity(struct archive *archive, struct addition *a)
{
    int64_t id = ARCHIVE_ADD_REFUSED;
    json_t *all = slice_parse((struct slice){a->text, a->bytes});
    if (archive_entry_read_capacity(&a->entry, all, a->name) == 0) {
        a->own_labels = json_object_get(all, "label");
        id = insert_whole(archive, a);
    }
    json_decref(all);
    return id;
}

int64_t archive_add(struct archive *archive, const char *name, const char *text, size_t bytes,
                    const struct archive_label *label, size_t labels)
{
    struct addition a = {
        .name = name, .text = text, .bytes = bytes, .label = label, .labels = labels};
    a.crc = (int64_t)crc32_z(crc32(0, NULL, 0), (const Bytef *)text, bytes);
    int64_t id =
        archive_is_capacity(text, bytes) ? add_capacity(archive, &a) : add_report(archive, &a);
    archive_entry_fini(&a.entry);
    return id;
}

static void keep_report(const char *path, const struct report_json *json)
{
    char *name;
    if (asprintf(&name, "%s/not-added-%d.json", path, (int)getpid()) < 0)
        checked_alloc(NULL);
    if (report_json_write(json, name) == 0)
        log_text(LOG_FATAL,
                 "the run is not in the archive: its report is in '%s' (add it with 'sysrate "
                 "archive add')",
                 name);
    free(name);
}

int archive_add_report(const char *path, const struct report_json *json)
{
    char *text = NULL;
    size_t bytes = 0;
    int64_t id = -1;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    report_json_print(json, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    struct archive *archive = archive_open(path, true);
    if (archive != NULL)
        id = archive_add(archive, "the report of this run", text, bytes, NULL, 0);
    if (archive != NULL && id < 0)
        archive_discard(archive);
    archive_close(archive);
    free(text);
    if (id < 0) {
        keep_report(path, json);
        archive_discard_folder(path);
    }
    return id > 0 ? 0 : -1;
}

/* Functions that change a run. */

/* Logs an error and returns −1 if the last statement has changed no run. */
static int check_found(struct archive *archive, int64_t id)
{
    if (sqlite3_changes(archive->db) > 0)
        return 0;
    log_text(LOG_FATAL, "archive '%s': there is no run %lld", archive->path, (long long)id);
    return -1;
}

static int touch(struct archive *archive, int64_t id, const char *sql)
{
    sqlite3_stmt *statement = archive_prepare(archive, sql);
    sqlite3_bind_int64(statement, 1, id);
    return archive_finish(archive, statement) == 0 ? check_found(archive, id) : -1;
}

int archive_tag(struct archive *archive, int64_t id, const struct archive_label *label)
{
    if (archive_begin(archive) != 0)
        return -1;
    int status = touch(archive, id, "UPDATE runs SET id = id WHERE id = ?");
    return archive_end(archive, status == 0 ? insert_label(archive, id, label) : -1);
}

int archive_remove(struct archive *archive, int64_t id)
{
    if (archive_begin(archive) != 0)
        return -1;
    return archive_end(archive, touch(archive, id, "DELETE FROM runs WHERE id = ?"));
}
