/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/report_document.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"

#define CHUNK_BYTES ((size_t)1 << 20)

static int refuse(const char *name, const char *why)
{
    log_text(LOG_FATAL, "cannot use '%s': %s", name, why);
    return -1;
}

/* Adds a member of the document other than the intervals to the head. */
static bool take_member(struct report_document *document, const struct slice_walk *walk)
{
    json_t *value = slice_parse(walk->value);
    if (value == NULL)
        return false;
    char *key = strndup(walk->key.start, walk->key.bytes);
    int status = json_object_set_new(document->head, checked_alloc(key), value);
    free(key);
    return status == 0;
}

/* Returns the reason why `text` is not one complete object. */
static const char *why_no_object(struct slice text, bool begins_as_object)
{
    json_t *value = begins_as_object ? NULL : slice_parse(text);
    bool json = value != NULL;
    json_decref(value);
    return text.bytes == 0 ? "it is empty"
           : json          ? "it is JSON, but not an object, so no report of sysrate"
                           : "it is not JSON, or cut short";
}

static int parse_members(struct report_document *document, const char *name, struct slice text,
                         const char *left_out)
{
    struct slice_walk walk = slice_walk_begin(text);
    while (walk.object && slice_walk_next(&walk)) {
        if (slice_key_is(&walk, "intervals"))
            document->intervals = walk.value;
        else if ((left_out == NULL || !slice_key_is(&walk, left_out)) &&
                 !take_member(document, &walk))
            return refuse(name, "it is not JSON");
    }
    if (!walk.failed && walk.object)
        return 0;
    return refuse(name, why_no_object(text, walk.object));
}

static int check_schema(const struct report_document *document, const char *name)
{
    const json_t *schema = json_object_get(document->head, "schema");
    const long long number = json_integer_value(schema);
    char why[96];
    if (json_object_get(document->head, "capacity_schema") != NULL)
        return refuse(name, "it is the result of a capacity search, not the report of a run");
    if (!json_is_integer(schema) || !json_is_object(json_object_get(document->head, "tool")))
        return refuse(
            name, "it is JSON, but no report of sysrate (there is no \"schema\" or no \"tool\")");
    if (number != REPORT_JSON_SCHEMA) {
        snprintf(why, sizeof(why), "its schema is %lld, this sysrate reads %d", number,
                 REPORT_JSON_SCHEMA);
        return refuse(name, why);
    }
    if (!json_is_object(json_object_get(document->head, "config")) ||
        !json_is_object(json_object_get(document->head, "summary")) ||
        document->intervals.bytes == 0 || document->intervals.start[0] != '[')
        return refuse(
            name, "it has no \"config\", \"intervals\" or \"summary\" as a report of sysrate has");
    return 0;
}

int report_document_parse(struct report_document *document, const char *name, char *text,
                          size_t bytes)
{
    return report_document_parse_without(document, name, text, bytes, NULL);
}

int report_document_parse_without(struct report_document *document, const char *name, char *text,
                                  size_t bytes, const char *left_out)
{
    *document = (struct report_document){
        .text = text, .bytes = bytes, .head = checked_alloc(json_object())};
    if (parse_members(document, name, (struct slice){text, bytes}, left_out) == 0 &&
        check_schema(document, name) == 0)
        return 0;
    report_document_fini(document);
    return -1;
}

/* Reads to the end of the file. The caller frees the text. Returns NULL on an error. */
static char *read_all(FILE *in, size_t *bytes)
{
    char *text = NULL;
    size_t room = 0, got;
    *bytes = 0;
    do {
        if (room - *bytes < CHUNK_BYTES)
            text = xrealloc(text, room = room * 2 + CHUNK_BYTES);
        got = fread(text + *bytes, 1, room - *bytes, in);
        *bytes += got;
    } while (got > 0);
    if (!ferror(in))
        return text;
    free(text);
    return NULL;
}

char *report_document_read(const char *path, size_t *bytes)
{
    struct stat st;
    if (stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) {
        log_text(LOG_FATAL, "cannot read '%s': it is a device", path);
        return NULL;
    }
    FILE *in = fopen(path, "r");
    char *text = in != NULL ? read_all(in, bytes) : NULL;
    if (text == NULL)
        log_errno(LOG_FATAL, "cannot read '%s'", path);
    if (in != NULL)
        fclose(in);
    return text;
}

int report_document_load(struct report_document *document, const char *path)
{
    size_t bytes = 0;
    char *text = report_document_read(path, &bytes);
    return text != NULL ? report_document_parse(document, path, text, bytes) : -1;
}

void report_document_fini(struct report_document *document)
{
    free(document->text);
    json_decref(document->head);
    *document = (struct report_document){0};
}

int report_document_each(const struct report_document *document, const char *name,
                         void (*visit)(void *arg, const json_t *interval), void *arg)
{
    struct slice_walk walk = slice_walk_begin(document->intervals);
    while (slice_walk_next(&walk)) {
        json_t *interval = slice_parse(walk.value);
        const bool is_object = json_is_object(interval);
        if (is_object)
            visit(arg, interval);
        json_decref(interval);
        if (!is_object)
            return refuse(name, "one of its intervals is not a JSON object");
    }
    return walk.failed ? refuse(name, "its intervals are not JSON") : 0;
}
