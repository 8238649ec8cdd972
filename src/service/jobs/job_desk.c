/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_desk.h"

#include <string.h>

#include "base/log.h"

/* Checks that the tests that targets allow are in the catalogue. */
static int check_tests(const struct job_desk *desk)
{
    for (size_t i = 0; i < desk->targets->count; i++) {
        const struct target *t = &desk->targets->target[i];
        size_t k;
        json_t *name;
        json_array_foreach(
            t->tests, k, name) if (catalogue_find(desk->catalogue, json_string_value(name)) == NULL)
        {
            log_text(LOG_FATAL, "target '%s': there is no test '%.64s'", t->name,
                     json_string_value(name));
            return -1;
        }
    }
    return 0;
}

int job_desk_open(struct job_desk *desk, const char *archive, const char *targets,
                  const char *tests)
{
    *desk = (struct job_desk){0};
    if ((desk->targets = target_list_load(targets)) == NULL ||
        (desk->catalogue = catalogue_load(tests)) == NULL || check_tests(desk) != 0)
        return -1;
    if ((desk->notifier = job_notifier_start(archive, desk->targets)) == NULL)
        return -1;
    desk->worker = job_worker_start(archive, desk->targets, desk->catalogue, desk->notifier);
    return desk->worker != NULL ? 0 : -1;
}

void job_desk_close(struct job_desk *desk)
{
    job_worker_stop(desk->worker);
    job_notifier_stop(desk->notifier);
    target_list_destroy(desk->targets);
    catalogue_destroy(desk->catalogue);
    *desk = (struct job_desk){0};
}
