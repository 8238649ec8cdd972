/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands with slots for values. The text is converted to BSON with the value "undefined", which
 * has no bytes, for each parameter. An execution copies the bytes between the slots, inserts the
 * values, and corrects the lengths of the enclosing documents. An element "$json" is replaced by
 * the fields of a document that is passed as text.
 */
#include <string.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/mongodb/mongodb_text.h"

#define PLACE "{\"$undefined\":true}"
#define FIELDS_KEY "$json"

/* Returns a copy of the text with PLACE, which libbson can parse, instead of each parameter. */
static char *mark_places(const char *text, size_t length, unsigned count)
{
    size_t *offsets = xcalloc(count + 1, sizeof(offsets[0])), done = 0;
    char *marked = xcalloc(1, length + count * strlen(PLACE) + 1), *to = marked;

    mongodb_language.parameters(text, length, true, offsets, count);
    for (unsigned i = 0; i < count; i++) {
        to = mempcpy(to, text + done, offsets[i] - done);
        to = mempcpy(to, PLACE, strlen(PLACE));
        done = offsets[i] + 1;
    }
    memcpy(to, text + done, length - done);
    free(offsets);
    return marked;
}

static bool is_place(const bson_iter_t *it)
{
    return bson_iter_type(it) == BSON_TYPE_UNDEFINED;
}

static struct mongodb_slot *add_slot(struct mongodb_template *t)
{
    t->slot = xrealloc(t->slot, (t->slots + 1) * sizeof(t->slot[0]));
    t->slot[t->slots] = (struct mongodb_slot){0};
    return &t->slot[t->slots++];
}

static uint32_t length_at(const bson_t *bson, uint32_t at)
{
    uint32_t bytes;

    memcpy(&bytes, bson_get_data(bson) + at, sizeof(bytes));
    return BSON_UINT32_FROM_LE(bytes);
}

static void find_slots(struct mongodb_template *t, bson_iter_t *it, uint32_t base);

/* Finds the slots in the document at offset `base`; `it` iterates over its elements. */
static void find_frame(struct mongodb_template *t, bson_iter_t *it, uint32_t base)
{
    const unsigned first = t->slots;

    find_slots(t, it, base);
    if (t->slots == first)
        return;
    t->frame = xrealloc(t->frame, (t->frames + 1) * sizeof(t->frame[0]));
    t->frame[t->frames++] = (struct mongodb_frame){base, first, t->slots};
}

/*
 * Adds a slot for an element "$json": X, which is replaced as a whole. X is a parameter or a
 * string; null counts as an empty string, for which mongodb_template_fill() reports an error.
 */
static bool add_fields_slot(struct mongodb_template *t, const bson_iter_t *it, uint32_t type_at,
                            uint32_t value_at)
{
    const bool null = BSON_ITER_HOLDS_NULL(it), literal = null || BSON_ITER_HOLDS_UTF8(it);
    const char *text = null ? "" : literal ? bson_iter_utf8(it, NULL) : NULL;

    if (strcmp(bson_iter_key(it), FIELDS_KEY) != 0 || (!literal && !is_place(it)))
        return false;
    *add_slot(t) = (struct mongodb_slot){
        .at = type_at,
        .bytes = value_at - type_at + (literal && !null ? 4 + length_at(t->command, value_at) : 0),
        .literal = literal ? xstrdup(text) : NULL,
        .fields = true,
    };
    t->parameters += !literal;
    return true;
}

static void find_slots(struct mongodb_template *t, bson_iter_t *it, uint32_t base)
{
    while (bson_iter_next(it)) {
        const uint32_t type_at = base + bson_iter_offset(it);
        const uint32_t value_at = type_at + 1 + bson_iter_key_len(it) + 1;
        bson_iter_t child;
        if (add_fields_slot(t, it, type_at, value_at))
            continue;
        if (is_place(it)) {
            *add_slot(t) = (struct mongodb_slot){.at = value_at, .key_bytes = value_at - type_at};
            t->parameters++;
        } else if ((BSON_ITER_HOLDS_DOCUMENT(it) || BSON_ITER_HOLDS_ARRAY(it)) &&
                   bson_iter_recurse(it, &child)) {
            find_frame(t, &child, value_at);
        }
    }
}

