/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads rows as documents, many with one insert command. */
#include <string.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"

/* Documents per command; the server accepts at most 100 000. */
#define DOCUMENTS 50000
#define COLUMNS 64

/* Lines that were not converted yet, and the names of their columns. */
struct lines {
    const char *next, *end;
    char *names; /* names of the columns, each with a NUL at its end */
    const char *column[COLUMNS];
    unsigned columns;
    char *field; /* the current field; long enough for all fields */
    bool null;   /* the current field is \N (NULL); texts cannot be \N, they begin with '"' */
};

static bool lines_init(struct lines *l, const char *columns, const char *text, size_t length)
{
    char *place = NULL;

    *l = (struct lines){.next = text, .end = text + length, .names = xstrdup(columns)};
    for (char *name = strtok_r(l->names, ", ", &place); name != NULL;
         name = strtok_r(NULL, ", ", &place)) {
        if (l->columns == COLUMNS)
            return false;
        l->column[l->columns++] = name;
    }
    l->field = xcalloc(1, length + 1);
    return true;
}

static void lines_fini(struct lines *l)
{
    free(l->names);
    free(l->field);
}

/* Writes the next field, unescaped and with a NUL at its end, to l->field. Returns its length. */
static size_t next_field(struct lines *l)
{
    char *to = l->field;

    l->null = l->end - l->next >= 2 && memcmp(l->next, "\\N", 2) == 0;
    while (l->next < l->end && *l->next != '\t' && *l->next != '\n') {
        char c = *l->next++;
        if (c == '\\' && l->next < l->end) {
            c = *l->next++;
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        *to++ = c;
    }
    if (l->next < l->end)
        l->next++;
    *to = '\0';
    return (size_t)(to - l->field);
}

static void append_fields(void *arg, const void *bytes, size_t length)
{
    uint8_t *data = xcalloc(1, length + 5);
    const uint32_t little = BSON_UINT32_TO_LE((uint32_t)length + 5);
    bson_t fields;

    memcpy(data, &little, sizeof(little));
    memcpy(data + sizeof(little), bytes, length);
    if (bson_init_static(&fields, data, length + 5))
        bson_concat(arg, &fields);
    free(data);
}

/* Appends the current field with its type: texts begin with '"', other fields are numbers. */
static bool append_field(bson_t *document, const char *name, const struct lines *l, size_t length)
{
    const char *text = l->field;
    const bool fields = strcmp(name, "$json") == 0;

    if (l->null)
        return fields || BSON_APPEND_NULL(document, name);
    if (*text != '"')
        return BSON_APPEND_INT64(document, name, strtoll(text, NULL, 10));
    if (fields)
        return mongodb_add_fields(text + 1, length - 1, append_fields, document);
    return bson_append_utf8(document, name, -1, text + 1, (int)length - 1);
}

static bool append_line(bson_t *documents, unsigned number, struct lines *l)
{
    char key[16];
    bson_t document;
    bool good = true;

    snprintf(key, sizeof(key), "%u", number);
    bson_append_document_begin(documents, key, -1, &document);
    for (unsigned i = 0; i < l->columns && good; i++) {
        size_t length = next_field(l);
        good = append_field(&document, l->column[i], l, length);
    }
    bson_append_document_end(documents, &document);
    return good;
}

/* Converts the next lines, at most DOCUMENTS, to an insert command. */
static bool make_insert(struct driver_conn *conn, const char *table, struct lines *l,
                        bson_t *command)
{
    const struct mongodb_shared *s = conn->shared;
    bson_t documents = BSON_INITIALIZER;
    bool good = true;

    bson_init(command);
    BSON_APPEND_UTF8(command, "insert", table);
    if (s->write_concern != NULL)
        BSON_APPEND_DOCUMENT(command, "writeConcern", s->write_concern);
    for (unsigned n = 0; n < DOCUMENTS && l->next < l->end && good; n++)
        good = append_line(&documents, n, l);
    BSON_APPEND_ARRAY(command, "documents", &documents);
    bson_destroy(&documents);
    return good;
}

static enum driver_status send_insert(struct driver_conn *conn, const char *table, struct lines *l)
{
    const struct mongodb_shared *s = conn->shared;
    const uint64_t before = conn->rows_matched;
    enum driver_status status;
    bson_t command, reply;

    if (make_insert(conn, table, l, &command))
        status = mongodb_ask(conn, s->database, &command, true, &reply);
    else
        status = mongodb_fail(conn, MONGODB_BAD_VALUE, "a row to load is not a JSON document");
    bson_destroy(&command);
    if (status == DRIVER_ERROR)
        return status;
    status = mongodb_account(conn, &reply);
    conn->rows_matched += before;
    conn->rows_changed = conn->rows_matched;
    bson_destroy(&reply);
    return status;
}

enum driver_status mongodb_load(struct driver_conn *conn, const char *table, const char *columns,
                                const char *text, size_t length)
{
    enum driver_status status = DRIVER_OK;
    struct lines l;

    mongodb_forget(conn);
    conn->rows_matched = conn->rows_changed = 0;
    if (!lines_init(&l, columns, text, length))
        status = mongodb_fail(conn, MONGODB_BAD_VALUE, "too many columns");
    while (status == DRIVER_OK && l.next < l.end)
        status = send_insert(conn, table, &l);
    lines_fini(&l);
    return status;
}
