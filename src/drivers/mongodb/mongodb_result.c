/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands and their answers. Executing a command fetches all batches of its cursor. Rows stay in
 * the answers and are converted to text when the script fetches them.
 */
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"

static void free_texts(struct mongodb_connection *c)
{
    for (unsigned i = 0; i < c->fields; i++)
        bson_free(c->field_text[i]);
    c->fields = 0;
}

void mongodb_forget(struct driver_conn *conn)
{
    struct mongodb_connection *c = conn->handle;

    free_texts(c);
    for (unsigned i = 0; i < c->replies; i++)
        bson_destroy(c->reply[i]);
    c->replies = 0;
    c->command = NULL;
    if (UNLIKELY(c->text != NULL))
        mongodb_template_destroy(c->text);
    c->text = NULL;
}

/* Returns memory for another answer. */
static bson_t *next_reply(struct mongodb_connection *c)
{
    if (UNLIKELY(c->replies == c->room)) {
        c->reply = xrealloc(c->reply, (c->room + 1) * sizeof(bson_t *));
        c->reply[c->room++] = checked_alloc(aligned_alloc(_Alignof(bson_t), sizeof(bson_t)));
    }
    return c->reply[c->replies];
}

/* Returns the server for reads or writes, which does not change during the connection, or 0 if no
 * server is available. */
static uint32_t choose_server(struct driver_conn *conn, bool write, bson_error_t *error)
{
    const struct mongodb_shared *s = conn->shared;
    struct mongodb_connection *c = conn->handle;
    uint32_t *server = write ? &c->writer : &c->reader;

    if (LIKELY(*server != 0))
        return *server;
    mongoc_server_description_t *found =
        mongoc_client_select_server(c->client, write, write ? NULL : s->read_prefs, error);
    if (found == NULL)
        return 0;
    *server = mongoc_server_description_id(found);
    mongoc_server_description_destroy(found);
    return *server;
}

enum driver_status mongodb_ask(struct driver_conn *conn, const char *database,
                               const bson_t *command, bool write, bson_t *reply)
{
    const struct mongodb_shared *s = conn->shared;
    struct mongodb_connection *c = conn->handle;
    bson_error_t error = {0};
    const uint32_t server = choose_server(conn, write, &error);

    if (UNLIKELY(server == 0))
        return mongodb_fail_with(conn, &error, NULL);
    if (LIKELY(mongoc_client_command_simple_with_server_id(
            c->client, database, command, write ? NULL : s->read_prefs, server, reply, &error)))
        return DRIVER_OK;
    mongodb_fail_with(conn, &error, reply);
    bson_destroy(reply);
    return DRIVER_ERROR;
}

static uint64_t count_elements(const bson_iter_t *array)
{
    bson_iter_t it;
    uint64_t count = 0;

    if (!bson_iter_recurse(array, &it))
        return 0;
    while (bson_iter_next(&it))
        count++;
    return count;
}

/* Finds the first element of an array. Returns false if `array` is not an array or is empty. */
static bool first_of(const bson_iter_t *array, bson_iter_t *element)
{
    return BSON_ITER_HOLDS_ARRAY(array) && bson_iter_recurse(array, element) &&
           bson_iter_next(element);
}

/* findAndModify reports its row count in an embedded document. */
static void account_of_one(struct driver_conn *conn, const bson_iter_t *outcome)
{
    bson_iter_t it;

    if (bson_iter_recurse(outcome, &it) && bson_iter_find(&it, "n"))
        conn->rows_matched = conn->rows_changed = (uint64_t)bson_iter_as_int64(&it);
}

enum driver_status mongodb_account(struct driver_conn *conn, const bson_t *reply)
{
    bson_iter_t it, error;
    bool counted = false;

