/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_side.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "tools/compare/compare_settings.h"
#include "tools/report_paths.h"

static struct compare_run *new_run(struct compare_side *side)
{
    side->run = xrealloc(side->run, (side->runs + 1) * sizeof(*side->run));
    return &side->run[side->runs++];
}

/* Only the settings of the first run are kept. */
static int check_repeat(const struct compare_side *side)
{
    const struct compare_run *newest = &side->run[side->runs - 1];
    if (side->runs == 1)
        return 0;
    const int status = compare_settings_check_repeat(&side->run[0], newest);
    json_object_clear(newest->document.head);
    return status;
}

static int add_run(struct compare_side *side, const char *path)
{
    return compare_run_load(new_run(side), path) == 0 ? check_repeat(side) : -1;
}

int compare_side_add(struct compare_side *side, const char *name, char *text, size_t bytes)
{
    int status = compare_run_read(new_run(side), xstrdup(name), text, bytes);
    return status == 0 ? check_repeat(side) : -1;
}

int compare_side_take(struct compare_side *side, const struct compare_run *run)
{
    *new_run(side) = *run;
    return check_repeat(side);
}

static int add_runs(struct compare_side *side, struct report_paths *paths)
{
    int status = 0;
    if (paths->count < 2) {
        log_text(LOG_FATAL,
                 "cannot use '%s': a folder of repeats needs two reports (*.json) at least, "
                 "but has %zu",
                 side->path, paths->count);
        status = -1;
    }
    for (size_t i = 0; i < paths->count && status == 0; i++)
        status = add_run(side, xstrdup(paths->path[i]));
    return status;
}

static int load_folder(struct compare_side *side)
{
    struct report_paths paths = {0};
    int status = report_paths_add(&paths, side->path);
    if (status == 0)
        status = add_runs(side, &paths);
    report_paths_fini(&paths);
    return status;
}

int compare_side_load(struct compare_side *side, const char *path)
{
    *side = (struct compare_side){.path = path};
    return report_paths_is_folder(path) ? load_folder(side) : add_run(side, xstrdup(path));
}

void compare_side_fini(struct compare_side *side)
{
    for (size_t i = 0; i < side->runs; i++) {
        free((char *)side->run[i].path);
        compare_run_fini(&side->run[i]);
    }
    free(side->run);
}

/* The order of runs. */

static int by_start(const void *a, const void *b)
{
    return strcmp(((const struct compare_run *)a)->started,
                  ((const struct compare_run *)b)->started);
}

/* The settings of the run that was read first become those of the run that was made first. */
static void move_settings(struct compare_side *side)
{
    for (size_t i = 1; i < side->runs; i++) {
        json_t **head = &side->run[i].document.head, *empty = side->run[0].document.head;
        if (json_object_size(*head) == 0)
            continue;
        side->run[0].document.head = *head;
        *head = empty;
    }
}

void compare_side_order(struct compare_side *side)
{
    for (size_t i = 0; i < side->runs; i++)
        if (side->run[i].started == NULL)
            return;
    qsort(side->run, side->runs, sizeof(*side->run), by_start);
    move_settings(side);
}

static bool is_before(const struct compare_run *a, const struct compare_run *b)
{
    return strcmp(a->started, b->started) < 0;
}

bool compare_side_rounds(const struct compare_side *a, const struct compare_side *b)
{
    if (a->runs != b->runs || a->runs < 2 || a->run[0].started == NULL || b->run[0].started == NULL)
        return false;
    for (size_t i = 0; i + 1 < a->runs; i++)
        if (!is_before(&a->run[i], &a->run[i + 1]) || !is_before(&a->run[i], &b->run[i + 1]) ||
            !is_before(&b->run[i], &a->run[i + 1]) || !is_before(&b->run[i], &b->run[i + 1]))
            return false;
    return true;
}
