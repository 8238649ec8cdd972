/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_unwrap.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/log_syslog.h"
#include "workloads/replay/log/pgsql_prefix.h"

/* Number of lines that are looked at. */
#define LOOK_LINES 200
#define LOOK_BYTES ((size_t)4 << 20)

/* A line while the text around it is removed. */
struct piece {
    char *line;
    size_t length;
    bool goes_on; /* the next record has the rest of the line */
    bool whole;   /* it is a record of the server itself, without a layer of JSON */
    struct log_carrier carrier;
};

static void cut_front(struct piece *p, size_t bytes)
{
    p->line += bytes;
    p->length -= bytes;
}

/* The line is from the host, container … of this name. */
static void add_source(struct log_carrier *c, const char *name, size_t length)
{
    c->source = log_hash_more(c->source, name, length);
}

static bool cut_time(struct piece *p)
{
    const char *at = p->line;
    struct log_time time;
    /* A blank between date and time is PostgreSQL's own. */
    if (!log_time_iso(&at, &time) || p->line[10] != 'T' || *at != ' ')
        return false;
    if (!p->carrier.timed)
        p->carrier.time = time;
    p->carrier.timed = true;
    cut_front(p, (size_t)(at + 1 - p->line));
    return true;
}

static bool unwrap_cri(struct piece *p)
{
    struct piece inner = *p;
    const char *at;
    if (!cut_time(&inner))
        return false;
    at = inner.line;
    if (!log_skip(&at, "stdout ") && !log_skip(&at, "stderr "))
        return false;
    if ((*at != 'F' && *at != 'P') || at[1] != ' ')
        return false;
    add_source(&inner.carrier, inner.line, 6);
    inner.goes_on = *at == 'P';
    cut_front(&inner, (size_t)(at + 2 - inner.line));
    *p = inner;
    return true;
}

static bool unwrap_name(struct piece *p)
{
    const char *at = p->line;
    /* kubectl logs --prefix */
    if (strncmp(at, "[pod/", 5) == 0) {
        const size_t name = strcspn(at, "] ");
        if (strncmp(at + name, "] ", 2) != 0)
            return false;
        add_source(&p->carrier, at, name);
        cut_front(p, name + 2);
        return true;
    }
    if (!isalpha((unsigned char)*at))
        return false;
    while (isalnum((unsigned char)*at) || *at == '-' || *at == '_' || *at == '.')
        at++;
    const size_t name = (size_t)(at - p->line);
    if (*at != ' ')
        return false;
    at += strspn(at, " ");
    if (*at != '|' || (at[1] != ' ' && at[1] != '\0'))
        return false;
    add_source(&p->carrier, p->line, name);
    cut_front(p, (size_t)(at + 1 + (at[1] == ' ') - p->line));
    return true;
}

static bool unwrap_syslog(struct piece *p)
{
    struct log_syslog s;
    if (!log_syslog_read(p->line, p->length, &s))
        return false;
    if (!p->carrier.timed && s.timed)
        p->carrier.time = s.time;
    p->carrier.timed |= s.timed;
    p->carrier.named = true;
    p->carrier.source ^= s.source;
    p->carrier.session = s.process ^ p->carrier.source;
    p->carrier.message = s.message;
    p->carrier.piece = s.piece;
    p->carrier.may_be_cut = s.may_be_cut;
    p->line = s.text;
    p->length = s.length;
    return true;
}

/* Returns the text in the object that a collector of logs has put around a line. The text that
 * Docker writes ends with a line end unless the next object has the rest of the line. */
static json_t *text_of(json_t *object, bool *docker)
{
    static const char *const names[] = {"textPayload", "message", "MESSAGE", "@message",
                                        "msg",         "body",    "line"};
    json_t *text = json_object_get(object, "log");
    *docker = json_is_string(text);
    for (size_t i = 0; i < ARRAY_SIZE(names) && !json_is_string(text); i++)
        text = json_object_get(object, names[i]);
    if (!json_is_string(text))
        text = json_object_get(json_object_get(object, "properties"), "message");
    return json_is_string(text) ? text : NULL;
}

/* Returns true if the object is a record of the server itself (pgsql_json_log.c). */
static bool is_record(const json_t *object)
{
    return json_object_get(object, "error_severity") != NULL ||
           json_is_object(json_object_get(object, "record")) ||
           json_is_object(json_object_get(object, "jsonPayload"));
}

/* Takes the names of the host, container and stream. */
static void take_json_source(json_t *object, struct log_carrier *carrier)
{
    static const char *const names[] = {"stream",         "_HOSTNAME", "hostname", "host",
                                        "container_name", "container", "pod",      "logName"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *name = json_string_value(json_object_get(object, names[i]));
        if (name != NULL)
            add_source(carrier, name, strlen(name) + 1);
    }
}

/* Takes the process that journald names, and skips the server's number of the message. Google's
 * Cloud Logging splits long texts and does not say in what order the others come. */