    if (!bson_iter_init(&it, reply))
        return DRIVER_OK;
    while (bson_iter_next(&it)) {
        const char *key = bson_iter_key(&it);
        if (strcmp(key, "n") == 0)
            conn->rows_matched = (uint64_t)bson_iter_as_int64(&it);
        else if (strcmp(key, "nModified") == 0)
            conn->rows_changed += (uint64_t)bson_iter_as_int64(&it);
        else if (strcmp(key, "upserted") == 0)
            conn->rows_changed += count_elements(&it);
        else if (strcmp(key, "lastErrorObject") == 0)
            account_of_one(conn, &it);
        else if (strcmp(key, "writeErrors") == 0 && first_of(&it, &error))
            return mongodb_fail_by(conn, &error);
        else if (strcmp(key, "writeConcernError") == 0)
            return mongodb_fail_by(conn, &it);
        counted = counted || strcmp(key, "nModified") == 0 || strcmp(key, "lastErrorObject") == 0;
    }
    if (!counted) /* inserted and deleted rows count as changed */
        conn->rows_changed = conn->rows_matched;
    return DRIVER_OK;
}

/* A batch of a cursor: its rows, and the number of the cursor, which is 0 in the last batch. */
struct batch {
    bson_iter_t rows;
    int64_t cursor;
    const char *name; /* "database.collection" */
};

static bool find_batch(const bson_t *reply, struct batch *batch)
{
    bson_iter_t it;
    bool found = false;

    if (!bson_iter_init_find(&it, reply, "cursor") || !BSON_ITER_HOLDS_DOCUMENT(&it) ||
        !bson_iter_recurse(&it, &it))
        return false;
    *batch = (struct batch){0};
    while (bson_iter_next(&it)) {
        const char *key = bson_iter_key(&it);
        if (strcmp(key, "id") == 0) {
            batch->cursor = bson_iter_as_int64(&it);
        } else if (strcmp(key, "ns") == 0 && BSON_ITER_HOLDS_UTF8(&it)) {
            batch->name = bson_iter_utf8(&it, NULL);
        } else if ((strcmp(key, "firstBatch") == 0 || strcmp(key, "nextBatch") == 0) &&
                   BSON_ITER_HOLDS_ARRAY(&it)) {
            batch->rows = it;
            found = true;
        }
    }
    return found;
}

/* Returns the batch size of the command, which is also used for further batches, or 0 if the
 * command does not set it. */
static int64_t batch_size(const bson_t *command)
{
    bson_iter_t it, size;

    if (bson_iter_init(&it, command) && bson_iter_find_descendant(&it, "batchSize", &size))
        return bson_iter_as_int64(&size);
    if (bson_iter_init(&it, command) && bson_iter_find_descendant(&it, "cursor.batchSize", &size))
        return bson_iter_as_int64(&size);
    return 0;
}

static enum driver_status fetch_batch(struct driver_conn *conn, const char *database,
                                      const struct batch *last)
{
    const int64_t size = batch_size(((struct mongodb_connection *)conn->handle)->command->command);
    struct mongodb_connection *c = conn->handle;
    const char *collection = last->name != NULL ? strchr(last->name, '.') : NULL;
    bson_t command = BSON_INITIALIZER;

    BSON_APPEND_INT64(&command, "getMore", last->cursor);
    BSON_APPEND_UTF8(&command, "collection", collection != NULL ? collection + 1 : "");
    if (size > 0)
        BSON_APPEND_INT64(&command, "batchSize", size);
    enum driver_status status = mongodb_ask(conn, database, &command, false, next_reply(c));
    bson_destroy(&command);
    c->replies += status != DRIVER_ERROR;
    return status;
}

static void count_batch(struct driver_conn *conn, const struct batch *batch)
{
    const uint64_t rows = count_elements(&batch->rows);

    conn->rows.nrows += rows;
    if (conn->count_only)
        conn->counted += rows;
}

/* Fetches all further batches. With count_only, keeps only the first batch. */
static enum driver_status read_cursor(struct driver_conn *conn, const char *database,
                                      struct batch *batch)
{
    struct mongodb_connection *c = conn->handle;
    const char *name = batch->name; /* in the first answer, which stays */

    count_batch(conn, batch);
    while (batch->cursor != 0) {
        if (fetch_batch(conn, database, batch) == DRIVER_ERROR)
            return DRIVER_ERROR;
        if (!find_batch(c->reply[c->replies - 1], batch))
            return mongodb_fail(conn, 0, "the answer to getMore has no batch");
        batch->name = name;
        count_batch(conn, batch);
        if (conn->count_only)
            bson_destroy(c->reply[--c->replies]);
    }
    return DRIVER_ROWS;
}

