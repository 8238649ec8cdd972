/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language of MongoDB: a statement is a command as JSON. Its first key is the name of the
 * command, and the value of this key is the collection:
 * {"find": "jsondoc1", "filter": {"_id": ?}}.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/mongodb/mongodb_text.h"

/* Commands that change documents. */
static const char *const writes[] = {"insert", "update", "delete", "findAndModify", "bulkWrite"};
/* Commands that return rows. Commands whose names start with one of these also return rows. */
static const char *const reads[] = {
    "find",       "aggregate", "count",   "distinct",         "list",     "get",       "explain",
    "hello",      "server",    "dbStats", "collStats",        "validate", "buildInfo", "hostInfo",
    "replSetGet", "currentOp", "top",     "connectionStatus", "isMaster"};

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

/* Returns the end of the string whose opening quote is at `p`, or `end` if the string is not
 * closed. */
static const char *skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\' && end - p > 1)
            p++;
    return p < end ? p + 1 : end;
}

/* Returns the text between the quotes of the string at `p` and its length in *bytes, or NULL if
 * there is no string at `p`. */
static const char *inside(const char *p, const char *end, size_t *bytes)
{
    p = skip_blanks(p, end);
    if (p == end || *p != '"')
        return NULL;
    *bytes = (size_t)(skip_string(p, end) - p);
    *bytes -= *bytes >= 2 ? 2 : *bytes;
    return p + 1;
}

/* Returns the first key, or NULL if the text is not an object. */
static const char *command_of(const char *text, size_t length, size_t *bytes)
{
    const char *end = text + length, *p = skip_blanks(text, end);

    return p < end && *p == '{' ? inside(p + 1, end, bytes) : NULL;
}

/* Returns the value of the first key if it is a string, otherwise NULL. */
static const char *collection_of(const char *command, size_t command_bytes, const char *end,
                                 size_t *bytes)
{
    const char *p = skip_blanks(command + command_bytes + 1, end);

    return p < end && *p == ':' ? inside(p + 1, end, bytes) : NULL;
}

static bool begins_with(const char *text, size_t bytes, const char *name)
{
    const size_t length = strlen(name);

    return bytes >= length && strncasecmp(text, name, length) == 0;
}

enum sql_text_kind mongodb_kind(const char *text, size_t length)
{
    size_t bytes;
    const char *command = command_of(text, length, &bytes);

    for (size_t i = 0; command != NULL && i < ARRAY_SIZE(writes); i++)
        if (bytes == strlen(writes[i]) && begins_with(command, bytes, writes[i]))
            return SQL_TEXT_WRITE;
    for (size_t i = 0; command != NULL && i < ARRAY_SIZE(reads); i++)
        if (begins_with(command, bytes, reads[i]))
            return SQL_TEXT_READ;
    return SQL_TEXT_OTHER;
}

static const char *keyword(const char *text, size_t length)
{
    size_t bytes;
    const char *command = command_of(text, length, &bytes);

    return command != NULL ? command : "";
}

static unsigned parameters(const char *text, size_t length, bool backslash, size_t *offsets,
                           unsigned room)
{
    const char *p = text, *end = text + length;
    unsigned count = 0;

    (void)backslash; /* in JSON, a backslash always escapes */
    while (p < end) {
        if (*p == '"') {
            p = skip_string(p, end);
            continue;
        }
        if (*p == '?') {
            if (count < room)
                offsets[count] = (size_t)(p - text);
            count++;
        }
        p++;
    }
    return count;
}

/* Length of the collection's name without digits at its end. */
static size_t without_number(const char *name, size_t bytes)
{
    size_t n = bytes;

    while (n > 0 && isdigit((unsigned char)name[n - 1]))
        n--;
    return n > 0 ? n : bytes;
}

static size_t class_name(const char *text, size_t length, char *name, size_t bytes)
{
    size_t command_bytes = 0, collection_bytes = 0;
    const char *command = command_of(text, length, &command_bytes), *collection = NULL;

    if (command != NULL)
        collection = collection_of(command, command_bytes, text + length, &collection_bytes);
    size_t used =
        (size_t)snprintf(name, bytes, "%.*s", (int)(command_bytes < 16 ? command_bytes : 16),
                         command != NULL ? command : "");
    for (size_t i = 0; i < used; i++)
        name[i] = (char)tolower((unsigned char)name[i]);
    if (collection == NULL || collection_bytes == 0)
        return used;
    collection_bytes = without_number(collection, collection_bytes);
    return used + (size_t)snprintf(name + used, bytes - used, " %.*s",
                                   (int)(collection_bytes < 30 ? collection_bytes : 30),
                                   collection);
}

size_t mongodb_escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    char *p = to;

    (void)conn;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20) {
            p += sprintf(p, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            *p++ = '\\';
        *p++ = (char)c;
    }
    return (size_t)(p - to);
}

static const char *objection(const char *text, size_t length)
{
    size_t bytes;

    return command_of(text, length, &bytes) != NULL && bytes > 0
               ? NULL
               : "a command as JSON, such as {\"drop\": \"COLLECTION\"}";
}

const struct driver_language mongodb_language = {
    .kind = mongodb_kind,
    .keyword = keyword,
    .parameters = parameters,
    .class_name = class_name,
    .objection = objection,
    .quote = '"',
    .escaped_bytes = 6,
    .null = "null",
    .bulk_end = "]}",
    .has_insert = false,
};
