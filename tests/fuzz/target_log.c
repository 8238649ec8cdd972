/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target for the logs of servers that a replay reads. Each input is read as a log of each format. A
 * first line "prefix: PREFIX" is not part of the log; it sets PostgreSQL's log_line_prefix.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "drivers/language.h"
#include "fuzz.h"
#include "workloads/replay/log/log_source.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"
#include "workloads/replay/log/pgsql_prefix.h"
#include "workloads/replay/replay_census.h"
#include "workloads/replay/sql_scan.h"
#include "workloads/replay/statement_names.h"

static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_log = {.name = "log", .run = run};

/* State for the checks of the order of statements, for each of the first sessions. */
struct order {
    int64_t time_ns;
    struct {
        int64_t order, time_ns;
    } session[64];
};

static void check_event(const struct log_event *event)
{
    FUZZ_CHECK(event->kind != LOG_EVENT_NONE);
    FUZZ_CHECK(event->time_ns >= 0 && event->time_ns <= LOG_TIME_MOST_NS);
    FUZZ_CHECK(event->tick_ns >= 0 && event->tick_ns <= NS_PER_SEC);
    FUZZ_CHECK(event->duration_ns >= -1);
    FUZZ_CHECK(event->database[sizeof(event->database) - 1] == '\0');
    FUZZ_CHECK(event->kind != LOG_EVENT_STATEMENT || event->text[event->length] == '\0');
    FUZZ_CHECK(event->kind != LOG_EVENT_LEFT_OUT || event->reason != NULL);
    FUZZ_CHECK(event->line > 0 && event->file != NULL);
}

static void read_events(const struct timeline_plan *plan)
{
    struct log_reader *reader =
        log_reader_open(plan->files, plan->format, plan->prefix, LOG_TEXT_BYTES);
    struct log_event event;
    FUZZ_CHECK(reader != NULL);
    while (log_reader_next(reader, &event))
        check_event(&event);
    log_reader_close(reader);
}

static void check_order(struct order *o, const struct replay_item *item)
{
    FUZZ_CHECK(item->time_ns >= o->time_ns);
    o->time_ns = item->time_ns;
    if (item->session >= ARRAY_SIZE(o->session))
        return;
    FUZZ_CHECK((int64_t)item->order > o->session[item->session].order);
    FUZZ_CHECK(item->time_ns > o->session[item->session].time_ns);
    o->session[item->session].order = (int64_t)item->order;
    o->session[item->session].time_ns = item->time_ns;
}

static void check_text(const struct replay_item *item, enum sql_scan scan)
{
    char line[40];
    const char *what = NULL;
    FUZZ_CHECK(item->text[item->length] == '\0');
    FUZZ_CHECK(sql_scan_kind(item->text, item->length, scan, &what) != SQL_KIND_NEVER);
    sql_scan_line(line, sizeof(line), item->text);
    FUZZ_CHECK(strchr(line, '\n') == NULL);
    sql_language.class_name(item->text, item->length, line, sizeof(line));
}

static void check_names(const struct replay_item *item)
{
    static const char prefix[] = "r0_";
    size_t length = item->length;
    char *renamed = statement_names_prefix(item->text, &length, prefix);
    FUZZ_CHECK(renamed[length] == '\0');
    const bool any = statement_names_any(item->text, item->length);
    FUZZ_CHECK(statement_names_any(renamed, length) == any);
    FUZZ_CHECK(any == (length != item->length || memcmp(renamed, item->text, length) != 0));
    free(renamed);
}

static uint64_t read_timeline(const struct timeline_plan *plan)
{
    struct timeline *t = timeline_open(plan);
    struct order order = {.time_ns = INT64_MIN};
    uint64_t statements = 0;
    FUZZ_CHECK(t != NULL);
    for (size_t i = 0; i < ARRAY_SIZE(order.session); i++)
        order.session[i].order = order.session[i].time_ns = -1 - LOG_TIME_MOST_NS;
    const bool mysql = plan->format <= LOG_FORMAT_MYSQL_SLOW;
    for (struct replay_item *item; (item = timeline_next(t)) != NULL; free(item)) {
        check_order(&order, item);
        check_text(item, mysql ? SQL_SCAN_MYSQL : SQL_SCAN_PGSQL);
        check_names(item);
        statements++;
    }
    timeline_close(t);
    return statements;
}

static void take_note(void *arg, const char *text)
{
    (void)arg;
    FUZZ_CHECK(strlen(text) < REPLAY_NOTE_BYTES);
}

static void take_census(const struct timeline_plan *plan, uint64_t statements)
{
    struct replay_census census;
    const int status = replay_census_take(&census, plan);
    FUZZ_CHECK((status == 0) == (statements > 0));
    FUZZ_CHECK(census.statements == statements);
    FUZZ_CHECK(replay_census_span_ns(&census) >= 0);
    FUZZ_CHECK(census.peak <= census.sessions);
    replay_census_each(&census, take_note, NULL);
    replay_census_fini(&census);
}

static void read_as(struct timeline_plan *plan, enum log_format format)
{
    plan->format = format;
    plan->writes = true;
    read_events(plan);
    take_census(plan, read_timeline(plan));
    plan->writes = false;
    plan->database = "sbtest";
    plan->by_user = true;
    read_timeline(plan);
    plan->by_user = false;
    plan->database = NULL;
}

/* Returns the prefix in the first line, or NULL if there is no valid prefix. Sets *used to the
 * number of bytes that are not part of the log. */
static char *cut_prefix(const uint8_t *data, size_t bytes, size_t *used)
{
    static const char title[] = "prefix: ";
    const size_t begin = strlen(title);
    const uint8_t *end = bytes > begin ? memchr(data, '\n', bytes) : NULL;
    *used = 0;
    if (end == NULL || memcmp(data, title, begin) != 0)
        return NULL;
    *used = (size_t)(end + 1 - data);
    char *prefix = fuzz_text(data + begin, *used - 1 - begin);
    if (pgsql_prefix_suffices(prefix, false, false))
        return prefix;
    free(prefix);
    return NULL;
}

/* A damaged compressed file may be refused when it is opened. */
static bool is_refused(const char *path)
{
    struct log_source *source = log_source_open_to_look(path);
    log_source_close(source);
    return source == NULL;
}

static void run(const uint8_t *data, size_t bytes)
{
    struct fuzz_file file;
    size_t used;
    char *prefix = cut_prefix(data, bytes, &used);
    struct timeline_plan plan = {.prefix = prefix};
    fuzz_file_init(&file, data + used, bytes - used);
    plan.files = file.path;
    if (!is_refused(file.path))
        for (int format = LOG_FORMAT_UNKNOWN + 1; format <= LOG_FORMAT_PGSQL_JSON; format++)
            read_as(&plan, (enum log_format)format);
    log_reader_close(log_reader_open(file.path, LOG_FORMAT_UNKNOWN, prefix, LOG_TEXT_BYTES));
    fuzz_file_fini(&file);
    free(prefix);
}