static void open_rows(struct driver_conn *conn)
{
    struct mongodb_connection *c = conn->handle;
    struct batch batch;

    c->current = 0;
    c->whole = !find_batch(c->reply[0], &batch);
    if (!c->whole)
        bson_iter_recurse(&batch.rows, &c->row);
}

/* Counts the paths of "$pairs" that exist in the answer; each of them is a row. */
static enum driver_status take_pairs(struct driver_conn *conn, const struct mongodb_template *t)
{
    const struct mongodb_connection *c = conn->handle;
    bson_iter_t it, value;

    rowset_start(&conn->rows, 2);
    for (unsigned i = 0; i < t->columns; i++)
        conn->rows.nrows += bson_iter_init(&it, c->reply[0]) &&
                            bson_iter_find_descendant(&it, t->fields[i], &value) &&
                            !BSON_ITER_HOLDS_NULL(&value);
    conn->counted += conn->count_only ? conn->rows.nrows : 0;
    return DRIVER_ROWS;
}

static enum driver_status take_rows(struct driver_conn *conn, const char *database,
                                    const struct mongodb_template *t)
{
    struct mongodb_connection *c = conn->handle;
    struct batch batch;

    c->current = 0;
    if (t->pairs)
        return take_pairs(conn, t);
    rowset_start(&conn->rows, t->columns > 0 ? t->columns : 1);
    if (find_batch(c->reply[0], &batch)) {
        if (read_cursor(conn, database, &batch) == DRIVER_ERROR)
            return DRIVER_ERROR;
    } else {
        conn->rows.nrows = 1;
        conn->counted += conn->count_only;
    }
    open_rows(conn);
    return DRIVER_ROWS;
}

static enum driver_status take(struct driver_conn *conn, const char *database,
                               const struct mongodb_template *t)
{
    struct mongodb_connection *c = conn->handle;
    bson_iter_t it;

    if (t->kind == SQL_TEXT_READ)
        return take_rows(conn, database, t);
    conn->rows_matched = conn->rows_changed = 0;
    if (mongodb_account(conn, c->reply[0]) == DRIVER_ERROR)
        return DRIVER_ERROR;
    conn->changed += conn->rows_changed;
    const bool found = t->kind == SQL_TEXT_WRITE && bson_iter_init_find(&it, c->reply[0], "value");
    return found ? take_rows(conn, database, t) : DRIVER_OK;
}

/* Like mongodb_ask(), for a command that the server must end at conn->deadline_ns. The limit is
 * rounded up, so that the server does not end the command before the deadline. */
static enum driver_status ask_until_deadline(struct driver_conn *conn, const char *database,
                                             const bson_t *command, bool write, bson_t *reply)
{
    const int64_t left_ns = max_i64(1, conn->deadline_ns - clock_now_ns());
    bson_t limited;

    bson_copy_to(command, &limited);
    BSON_APPEND_INT64(&limited, "maxTimeMS", (left_ns + NS_PER_MS - 1) / NS_PER_MS);
    const enum driver_status status = mongodb_ask(conn, database, &limited, write, reply);
    bson_destroy(&limited);
    return status;
}

enum driver_status mongodb_run(struct driver_conn *conn, const struct mongodb_template *t,
                               const bson_t *command)
{
    const struct mongodb_shared *s = conn->shared;
    struct mongodb_connection *c = conn->handle;
    const char *database = t->database != NULL ? t->database : s->database;

    if (c->text != t)
        mongodb_forget(conn);
    const bool write = t->kind != SQL_TEXT_READ;
    if ((conn->deadline_ns > 0 ? ask_until_deadline : mongodb_ask)(
            conn, database, command, write, next_reply(c)) == DRIVER_ERROR)
        return DRIVER_ERROR;
    c->replies = 1;
    c->command = t;
    return take(conn, database, t);
}

enum driver_status mongodb_query(struct driver_conn *conn, const char *text, size_t length)
{
    struct mongodb_connection *c = conn->handle;
    bson_t command;

