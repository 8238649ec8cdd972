/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_mutate.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/rand_stream.h"
#include "base/util.h"

/* A member of an object or an element of an array. */
struct place {
    json_t *parent;
    const char *key; /* key of a member; NULL for an element */
    size_t index;    /* index of an element */
};

struct search {
    struct rand_stream stream;
    size_t seen;
    struct place place;
};

static void visit(struct search *s, json_t *value);

/* Reservoir sampling: after all places were offered, each of them has been chosen with the same
 * probability. */
static void offer(struct search *s, struct place place, json_t *value)
{
    if (rand_stream_below(&s->stream, ++s->seen) == 0)
        s->place = place;
    visit(s, value);
}

static void visit(struct search *s, json_t *value)
{
    const char *key;
    size_t i;
    json_t *child;
    if (json_is_object(value))
        json_object_foreach(value, key, child) offer(s, (struct place){value, key, 0}, child);
    if (json_is_array(value))
        json_array_foreach(value, i, child) offer(s, (struct place){value, NULL, i}, child);
}

static struct place find(struct search *s, json_t *root)
{
    s->seen = 0;
    s->place = (struct place){0};
    visit(s, root);
    return s->place;
}

static json_t *value_at(struct place place)
{
    return place.key != NULL ? json_object_get(place.parent, place.key)
                             : json_array_get(place.parent, place.index);
}

/* Returns a copy of a random value of the document. A reference would make a cycle if the value
 * contains the place where it is inserted. */
static json_t *value_elsewhere(struct search *s, json_t *root)
{
    struct place place = find(s, root);
    return place.parent != NULL ? json_deep_copy(value_at(place)) : json_null();
}

static json_t *nasty_number(struct search *s)
{
    static const double reals[] = {0.0, -1.0, 0.5, 1e-300, 1e300, -1e300, 9.3e18, 1e15, 100.0};
    static const json_int_t integers[] = {0,         1,         -1,        2,          64,     65,
                                          INT32_MAX, INT64_MAX, INT64_MIN, 4294967296, 1000000};
    if (rand_stream_below(&s->stream, 2) == 0)
        return json_real(reals[rand_stream_below(&s->stream, ARRAY_SIZE(reals))]);
    return json_integer(integers[rand_stream_below(&s->stream, ARRAY_SIZE(integers))]);
}

static json_t *nasty_text(struct search *s)
{
    static const char *const texts[] = {
        "",
        "-",
        "%s%n",
        "</script><script>",
        "a,b=c\"'\r\n",
        "2026-11-24T03:19:26.000Z",
        "\302\23331m",
        "0",
        "99.9",
        "p99<20ms",
        "time",
        "error",
        "select",
        "a=b",
    };
    if (rand_stream_below(&s->stream, 8) != 0)
        return json_string(texts[rand_stream_below(&s->stream, ARRAY_SIZE(texts))]);
    char text[601];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    return json_string(text);
}

static json_t *another_value(struct search *s, json_t *root)
{
    switch (rand_stream_below(&s->stream, 9)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(rand_stream_below(&s->stream, 2));
    case 2:
        return json_object();
    case 3:
        return json_array();
    case 4:
        return nasty_text(s);
    case 5:
    case 6:
        return nasty_number(s);
    default:
        return value_elsewhere(s, root);
    }
}

static void change(struct search *s, json_t *root)
{
    json_t *value = another_value(s, root);
    const bool remove = rand_stream_below(&s->stream, 6) == 0;
    const struct place place = find(s, root);
    if (place.parent == NULL)
        json_decref(value);
    else if (remove && place.key != NULL)
        json_object_del(place.parent, place.key);
    else if (remove)
        json_array_remove(place.parent, place.index);
    else if (place.key != NULL)
        json_object_set_new(place.parent, place.key, json_incref(value));
    else if (rand_stream_below(&s->stream, 4) == 0)
        json_array_insert_new(place.parent, place.index, json_incref(value));
    else
        json_array_set_new(place.parent, place.index, json_incref(value));
    if (place.parent != NULL)
        json_decref(value);
}

size_t json_mutate(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
    struct search s = {0};
    json_t *root = json_loadb((const char *)data, bytes, 0, NULL);
    if (root == NULL)
        return 0;
    rand_stream_init(&s.stream, seed, RAND_WORKLOAD, 0);
    for (uint64_t n = 1 + rand_stream_below(&s.stream, 4); n > 0; n--)
        change(&s, root);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
    size_t length = text != NULL ? strlen(text) : 0;
    if (length > room)
        length = 0;
    if (length > 0)
        memcpy(data, text, length);
    free(text);
    json_decref(root);
    return length;
}