static void take_process(json_t *object, const char **text, struct log_carrier *carrier)
{
    const char *process = json_string_value(json_object_get(object, "_PID"));
    carrier->foreign |= json_is_object(json_object_get(object, "split"));
    if (process == NULL)
        return;
    carrier->named = true;
    carrier->session = log_hash(process, strlen(process)) ^ carrier->source;
    struct log_syslog s = {.piece = 0};
    log_syslog_piece(text, &s);
    carrier->message = s.message;
    carrier->piece = s.piece;
}

static void take_json_time(json_t *object, struct log_carrier *carrier)
{
    static const char *const names[] = {"time", "timestamp", "@timestamp", "ts"};
    for (size_t i = 0; i < ARRAY_SIZE(names) && !carrier->timed; i++) {
        const char *text = json_string_value(json_object_get(object, names[i]));
        carrier->timed = text != NULL && log_time_iso(&text, &carrier->time);
    }
}

static bool unwrap_json(struct piece *p, struct log_text *to)
{
    /* A comma follows the objects of an array. */
    const size_t length = p->length - (p->length > 0 && p->line[p->length - 1] == ',');
    json_t *object = *p->line == '{' ? json_loadb(p->line, length, JSON_ALLOW_NUL, NULL) : NULL;
    bool docker;
    p->whole = object != NULL && is_record(object);
    json_t *text = object != NULL && !p->whole ? text_of(object, &docker) : NULL;
    if (text != NULL) {
        take_json_time(object, &p->carrier);
        take_json_source(object, &p->carrier);
        const char *from = json_string_value(text), *const start = from;
        take_process(object, &from, &p->carrier);
        log_text_set(to, from, json_string_length(text) - (size_t)(from - start));
        const bool ended = to->length > 0 && to->data[to->length - 1] == '\n';
        to->length -= ended;
        to->data[to->length] = '\0';
        p->goes_on = docker && !ended;
        p->line = to->data;
        p->length = to->length;
    }
    json_decref(object);
    return text != NULL;
}

/* Returns true for the lines "[" and "]" around the objects of an array. */
static bool is_bracket(const struct log_unwrap *u, const struct piece *p)
{
    return u->wraps[0] == LOG_WRAP_JSON && p->length == 1 && (*p->line == '[' || *p->line == ']');
}

static bool unwrap_one(enum log_wrap wrap, struct piece *p, struct log_text *text)
{
    switch (wrap) {
    case LOG_WRAP_CRI:
        return unwrap_cri(p);
    case LOG_WRAP_TIME:
        return cut_time(p);
    case LOG_WRAP_NAME:
        return unwrap_name(p);
    case LOG_WRAP_JSON:
        return unwrap_json(p, text);
    default:
        return unwrap_syslog(p);
    }
}

/* Removes the layers from number `from` on, up to and without `to`. */
static bool unwrap(struct log_unwrap *u, struct piece *p, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        if (!unwrap_one(u->wraps[i], p, &u->text))
            return false;
    return true;
}

/* Finds what is around most of the lines after `u->count` layers are removed. */
static bool find_wrap(struct log_unwrap *u, char *const *lines, const size_t *lengths,
                      unsigned count)
{
    /* Percentage of the lines. Other lines may be those of other programs. */
    static const unsigned least[] = {60, 60, 95, 95, 60};
    unsigned found[ARRAY_SIZE(least)] = {0}, whole = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned w = 0; w < ARRAY_SIZE(least); w++) {
            char *copy = checked_alloc(memcpy(xcalloc(1, lengths[i] + 1), lines[i], lengths[i]));
            struct piece p = {.line = copy, .length = lengths[i]};
            const bool good = unwrap(u, &p, 0, u->count);
            whole += good && w == 0 && p.length > 0;
            found[w] += good && p.length > 0 && unwrap_one((enum log_wrap)w, &p, &u->joined);
            free(copy);
        }
    for (unsigned w = 0; w < ARRAY_SIZE(least); w++)
        if (found[w] > 0 && 100 * found[w] >= least[w] * whole) {
            u->wraps[u->count++] = (enum log_wrap)w;
            return true;
        }
    return false;
}

void log_unwrap_look(struct log_unwrap *u, struct log_source *source)
{
    char *lines[LOOK_LINES], *line;
    size_t lengths[LOOK_LINES], length, bytes = 0;
    unsigned count = 0;
    *u = (struct log_unwrap){.count = 0};
    while (count < LOOK_LINES && bytes < LOOK_BYTES && log_source_line(source, &line, &length)) {
        lines[count] = memcpy(xcalloc(1, length + 1), line, length);
        lengths[count++] = length;
        bytes += length;
    }
    while (u->count < LOG_WRAPS && find_wrap(u, lines, lengths, count)) {
    }
    for (unsigned i = 0; i < count; i++)
        free(lines[i]);
    u->joined.length = 0;
}

void log_unwrap_fini(struct log_unwrap *u)
{
    log_text_fini(&u->text);
    log_text_fini(&u->joined);
    log_text_fini(&u->kept);
}

/* Cuts the first line off `text`. */
static void split(struct log_unwrap *u, char *text, char **line, size_t *length)
{
    const size_t bytes = u->text.length - (size_t)(text - u->text.data);
    char *end = memchr(text, '\n', bytes);
    u->rest = end != NULL ? end + 1 : NULL;
    *line = text;
    *length = end != NULL ? (size_t)(end - text) : bytes;
    text[*length] = '\0';
}

