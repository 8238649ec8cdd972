/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "archive/archive_store.h"
#include "base/util.h"

/* Columns in the order in which they are selected; the figures follow them. */
enum {
    COLUMN_ID,
    COLUMN_SERIES,
    COLUMN_ADDED,
    COLUMN_STARTED,
    COLUMN_TEST,
    COLUMN_VERSION,
    COLUMN_HOST,
    COLUMN_VERDICT,
    COLUMN_SETTINGS,
    COLUMN_LABELS,
    COLUMN_KIND,
    COLUMN_FIRST_FIGURE
};

static void write_columns(FILE *out)
{
    fputs("SELECT runs.id, runs.series, added, started, test, version, host, verdict, settings, "
          "(SELECT json_group_object(name, value) FROM labels WHERE run = runs.id), kind",
          out);
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        fprintf(out, ", %s", archive_figure_column(i));
}

/* A verdict may consist of several findings, separated by commas. */
static void write_conditions(FILE *out, const struct archive_filter *f)
{
    fputs(" FROM runs JOIN series ON series.id = runs.series WHERE 1", out);
    fputs(f->test != NULL ? " AND test = :test" : "", out);
    fputs(f->verdict != NULL ? " AND instr(',' || verdict || ',', ',' || :verdict || ',') > 0" : "",
          out);
    fputs(f->kind != NULL ? " AND kind = :kind" : "", out);
    fputs(f->since != NULL ? " AND started >= :since" : "", out);
    fputs(f->until != NULL ? " AND started < :until" : "", out);
    fputs(f->id != 0 ? " AND runs.id = :id" : "", out);
    for (size_t i = 0; i < f->labels; i++)
        fprintf(out,
                " AND EXISTS (SELECT 1 FROM labels WHERE run = runs.id AND name = :name%zu AND "
                "value = :value%zu)",
                i, i);
}

/* With a limit, selects the newest runs first, and then sorts these from the oldest to the
 * newest. */
static char *select_text(const struct archive_filter *f)
{
    char *sql = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&sql, &bytes));
    fputs(f->limit > 0 ? "SELECT * FROM (" : "", out);
    write_columns(out);
    write_conditions(out, f);
    if (f->limit > 0)
        fputs(
            " ORDER BY started DESC, runs.id DESC LIMIT :limit OFFSET :skip) ORDER BY started, id",
            out);
    else
        fputs(" ORDER BY started, runs.id", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return sql;
}

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text)
{
    int at = sqlite3_bind_parameter_index(statement, name);
    if (at > 0)
        sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, const char *name, int64_t number)
{
    int at = sqlite3_bind_parameter_index(statement, name);
    if (at > 0)
        sqlite3_bind_int64(statement, at, number);
}

static void bind_filter(sqlite3_stmt *statement, const struct archive_filter *f)
{
    bind_text(statement, ":test", f->test);
    bind_text(statement, ":verdict", f->verdict);
    bind_text(statement, ":kind", f->kind);
    bind_text(statement, ":since", f->since);
    bind_text(statement, ":until", f->until);
    bind_number(statement, ":id", f->id);
    bind_number(statement, ":limit", f->limit);
    bind_number(statement, ":skip", f->skip);
    for (size_t i = 0; i < f->labels; i++) {
        char name[32];
        snprintf(name, sizeof(name), ":name%zu", i);
        bind_text(statement, name, f->label[i].name);
        snprintf(name, sizeof(name), ":value%zu", i);
        bind_text(statement, name, f->label[i].value);
    }
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static enum archive_kind kind_of(const char *name)
{
    enum archive_kind kind = ARCHIVE_RUN;
    for (int i = 0; i < ARCHIVE_KINDS; i++)
        if (strcmp(name, archive_kind_name(i)) == 0)
            kind = i;
    return kind;
}

static struct archive_row row_of(sqlite3_stmt *row)
{
    struct archive_row r = {.id = sqlite3_column_int64(row, COLUMN_ID),
                            .series = sqlite3_column_int64(row, COLUMN_SERIES),
                            .added = text_of(row, COLUMN_ADDED),
                            .labels = text_of(row, COLUMN_LABELS),
                            .entry = {.kind = kind_of(text_of(row, COLUMN_KIND)),
                                      .started = text_of(row, COLUMN_STARTED),
                                      .test = text_of(row, COLUMN_TEST),
                                      .version = text_of(row, COLUMN_VERSION),
                                      .host = text_of(row, COLUMN_HOST),
                                      .verdict = text_of(row, COLUMN_VERDICT),
                                      .settings = text_of(row, COLUMN_SETTINGS)}};
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        r.entry.figure[i] = sqlite3_column_type(row, COLUMN_FIRST_FIGURE + i) != SQLITE_NULL
                                ? sqlite3_column_double(row, COLUMN_FIRST_FIGURE + i)
                                : NAN;
    return r;
}

int archive_each(struct archive *archive, const struct archive_filter *filter,
                 void (*visit)(void *arg, const struct archive_row *row), void *arg)
{
    char *sql = select_text(filter);
    sqlite3_stmt *statement = archive_prepare(archive, sql);
    free(sql);
    if (statement == NULL)
        return -1;
    bind_filter(statement, filter);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct archive_row row = row_of(statement);
        visit(arg, &row);
    }
    int status = code == SQLITE_DONE ? 0 : archive_failed(archive);
    sqlite3_finalize(statement);
    return status;
}

int64_t archive_count(struct archive *archive, const struct archive_filter *filter)
{
    char *sql = NULL;
    size_t bytes;
    int64_t count = -1;
    FILE *out = checked_alloc(open_memstream(&sql, &bytes));
    fputs("SELECT count(*)", out);
    write_conditions(out, filter);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    sqlite3_stmt *statement = archive_prepare(archive, sql);
    free(sql);
    if (statement == NULL)
        return -1;
    bind_filter(statement, filter);
    if (sqlite3_step(statement) == SQLITE_ROW)
        count = sqlite3_column_int64(statement, 0);
    else
        archive_failed(archive);
    sqlite3_finalize(statement);
    return count;
}

char *archive_recall(struct archive *archive, int64_t series, const char *figure)
{
    sqlite3_stmt *row = archive_prepare(
        archive, "SELECT state FROM judged WHERE series = :series AND figure = :figure");
    char *state = NULL;
    bind_number(row, ":series", series);
    bind_text(row, ":figure", figure);
    if (row != NULL && sqlite3_step(row) == SQLITE_ROW)
        state = xstrdup(text_of(row, 0));
    sqlite3_finalize(row);
    return state;
}

void archive_remember(struct archive *archive, int64_t series, const char *figure,
                      const char *state)
{
    sqlite3_stmt *statement =
        archive_prepare(archive, "INSERT OR REPLACE INTO judged VALUES (:series, :figure, :state)");
    bind_number(statement, ":series", series);
    bind_text(statement, ":figure", figure);
    bind_text(statement, ":state", state);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}
