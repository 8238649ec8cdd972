/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/report_shape.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"

#define PATH_BYTES 256

/*
 * The shape of a report, itself JSON. An object stands for an object, an array for an array whose
 * elements have the shape of its only element, "text" for a text, and "any" for any value. The
 * member "*" of an object is the shape of all its members. A key may end in '!' (the member must be
 * there) or '?' (the member may be null).
 */
#define TIMES "{\"percentiles!\":{\"*\":{}}}"
#define FINDINGS "\"findings!\":[{\"name!\":\"text\",\"figure!\":\"text\",\"advice!\":\"text\"}]"
#define RANK "[{\"requests!\":{},\"response_ms!\":" TIMES ",\"verdict?\":{\"findings!\":[{}]}}]"
#define PARTS "[{\"counters!\":{},\"response_ms!\":{}}]"
#define BUCKETS "[[\"any\"]]"
#define BUCKETS_OF_TIMES "\"response\":" BUCKETS ",\"wait\":" BUCKETS ",\"service\":" BUCKETS

static const char shape_text[] =
    "{\"checkpoints\":[{}],\"config\":{},\"tool\":{},\"server_config?\":{},"
    "\"marks?\":[{\"text!\":\"text\"}],\"outages?\":{\"list!\":[{}]},"
    "\"phases?\":[{\"response_ms!\":" TIMES "}],"
    "\"injections?\":[{\"before\":{\"response_ms!\":" TIMES "},\"during\":{\"response_ms!\":" TIMES
    "},\"after\":{\"response_ms!\":" TIMES "},\"recovery\":{}}],"
    "\"ranks?\":" RANK ",\"repeats?\":" RANK ","
    "\"probes?\":{\"sources!\":[{\"series!\":[{\"chart!\":\"text\"}],\"gaps!\":[{}]}],"
    "\"checks!\":[{}]},"
    "\"summary\":{\"response_ms?\":" TIMES ",\"wait_ms?\":" TIMES ",\"service_ms?\":" TIMES ","
    "\"connection_wait_ms?\":" TIMES ","
    "\"generator_lag_us?\":" TIMES ",\"connect_ms?\":" TIMES ",\"staleness_ms?\":" TIMES
    ",\"audit?\":{\"verdict?\":{" FINDINGS
    ",\"remark?\":\"text\",\"plan_remark?\":\"text\",\"overload_episodes?\":[{}]}},"
    "\"effects?\":{\"*\":{}},\"quality?\":{\"*\":{}},\"hosts?\":" PARTS ",\"event_types?\":" PARTS
    ",\"deferred?\":" PARTS ",\"statements?\":[{\"class!\":\"text\"}]"
    ",\"remarks?\":{\"audits!\":[{}],\"deviations!\":[\"text\"]},"
    "\"histogram?\":{" BUCKETS_OF_TIMES ",\"censored?\":{" BUCKETS_OF_TIMES "}}}}";

/* State of a check: the path of the present value, and the mistake that was found. */
struct look {
    char path[PATH_BYTES];
    size_t bytes;
    const char *wrong; /* NULL if nothing was wrong until now */
};

static void check(struct look *look, const json_t *shape, const json_t *value);

/* Checks a member or an element, whose name is a step of the path. */
static void check_step(struct look *look, const char *name, const json_t *shape,
                       const json_t *value)
{
    const size_t before = look->bytes;
    const int bytes =
        snprintf(look->path + before, PATH_BYTES - before, "%s%.64s", before > 0 ? "/" : "", name);
    look->bytes = before + (size_t)bytes < PATH_BYTES ? before + (size_t)bytes : PATH_BYTES - 1;
    check(look, shape, value);
    if (look->wrong == NULL)
        look->path[look->bytes = before] = '\0';
}

static void check_all_members(struct look *look, const json_t *shape, const json_t *value)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)value, name, member) if (look->wrong == NULL)
        check_step(look, name, shape, member);
}

static void check_member(struct look *look, const char *key, const json_t *shape,
                         const json_t *object)
{
    char name[64];
    const size_t length = strcspn(key, "!?");
    snprintf(name, sizeof(name), "%.*s", (int)length, key);
    const json_t *value = json_object_get(object, name);
    if (value == NULL && key[length] != '!')
        return;
    if (json_is_null(value) && key[length] == '?')
        return;
    check_step(look, name, shape, value);
}

static void check_object(struct look *look, const json_t *shape, const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)shape, key, member)
    {
        if (look->wrong != NULL)
            return;
        if (strcmp(key, "*") == 0)
            check_all_members(look, member, value);
        else
            check_member(look, key, member, value);
    }
}

static void check_array(struct look *look, const json_t *shape, const json_t *value)
{
    char number[24];
    for (size_t i = 0; i < json_array_size(value) && look->wrong == NULL; i++) {
        snprintf(number, sizeof(number), "%zu", i);
        check_step(look, number, json_array_get(shape, 0), json_array_get(value, i));
    }
}

static void check(struct look *look, const json_t *shape, const json_t *value)
{
    const bool text = json_is_string(shape) && strcmp(json_string_value(shape), "text") == 0;
    if (json_is_object(shape) && !json_is_object(value))
        look->wrong = "must be an object";
    else if (json_is_array(shape) && !json_is_array(value))
        look->wrong = "must be an array";
    else if (text && !json_is_string(value))
        look->wrong = "must be a text";
    else if (json_is_object(shape))
        check_object(look, shape, value);
    else if (json_is_array(shape))
        check_array(look, shape, value);
}

int report_shape_check(const struct report_document *document, const char *name)
{
    struct look look = {.wrong = NULL};
    json_t *shape = checked_alloc(json_loads(shape_text, 0, NULL));
    check(&look, shape, document->head);
    json_decref(shape);
    if (look.wrong != NULL)
        log_text(LOG_FATAL, "cannot use '%s': %s %s", name, look.path, look.wrong);
    return look.wrong == NULL ? 0 : -1;
}