/* Reads the elements of a command that are meant for the driver: "$db", "$fields" and "$pairs". */
static void take_own(struct mongodb_template *t, const bson_t *all)
{
    bson_iter_t it, name;

    if (bson_iter_init_find(&it, all, "$db") && BSON_ITER_HOLDS_UTF8(&it))
        t->database = xstrdup(bson_iter_utf8(&it, NULL));
    t->pairs = bson_has_field(all, "$pairs");
    if (!bson_iter_init_find(&it, all, t->pairs ? "$pairs" : "$fields") ||
        !bson_iter_recurse(&it, &name))
        return;
    while (bson_iter_next(&name)) {
        if (!BSON_ITER_HOLDS_UTF8(&name))
            continue;
        t->fields = xrealloc(t->fields, (t->columns + 1) * sizeof(t->fields[0]));
        t->fields[t->columns++] = xstrdup(bson_iter_utf8(&name, NULL));
    }
}

/* Adds the write concern of the options, unless the command has its own. */
static void add_write_concern(struct driver_conn *conn, struct mongodb_template *t)
{
    const struct mongodb_shared *s = conn->shared;

    if (s->write_concern != NULL && t->kind == SQL_TEXT_WRITE &&
        !bson_has_field(t->command, "writeConcern"))
        BSON_APPEND_DOCUMENT(t->command, "writeConcern", s->write_concern);
}

static bool parse(struct driver_conn *conn, struct mongodb_template *t, const char *text,
                  size_t length)
{
    const unsigned count = mongodb_language.parameters(text, length, true, NULL, 0);
    char *marked = mark_places(text, length, count), message[256];
    bson_error_t error = {0};
    bson_t *all = bson_new_from_json((const uint8_t *)marked, -1, &error);
    bson_iter_t it;

    free(marked);
    if (all == NULL) {
        snprintf(message, sizeof(message),
                 "a statement is a command as JSON, with ? in place of "
                 "whole values: %.128s",
                 error.message);
        mongodb_fail(conn, MONGODB_UNPARSED, message);
        return false;
    }
    take_own(t, all);
    t->kind = mongodb_kind(text, length);
    t->command = bson_new();
    bson_copy_to_excluding_noinit(all, t->command, "$db", "$fields", "$pairs", NULL);
    bson_destroy(all);
    add_write_concern(conn, t);
    if (bson_iter_init(&it, t->command))
        find_frame(t, &it, 0);
    if (t->parameters == count)
        return true;
    mongodb_fail(conn, MONGODB_UNPARSED,
                 "parameters are not allowed in \"$db\", \"$fields\" and \"$pairs\", "
                 "and \"$undefined\" is not allowed at all");
    return false;
}

struct mongodb_template *mongodb_template_create(struct driver_conn *conn, const char *text,
                                                 size_t length)
{
    struct mongodb_template *t = xcalloc(1, sizeof(*t));

    if (!parse(conn, t, text, length)) {
        mongodb_template_destroy(t);
        return NULL;
    }
    t->growth = xcalloc(t->slots + 1, sizeof(t->growth[0]));
    return t;
}

void mongodb_template_destroy(struct mongodb_template *t)
{
    if (t == NULL)
        return;
    for (unsigned i = 0; i < t->columns; i++)
        free(t->fields[i]);
    for (unsigned i = 0; i < t->slots; i++)
        free(t->slot[i].literal);
    free(t->fields);
    free(t->slot);
    free(t->frame);
    free(t->growth);
    free(t->out);
    free(t->database);
    bson_destroy(t->command);
    free(t);
}

static uint8_t *reserve(struct mongodb_template *t, size_t bytes)
{
    if (UNLIKELY(t->room - t->used < bytes)) {
        t->room = 2 * t->room + bytes + 256;
        t->out = xrealloc(t->out, t->room);
    }
    return t->out + t->used;
}

static void add(struct mongodb_template *t, const void *bytes, size_t length)
{
    memcpy(reserve(t, length), bytes, length);
    t->used += length;
}

static void add_int32(struct mongodb_template *t, int32_t value)
{
    const uint32_t little = BSON_UINT32_TO_LE((uint32_t)value);
    add(t, &little, sizeof(little));
}

