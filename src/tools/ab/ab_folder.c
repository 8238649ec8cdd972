/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of an experiment: its plan, and a report for each block. */
#include "tools/ab/ab.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "report/json/report_document.h"
#include "report/text/interval_column.h"
#include "tools/out_folder.h"
#include "tools/out_plan.h"
#include "tools/report_paths.h"

/* The name does not end in .json, so that DIR/ *.json are the reports and ab.json. */
#define PLAN "ab.plan"

static bool is_unused(const struct ab *ab)
{
    struct report_paths paths = {0};
    bool unused = report_paths_add(&paths, ab->folder) == 0 && paths.count == 0;
    report_paths_fini(&paths);
    return unused;
}

static int settle_plan(struct ab *ab, bool seed_given)
{
    json_t *old;
    if (out_plan_read(ab->folder, PLAN, &old) != 0)
        return -1;
    const json_t *seed = json_object_get(old, "seed");
    if (!seed_given && json_is_integer(seed))
        ab->seed = json_integer_value(seed);
    json_t *now = ab_plan(ab);
    int status = out_plan_settle(ab->folder, PLAN, "experiment", old, now, is_unused(ab));
    json_decref(old);
    json_decref(now);
    return status;
}

int ab_folder_open(struct ab *ab, bool seed_given)
{
    static const char *const names[] = {PLAN, SERVER_SETTINGS_JOURNAL, "ab.json", "table.md",
                                        "page.html"};
    ab->lock_fd = out_folder_lock(ab->folder, "experiment");
    server_settings_init(&ab->server, &ab->subject, ab->folder);
    if (ab->lock_fd < 0 || server_settings_recover(&ab->server) != 0 ||
        settle_plan(ab, seed_given) != 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        out_folder_remove_temporaries(ab->folder, names[i]);
    return 0;
}

static int load_block(struct ab_block *block)
{
    block->measured = true;
    return compare_run_load_any(&block->run, block->path);
}

static int check_seed(const struct ab_pair *pair, const struct ab_block *block)
{
    const json_t *seed = interval_value(block->run.document.head, "config/rand_seed");
    if (json_integer_value(seed) == pair->seed)
        return 0;
    log_text(LOG_FATAL, "cannot use '%s': it is the report of another run", block->path);
    return -1;
}

/* Renames the report of a pair whose other block is missing. */
static int set_aside(const struct ab_block *block)
{
    char *aside = NULL;
    checked_alloc(asprintf(&aside, "%s.half", block->path) < 0 ? NULL : aside);
    int status = rename(block->path, aside);
    if (status == 0)
        log_text(LOG_WARNING,
                 "'%s' has half of a pair, and its other half would be of another time: renamed "
                 "to '%s', both are run again",
                 block->path, aside);
    else
        log_errno(LOG_FATAL, "cannot rename '%s'", block->path);
    free(aside);
    return status;
}

static int load_both(struct ab_pair *pair)
{
    int status = 0;
    for (int k = 0; k < AB_VARIANTS && status == 0; k++) {
        struct ab_block *block = &pair->block[k];
        status = load_block(block);
        if (status == 0)
            status = check_seed(pair, block);
        if (status != 0)
            log_text(LOG_FATAL, "ab: remove '%s' to run its pair again", block->path);
    }
    return status;
}

int ab_load_pair(const struct ab *ab, struct ab_series *series)
{
    struct ab_pair *pair = &series->pair[series->pairs - 1];
    size_t there = 0;
    const struct ab_block *half = NULL;
    for (int k = 0; k < AB_VARIANTS; k++) {
        struct ab_block *block = &pair->block[k];
        out_folder_remove_temporaries(ab->folder, block->path + strlen(ab->folder) + 1);
        if (access(block->path, F_OK) != 0)
            continue;
        there++;
        half = block;
    }
    if (there == AB_VARIANTS)
        return load_both(pair);
    return there > 0 ? set_aside(half) : 0;
}

/* Returns false if the run did not complete, or an injection failed, so that the run did not
 * measure what was asked for. */
static bool has_measured(const struct report_document *document, const char *path, int code)
{
    if (!subject_has_measured(json_object_get(document->head, "summary"), code))
        return false;
    char *failures = subject_injection_failures(document->head);
    if (failures != NULL)
        log_text(LOG_ALERT, "ab: '%s' is not written: %s", path, failures);
    bool good = failures == NULL;
    free(failures);
    return good;
}

int ab_keep_report(const struct ab *ab, struct ab_block *block, const char *text, int code)
{
    struct report_document document;
    char *copy = xstrdup(text);
    if (report_document_parse(&document, block->path, copy, strlen(copy)) != 0)
        return -1;
    bool good = has_measured(&document, block->path, code);
    report_document_fini(&document);
    if (!good)
        return 0;
    if (out_folder_write_text(ab->folder, block->path + strlen(ab->folder) + 1, text) != 0)
        return -1;
    return load_block(block);
}