/* Returns the number of layers of which one record may have only a part of a line. Such parts are
 * joined before the layers within them are removed. */
static unsigned outer_layers(const struct log_unwrap *u)
{
    for (unsigned i = 0; i < u->count; i++)
        if (u->wraps[i] == LOG_WRAP_CRI || u->wraps[i] == LOG_WRAP_JSON)
            return i + 1;
    return u->count;
}

/* Reads the next record. Returns false at the end of the log. */
static bool read_record(struct log_unwrap *u, struct log_source *source, struct piece *raw,
                        bool *cut)
{
    if (u->has_kept) {
        u->has_kept = false;
        *raw = (struct piece){.line = u->kept.data, .length = u->kept.length};
        *cut |= u->kept.cut;
        return true;
    }
    do
        u->unended = !log_source_line(source, &raw->line, &raw->length);
    while (!u->unended && is_bracket(u, raw));
    *cut |= !u->unended && log_source_cut(source);
    return !u->unended;
}

/* Returns true if the text, which should be the rest of a line, looks like the start of a record.
 */
static bool is_start(const struct piece *p)
{
    struct log_time time;
    const char *at = p->line;
    return log_time_iso(&at, &time) || strncmp(p->line, "{\"", 2) == 0 ||
           pgsql_find_severity(p->line) != NULL;
}

/* Notes that the rest of a line of this source is lost, or follows and belongs to nothing. */
static void set_broken(struct log_unwrap *u, uint64_t source)
{
    u->broken[1] = u->broken[0];
    u->broken[0] = source | 1;
}

/* Returns true if set_broken() was called, and forgets it. */
static bool take_broken(struct log_unwrap *u, uint64_t source)
{
    for (size_t i = 0; i < ARRAY_SIZE(u->broken); i++)
        if (u->broken[i] == (source | 1)) {
            u->broken[i] = 0;
            return true;
        }
    return false;
}

/* Returns true if the record, a copy of which is `u->kept`, is not the rest of the line `p`. It is
 * then returned as the next one. */
static bool is_other(struct log_unwrap *u, struct piece *p, const struct piece *next)
{
    if (!next->carrier.foreign && next->carrier.source == p->carrier.source)
        return false;
    set_broken(u, p->carrier.source);
    u->has_kept = true;
    p->carrier.foreign = true;
    return true;
}

/* Reads records up to the end of a line. Returns false at the end of the log. A line whose rest is
 * lost, or comes after a record of another source, is a foreign one, and so is that rest. */
static bool read_records(struct log_unwrap *u, struct log_source *source, struct piece *p,
                         bool *cut)
{
    log_text_set(&u->joined, "", 0);
    u->unended = false;
    for (bool first = true; first || p->goes_on; first = false) {
        struct piece raw = {.line = NULL};
        if (!read_record(u, source, &raw, cut))
            return !first;
        if (!first)
            log_text_set(&u->kept, raw.line, raw.length);
        struct piece next = raw;
        if (!unwrap(u, &next, 0, outer_layers(u)) && !next.whole)
            next = (struct piece){.line = "", .carrier.foreign = true};
        if (!first && is_other(u, p, &next))
            break;
        if (first)
            p->carrier = next.carrier;
        if (first ? !next.carrier.foreign && take_broken(u, next.carrier.source) : is_start(&next))
            p->carrier.foreign = true;
        p->goes_on = next.goes_on;
        p->whole = next.whole;
        log_text_add(&u->joined, next.line, next.length);
    }
    u->unended = log_source_unended(source);
    return true;
}

static bool read_text(struct log_unwrap *u, struct log_source *source, struct log_carrier *carrier,
                      bool *cut)
{
    struct piece p = {.goes_on = false};
    if (!read_records(u, source, &p, cut))
        return false;
    p.line = u->joined.data;
    p.length = u->joined.length;
    if (!p.carrier.foreign && !p.whole && !unwrap(u, &p, outer_layers(u), u->count) && !p.whole)
        p.carrier.foreign = true;
    if (p.carrier.foreign)
        p = (struct piece){.line = "", .carrier.foreign = true};
    if (p.line != u->text.data)
        log_text_set(&u->text, p.line, p.length);
    *carrier = p.carrier;
    *cut |= u->joined.cut;
    return true;
}

bool log_unwrap_line(struct log_unwrap *u, struct log_source *source, char **line, size_t *length,
                     struct log_carrier *carrier, bool *cut, bool *unended)
{
    *cut = false;
    if (u->count == 0) {
        *carrier = (struct log_carrier){.timed = false};
        const bool there = log_source_line(source, line, length);
        *cut = there && log_source_cut(source);
        *unended = there && log_source_unended(source);
        return there;
    }
    carrier->inner = u->rest != NULL;
    char *text = u->rest;
    if (text == NULL) {
        if (!read_text(u, source, carrier, cut))
            return false;
        text = u->text.data;
    }
    *unended = u->unended;
    split(u, text, line, length);
    return true;
}