static void add_int64(struct mongodb_template *t, int64_t value)
{
    const uint64_t little = BSON_UINT64_TO_LE((uint64_t)value);
    add(t, &little, sizeof(little));
}

static bson_type_t add_integer(struct mongodb_template *t, const struct sql_param *param)
{
    if (param->type != SQL_TYPE_BIGINT && param->integer == (int32_t)param->integer) {
        add_int32(t, (int32_t)param->integer);
        return BSON_TYPE_INT32;
    }
    add_int64(t, param->integer);
    return BSON_TYPE_INT64;
}

/* Appends the value as BSON and returns its type. */
static bson_type_t add_value(struct mongodb_template *t, const struct sql_param *param)
{
    if (param->null)
        return BSON_TYPE_NULL;
    if (sql_type_is_integer(param->type))
        return add_integer(t, param);
    if (sql_type_is_number(param->type)) {
        uint64_t bits;
        memcpy(&bits, &param->number, sizeof(bits));
        add_int64(t, (int64_t)bits);
        return BSON_TYPE_DOUBLE;
    }
    add_int32(t, (int32_t)param->length + 1);
    add(t, param->text, param->length);
    add(t, "", 1);
    return BSON_TYPE_UTF8;
}

bool mongodb_add_fields(const char *text, size_t length, void (*take)(void *, const void *, size_t),
                        void *arg)
{
    bson_t *document = NULL;

    /* The check for '{' is needed because the library also parses an array as a document. */
    while (length > 0 && strchr(" \t\r\n", *text) != NULL) {
        text++;
        length--;
    }
    if (length > 0 && *text == '{')
        document = bson_new_from_json((const uint8_t *)text, (ssize_t)length, NULL);
    if (document == NULL)
        return false;
    /* Skip the length before the elements and the zero byte after them. */
    take(arg, bson_get_data(document) + 4, document->len - 5);
    bson_destroy(document);
    return true;
}

static void correct_lengths(struct mongodb_template *t)
{
    for (unsigned i = 0; i < t->frames; i++) {
        const struct mongodb_frame *f = &t->frame[i];
        const int64_t length =
            length_at(t->command, f->at) + t->growth[f->last] - t->growth[f->first];
        const uint32_t little = BSON_UINT32_TO_LE((uint32_t)length);
        memcpy(t->out + f->at + t->growth[f->first], &little, sizeof(little));
    }
}

static void take(void *arg, const void *bytes, size_t length)
{
    add(arg, bytes, length);
}

static bool fill_slot(struct mongodb_template *t, const struct mongodb_slot *slot,
                      const struct sql_param *param)
{
    if (slot->literal != NULL)
        return mongodb_add_fields(slot->literal, strlen(slot->literal), take, t);
    if (slot->fields)
        return !param->null && param->text != NULL &&
               mongodb_add_fields(param->text, param->length, take, t);
    const size_t type_at = t->used - slot->key_bytes;
    const bson_type_t type = add_value(t, param);
    t->out[type_at] = (uint8_t)type;
    return true;
}

enum driver_status mongodb_template_fill(struct driver_conn *conn, struct mongodb_template *t,
                                         struct sql_param *const *params, bson_t *command)
{
    const uint8_t *from = bson_get_data(t->command);
    uint32_t done = 0;

    t->used = 0;
    for (unsigned i = 0; i < t->slots; i++) {
        const struct mongodb_slot *slot = &t->slot[i];
        const struct sql_param *param = slot->literal == NULL ? *params++ : NULL;
        add(t, from + done, slot->at - done);
        if (UNLIKELY(!fill_slot(t, slot, param)))
            return mongodb_fail(conn, MONGODB_BAD_VALUE,
                                "the value of \"$json\" is not a JSON document");
        done = slot->at + slot->bytes;
        t->growth[i + 1] = (int64_t)t->used - done;
    }
    add(t, from + done, t->command->len - done);
    correct_lengths(t);
    if (!bson_init_static(command, t->out, t->used))
        return mongodb_fail(conn, MONGODB_BAD_VALUE, "the command is too long");
    return DRIVER_OK;
}