    mongodb_forget(conn);
    c->text = mongodb_template_create(conn, text, length);
    if (c->text == NULL)
        return DRIVER_ERROR;
    if (c->text->parameters > 0)
        return mongodb_fail(conn, MONGODB_BAD_VALUE, "only a prepared statement has parameters");
    if (mongodb_template_fill(conn, c->text, NULL, &command) == DRIVER_ERROR)
        return DRIVER_ERROR;
    return mongodb_run(conn, c->text, &command);
}

/* Advances c->row to the next row. Returns false after the last row of the last batch. */
static bool next_row(struct mongodb_connection *c)
{
    struct batch batch;

    while (!bson_iter_next(&c->row)) {
        if (++c->current >= c->replies || !find_batch(c->reply[c->current], &batch))
            return false;
        bson_iter_recurse(&batch.rows, &c->row);
    }
    return true;
}

/* Advances to the next row and sets *document to it. Returns false after the last row. */
static bool row_document(struct mongodb_connection *c, bson_t *document)
{
    uint32_t length;
    const uint8_t *data;

    if (c->whole) {
        if (c->current++ > 0)
            return false;
        return bson_init_static(document, bson_get_data(c->reply[0]), c->reply[0]->len);
    }
    if (!next_row(c) || !BSON_ITER_HOLDS_DOCUMENT(&c->row))
        return false;
    bson_iter_document(&c->row, &length, &data);
    return bson_init_static(document, data, length);
}

/* Returns a value as JSON text, to be freed with bson_free(). */
static char *value_as_json(const bson_iter_t *value, size_t *length)
{
    static const char head[] = "{ \"v\" : ";
    bson_t alone = BSON_INITIALIZER;
    size_t bytes = 0;

    bson_append_iter(&alone, "v", 1, value);
    char *text = bson_as_relaxed_extended_json(&alone, &bytes);
    bson_destroy(&alone);
    if (text == NULL || bytes < sizeof(head) + 1)
        return text;
    bytes -= sizeof(head) - 1 + 2; /* " }" */
    memmove(text, text + sizeof(head) - 1, bytes);
    text[bytes] = '\0';
    *length = bytes;
    return text;
}

/* Returns a field of a document: strings unchanged, null or missing fields as NULL, other values as
 * JSON. */
static struct rowset_field read_field(struct mongodb_connection *c, const bson_t *document,
                                      const char *path)
{
    struct rowset_field field = {NULL, 0};
    bson_iter_t it, value;
    uint32_t bytes;

    if (!bson_iter_init(&it, document) || !bson_iter_find_descendant(&it, path, &value) ||
        BSON_ITER_HOLDS_NULL(&value))
        return field;
    if (BSON_ITER_HOLDS_UTF8(&value)) {
        field.text = bson_iter_utf8(&value, &bytes);
        field.length = bytes;
        return field;
    }
    field.text = c->field_text[c->fields++] = value_as_json(&value, &field.length);
    return field;
}

static const struct rowset_field *fetch_pair(struct mongodb_connection *c, struct rowset_field *row)
{
    while (c->current < c->command->columns) {
        const char *path = c->command->fields[c->current++];
        row[0] = (struct rowset_field){path, strlen(path)};
        row[1] = read_field(c, c->reply[0], path);
        if (row[1].text != NULL)
            return row;
    }
    return NULL;
}

const struct rowset_field *mongodb_fetch(struct driver_conn *conn)
{
    struct mongodb_connection *c = conn->handle;
    const struct mongodb_template *t = c->command;
    struct rowset_field *row = conn->rows.row;
    bson_t document;

    free_texts(c);
    c->field_text = xrealloc(c->field_text, conn->rows.nfields * sizeof(c->field_text[0]));
    if (t->pairs)
        return fetch_pair(c, row);
    if (!row_document(c, &document))
        return NULL;
    if (t->columns == 0) {
        row[0].text = c->field_text[c->fields++] =
            bson_as_relaxed_extended_json(&document, &row[0].length);
        return row;
    }
    for (unsigned i = 0; i < t->columns; i++)
        row[i] = read_field(c, &document, t->fields[i]);
    return row;
}
