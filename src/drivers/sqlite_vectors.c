/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/sqlite_vectors.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/util.h"
#include "base/vectors/vectors.h"

struct vector {
    const float *v;
    size_t count; /* 0 if the value is no vector */
};

/* Reads a text into memory that the caller frees. */
static struct vector parse_text(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    const size_t bytes = (size_t)sqlite3_value_bytes(value);
    float *v = xcalloc(bytes / 2 + 1, sizeof(*v));
    return (struct vector){v, vector_parse(v, bytes / 2 + 1, text != NULL ? text : "", bytes)};
}

/*
 * Returns the vector of argument `i`. A text is parsed once for each statement if it is a constant
 * or a parameter. SQLite may refuse to keep the result; then the text is parsed again after the
 * call. *own is to be freed after the use; it is NULL if SQLite owns the vector.
 */
static struct vector vector_of(sqlite3_context *context, sqlite3_value *value, int i, float **own)
{
    *own = NULL;
    if (sqlite3_value_type(value) == SQLITE_BLOB)
        return (struct vector){sqlite3_value_blob(value),
                               (size_t)sqlite3_value_bytes(value) / sizeof(float)};
    const struct vector *kept = sqlite3_get_auxdata(context, i);
    if (kept != NULL)
        return *kept;
    const struct vector parsed = parse_text(value);
    *own = (float *)parsed.v;
    return parsed;
}

static void free_vector(void *arg)
{
    struct vector *vector = arg;
    free((float *)vector->v);
    free(vector);
}

/* Hands a parsed vector to SQLite, or frees it if it is not to be kept. */
static void keep(sqlite3_context *context, int i, struct vector vector, float *own)
{
    if (own == NULL)
        return;
    struct vector *copy = xcalloc(1, sizeof(*copy));
    *copy = vector;
    sqlite3_set_auxdata(context, i, copy, free_vector);
}

static void distance(sqlite3_context *context, int count, sqlite3_value **values)
{
    const enum vector_metric metric = (enum vector_metric)(intptr_t)sqlite3_user_data(context);
    float *own[2];
    struct vector a = vector_of(context, values[0], 0, &own[0]),
                  b = vector_of(context, values[1], 1, &own[1]);
    (void)count;
    if (a.count == 0 || a.count != b.count)
        sqlite3_result_error(context, "two vectors with the same number of components are needed",
                             -1);
    else
        sqlite3_result_double(context, vector_distance(metric, a.v, b.v, a.count));
    keep(context, 0, a, own[0]);
    keep(context, 1, b, own[1]);
}

static void to_f32(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct vector parsed = parse_text(values[0]);
    (void)count;
    if (parsed.count == 0)
        sqlite3_result_error(context, "a vector such as [1.5,-0.25] is needed", -1);
    else
        sqlite3_result_blob64(context, parsed.v, parsed.count * sizeof(*parsed.v),
                              SQLITE_TRANSIENT);
    free((float *)parsed.v);
}

int sqlite_vectors_add(sqlite3 *db)
{
    static const struct {
        const char *name;
        enum vector_metric metric;
    } distances[] = {
        {"vector_l2", VECTOR_L2}, {"vector_cosine", VECTOR_COSINE}, {"vector_inner", VECTOR_INNER}};
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code =
        sqlite3_create_function_v2(db, "vector_f32", 1, flags, NULL, to_f32, NULL, NULL, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(distances) && code == SQLITE_OK; i++)
        code = sqlite3_create_function_v2(db, distances[i].name, 2, flags,
                                          (void *)(intptr_t)distances[i].metric, distance, NULL,
                                          NULL, NULL);
    return code;
}
