/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a sweep: it has the plan of the sweep, a report for each run, and the number of the
 * point that is prepared. A later call uses these files to continue.
 */
#include "tools/sweep/sweep_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "options/quantity.h"
#include "report/json/effects_json.h"
#include "report/json/report_document.h"
#include "report/json/report_json_value.h"
#include "report/text/interval_column.h"
#include "tools/out_folder.h"
#include "tools/out_plan.h"
#include "tools/report_paths.h"

/* The name does not end in .json, so that DIR/ *.json are the reports. */
#define PLAN "sweep.plan"
/* Contains the number of the point sweep->prepared; the file does not exist if no point is
 * prepared. */
#define PREPARED "sweep.prepared"

static int write_text(const char *path, const char *text)
{
    struct outfile file;
    if (outfile_open(&file, path) != 0)
        return -1;
    fputs(text, file.stream);
    return outfile_commit(&file);
}

/* The point that is prepared. */

int sweep_note_prepared(struct sweep *sweep, struct sweep_point *point)
{
    char *path = out_folder_path(sweep->folder, PREPARED), number[32];
    int status = 0;
    sweep->prepared = point;
    if (point != NULL) {
        snprintf(number, sizeof(number), "%td\n", point - sweep->point + 1);
        status = write_text(path, number);
    } else if (unlink(path) != 0 && errno != ENOENT) {
        log_errno(LOG_FATAL, "cannot remove '%s'", path);
        status = -1;
    }
    free(path);
    return status;
}

static void load_prepared(struct sweep *sweep)
{
    char *path = out_folder_path(sweep->folder, PREPARED);
    size_t number;
    FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%zu", &number) == 1 && number > 0 && number <= sweep->count)
        sweep->prepared = &sweep->point[number - 1];
    if (file != NULL)
        fclose(file);
    free(path);
}

/* The plan. */

/* Returns true if none of its runs has completed, and the folder has no tables of them. */
static bool is_unused(const struct sweep *sweep)
{
    struct report_paths paths = {0};
    char *prepared = out_folder_path(sweep->folder, PREPARED);
    bool unused = report_paths_add(&paths, sweep->folder) == 0 && paths.count == 0 &&
                  access(prepared, F_OK) != 0;
    report_paths_fini(&paths);
    free(prepared);
    return unused;
}

/* Returns the number of repeats in `old` if that plan differs from `now` only by fewer repeats,
 * otherwise 0. The order of the rounds that `old` has is the same in both. */
static unsigned fewer_repeats(const json_t *old, const json_t *now)
{
    const json_int_t repeat = json_integer_value(json_object_get(old, "repeat"));
    if (repeat < 1 || repeat >= json_integer_value(json_object_get(now, "repeat")))
        return 0;
    json_t *same = checked_alloc(json_copy((json_t *)old));
    value_set(same, "repeat", json_incref(json_object_get(now, "repeat")));
    if (json_is_null(json_object_get(old, "seed")))
        value_set(same, "seed", json_incref(json_object_get(now, "seed")));
    const bool equal = json_equal(same, now);
    json_decref(same);
    return equal ? (unsigned)repeat : 0;
}

/* Gives a file a new name. A file that does not exist is a run that is missing, or was renamed by a
 * call that was killed. */
static int move_file(const char *from, const char *to)
{
    if (strcmp(from, to) == 0 || rename(from, to) == 0 || errno == ENOENT)
        return 0;
    log_errno(LOG_FATAL, "cannot rename '%s' to '%s'", from, to);
    return -1;
}

/* Numbers of points, in the names of files and in the file PREPARED, depend on the number of
 * repeats. Changes those of a folder whose plan has `repeat` repeats. A point never gets a smaller
 * number, so files are renamed from the last to the first. */
