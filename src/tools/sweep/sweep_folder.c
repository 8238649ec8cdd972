/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a sweep: the plan that it holds runs of, a report per run, and what is prepared. A
 * second start finds there what the first one has done.
 */
#include "tools/sweep/sweep_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "document/effects_json.h"
#include "document/interval_column.h"
#include "document/report_document.h"
#include "document/report_json_value.h"
#include "options/exit_codes.h"
#include "tools/out_folder.h"

/* Not .json, so that DIR/ *.json are the reports. */
#define PLAN "sweep.plan"
/* Holds the number of the point sweep->prepared; absent: none. */
#define PREPARED "sweep.prepared"

/* The plan. */

static char *shown(const json_t *value)
{
    return checked_alloc(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY));
}

/* −1 after a message that names the first thing that differs. */
static int compare_plans(const struct sweep *sweep, json_t *old, json_t *now)
{
    const char *key;
    json_t *value;
    json_object_foreach(now, key, value)
    {
        const json_t *before = json_object_get(old, key);
        if (before != NULL && json_equal(before, value))
            continue;
        char *is = shown(value), *was = before != NULL ? shown(before) : xstrdup("missing");
        log_text(LOG_FATAL,
                 "'%s' holds a sweep by another plan: %s was %s, is now %s (use another folder for "
                 "this one)",
                 sweep->folder, key, was, is);
        free(is);
        free(was);
        return -1;
    }
    return 0;
}

static int check_old_plan(struct sweep *sweep, json_t *old, bool seed_given)
{
    const json_t *seed = json_object_get(old, "seed");
    if (!seed_given && sweep->shuffled && json_is_integer(seed))
        sweep->seed = json_integer_value(seed);
    json_t *now = sweep_plan(sweep);
    int status = compare_plans(sweep, old, now);
    json_decref(now);
    return status;
}

static int begin_plan(const struct sweep *sweep)
{
    /* A plan that was not completed is no matter. */
    if (!out_folder_is_empty(sweep->folder, PLAN ".")) {
        log_text(LOG_FATAL, "--out=%s is not empty and holds no sweep: name a new folder",
                 sweep->folder);
        return -1;
    }
    json_t *plan = sweep_plan(sweep);
    int status = out_folder_write_json(sweep->folder, PLAN, plan, JSON_INDENT(1));
    json_decref(plan);
    return status;
}

static int settle_plan(struct sweep *sweep, bool seed_given)
{
    char *path = out_folder_path(sweep->folder, PLAN);
    json_error_t error;
    int status = -1;
    json_t *old = json_load_file(path, 0, &error);
    if (old != NULL)
        status = check_old_plan(sweep, old, seed_given);
    else if (access(path, F_OK) == 0)
        log_text(LOG_FATAL, "cannot use '%s': %s", path, error.text);
    else
        status = begin_plan(sweep);
    json_decref(old);
    free(path);
    return status;
}

/* Reports. */

static double summary_number(const json_t *summary, const char *path)
{
    return json_number_value(interval_value(summary, path));
}

/* NULL: it is none of a run that came to an end. */
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

static void note_summary(struct sweep_point *point, json_t *summary)
{
    double queries = summary_number(summary, "counters/reads") +
                     summary_number(summary, "counters/writes") +
                     summary_number(summary, "counters/other");
    double seconds = summary_number(summary, "elapsed_s");
    value_set(summary, "queries", value_real(queries));
    value_set(summary, "queries_per_s", value_real(seconds > 0 ? queries / seconds : 0));
    value_set(summary, "no_op_pct", value_no_ops(summary));
    point->summary = json_incref(summary);
    point->state = POINT_MEASURED;
}

static int write_text(const char *path, const char *text)
{
    struct outfile file;
    if (outfile_open(&file, path) != 0)
        return -1;
    fputs(text, file.stream);
    return outfile_commit(&file);
}

/* The run came to its end, and what it measured is of use: judgements on that are no failures. */
static bool is_measured(const json_t *summary, int code)
{
    const char *end = end_of(summary);
    if (end == NULL)
        return false;
    return code == EXIT_WELL || code == EXIT_MISSED || code == EXIT_DOUBTFUL ||
           strcmp(end, "queue_full") == 0 || strcmp(end, "forced_shutdown") == 0;
}

int sweep_keep_report(struct sweep_point *point, char *text, int code)
{
    struct report_document document;
    int status = 0;
    if (report_document_parse(&document, point->label, text, strlen(text)) != 0)
        return -1;
    json_t *summary = json_object_get(document.head, "summary");
    if (is_measured(summary, code)) {
        status = write_text(point->path, text);
        if (status == 0)
            note_summary(point, summary);
    }
    report_document_fini(&document);
    return status;
}

static int load_report(struct sweep_point *point)
{
    struct report_document document;
    if (access(point->path, F_OK) != 0)
        return 0;
    if (report_document_load(&document, point->path) != 0)
        return -1;
    json_t *summary = json_object_get(document.head, "summary");
    bool ended = end_of(summary) != NULL;
    if (ended)
        note_summary(point, summary);
    else
        log_text(LOG_FATAL, "cannot use '%s': it does not say how its run ended (\"summary.end\")",
                 point->path);
    report_document_fini(&document);
    return ended ? 0 : -1;
}

/* What is prepared. */

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

int sweep_folder_open(struct sweep *sweep, bool seed_given)
{
    sweep->lock_fd = out_folder_lock(sweep->folder, "sweep");
    if (sweep->lock_fd < 0 || settle_plan(sweep, seed_given) != 0)
        return -1;
    sweep_make_order(sweep);
    for (size_t i = 0; i < sweep->count; i++)
        if (load_report(&sweep->point[i]) != 0)
            return -1;
    load_prepared(sweep);
    return 0;
}