static int renumber(struct sweep *sweep, unsigned repeat)
{
    struct sweep before = *sweep;
    before.repeat = repeat;
    int status = sweep_make_points(&before);
    load_prepared(&before);
    for (size_t i = before.count; i-- > 0 && status == 0;) {
        struct sweep_point *now =
            &sweep->point[before.point[i].combination * sweep->repeat + before.point[i].turn - 1];
        status = move_file(before.point[i].path, now->path);
        if (before.prepared == &before.point[i])
            sweep->prepared = now;
    }
    if (status == 0 && sweep->prepared != NULL)
        status = sweep_note_prepared(sweep, sweep->prepared);
    sweep_points_fini(&before);
    return status;
}

static int settle_plan(struct sweep *sweep, bool seed_given)
{
    json_t *old;
    if (out_plan_read(sweep->folder, PLAN, &old) != 0)
        return -1;
    const json_t *seed = json_object_get(old, "seed");
    if (!seed_given && sweep->shuffled && json_is_integer(seed))
        sweep->seed = json_integer_value(seed);
    json_t *now = sweep_plan(sweep);
    const bool unused = is_unused(sweep);
    const unsigned fewer = old != NULL && !unused ? fewer_repeats(old, now) : 0;
    int status = fewer > 0 ? renumber(sweep, fewer) : 0;
    if (status == 0)
        status = out_plan_settle(sweep->folder, PLAN, "sweep", old, now, unused || fewer > 0);
    json_decref(old);
    json_decref(now);
    return status;
}

/* Functions for reports. */

static double summary_number(const json_t *summary, const char *path)
{
    return json_number_value(interval_value(summary, path));
}

/* Returns NULL if the summary is not that of a run that has completed. */
static const char *end_of(const json_t *summary)
{
    return json_string_value(json_object_get(summary, "end"));
}

static json_t *value_no_ops(const json_t *summary)
{
    const struct effects e = effects_from_json(summary);
    return effects_writes(&e, WRITE_KINDS) > 0 ? value_real(effects_no_op_percent(&e, WRITE_KINDS))
                                               : json_null();
}

static void note_report(struct sweep_point *point, const json_t *head)
{
    json_t *summary = json_object_get(head, "summary");
    double statements = summary_number(summary, "counters/reads") +
                        summary_number(summary, "counters/writes") +
                        summary_number(summary, "counters/other");
    double seconds = summary_number(summary, "elapsed_s");
    value_set(summary, "statements_total", value_real(statements));
    value_set(summary, "statements_per_s", value_real(seconds > 0 ? statements / seconds : 0));
    value_set(summary, "no_op_writes_percent", value_no_ops(summary));
    sweep_note_replicas(summary, head);
    point->summary = json_incref(summary);
    point->injection_failure = subject_injection_failures(head);
    point->state = POINT_MEASURED;
}

int sweep_keep_report(struct sweep_point *point, char *text, int code)
{
    struct report_document document;
    int status = 0;
    if (report_document_parse(&document, point->label, text, strlen(text)) != 0)
        return -1;
    json_t *summary = json_object_get(document.head, "summary");
    if (subject_has_measured(summary, code)) {
        status = write_text(point->path, text);
        if (status == 0)
            note_report(point, document.head);
    }
    report_document_fini(&document);
    return status;
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Numbers can be written in several ways: 4, 4.0, sizes such as 1K, counts such as 1k, times such
 * as 10m. */
static bool is_same_number(double number, const char *text)
{
    static const char suffixes[] = "KMGT";
    char *end;
    double value = strtod(text, &end), count, seconds;
    const char *suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    if ((quantity_parse_count(text, &count) && is_close(count, number)) ||
        (quantity_parse_time(text, &seconds) && is_close(seconds, number)))
        return true;
    for (const char *s = suffixes; suffix != NULL && s <= suffix; s++)
        value *= 1024;
    /* A value that is not a plain number, such as 1us, is not compared here. */
    return (*end != '\0' && (suffix == NULL || end[1] != '\0')) || is_close(value, number);
}

/* Returns false if the value in the "config" of a report cannot result from `text`. Lists and
 * switches are not compared. */
static bool may_be_of(const json_t *value, const char *text)
{
    if (json_is_string(value))
        return strcmp(json_string_value(value), text) == 0;
    return !json_is_number(value) || is_same_number(json_number_value(value), text);
}

/* Returns the index of an option whose value in the report differs from that of the point; `varied`
 * if there is no such option. */
static size_t find_foreign(const struct sweep *sweep, const struct sweep_point *point,
                           const json_t *head)
{
    const json_t *config = json_object_get(head, "config"), *value;
    const char *key;
    size_t k = 0;
    for (; k < sweep->varied; k++)
        json_object_foreach(
            (json_t *)config, key,
            value) if (option_name_is(key, sweep->vary[k].name) &&
                       !may_be_of(value, sweep_value(sweep, point->combination, k))) return k;
    return k;
}

static int refuse_report(const struct sweep_point *point, const char *why)
{
    log_text(LOG_FATAL, "cannot use '%s': %s", point->path, why);
    return -1;
}

/* Refuses a report that another point has as well: the file was copied. */
static int check_unique(json_t *seen, const struct sweep_point *point, const json_t *head)
{
    const json_t *summary = json_object_get(head, "summary");
    char *key = checked_alloc(json_dumps(summary, JSON_COMPACT));
    const char *other = json_string_value(json_object_get(seen, key));
    char *why = NULL;
    if (other != NULL && asprintf(&why, "it is the report of the same run as '%s'", other) < 0)
        checked_alloc(NULL);
    json_object_set_new(seen, key, json_string(point->path));
    int status = why != NULL ? refuse_report(point, why) : 0;
    free(why);
    free(key);
    return status;
}

static int check_report(const struct sweep *sweep, const struct sweep_point *point, json_t *seen,
                        const json_t *head)
{
    size_t foreign = find_foreign(sweep, point, head);
    char why[128];
    if (end_of(json_object_get(head, "summary")) == NULL)
        return refuse_report(point, "it has no end of its run (\"summary.end\")");
    if (foreign == sweep->varied)
        return check_unique(seen, point, head);
    snprintf(why, sizeof(why), "it belongs to a run with another value of --%s",
             sweep->vary[foreign].name);
    return refuse_report(point, why);
}

static int load_report(const struct sweep *sweep, struct sweep_point *point, json_t *seen)
{
    struct report_document document;
    if (access(point->path, F_OK) != 0)
        return 0;
    int status = report_document_load(&document, point->path);
    if (status == 0) {
        status = check_report(sweep, point, seen, document.head);
        if (status == 0)
            note_report(point, document.head);
        report_document_fini(&document);
    }
    if (status != 0)
        log_text(LOG_FATAL, "sweep: remove '%s' to repeat its run", point->path);
    return status;
}

static int load_reports(struct sweep *sweep)
{
    json_t *seen = checked_alloc(json_object());
    int status = 0;
    for (size_t i = 0; i < sweep->count && status == 0; i++)
        status = load_report(sweep, &sweep->point[i], seen);
    json_decref(seen);
    return status;
}

/* Removes files that were not completed; they are written again. */
static void remove_temporaries(const struct sweep *sweep)
{
    static const char *const names[] = {PLAN,       PREPARED,    SERVER_SETTINGS_JOURNAL,
                                        "table.md", "table.csv", "page.html"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        out_folder_remove_temporaries(sweep->folder, names[i]);
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->point[i].state == POINT_OPEN)
            out_folder_remove_temporaries(sweep->folder,
                                          sweep->point[i].path + strlen(sweep->folder) + 1);
}

int sweep_folder_open(struct sweep *sweep, bool seed_given)
{
    sweep->lock_fd = out_folder_lock(sweep->folder, "sweep");
    server_settings_init(&sweep->server, &sweep->subject, sweep->folder);
    if (sweep->lock_fd < 0 || server_settings_recover(&sweep->server) != 0 ||
        settle_plan(sweep, seed_given) != 0)
        return -1;
    sweep_make_order(sweep);
    if (load_reports(sweep) != 0)
        return -1;
    remove_temporaries(sweep);
    load_prepared(sweep);
    return 0;
}
