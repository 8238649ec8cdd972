/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/before_commands.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "tools/subject.h"

/* Interval at which signals are checked. */
#define SLICE_NS (100 * NS_PER_MS)
#define ALLOWED_BEFORE "exec: COMMAND with closed quotes, or sh: COMMAND for a shell"

/* A command is an injection at the time 0, without the time. */
static char *as_injection(const char *text)
{
    char *action;
    return asprintf(&action, "0: %s", text) < 0 ? checked_alloc(NULL) : action;
}

const char *before_commands_check(const char *text)
{
    struct inject_plan plan;
    char *action = as_injection(text), *const texts[] = {action, NULL};
    bool good = inject_plan_check(action) == NULL;
    if (good) {
        inject_plan_load(&plan, texts);
        good = plan.actions[0].argv != NULL;
        inject_plan_fini(&plan);
    }
    free(action);
    return good ? NULL : ALLOWED_BEFORE;
}

void before_commands_load(struct inject_plan *plan, const struct cmdline *cmd, const char *name)
{
    char **list = subject_values(cmd, name);
    for (size_t i = 0; list[i] != NULL; i++) {
        char *action = as_injection(list[i]);
        free(list[i]);
        list[i] = action;
    }
    inject_plan_load(plan, list);
    subject_values_free(list);
}

/* Waits for the end of a child, and passes a signal of the user to it. */
static void wait_for(struct child *child)
{
    bool told = false;
    while (!child_wait(child, clock_now_ns() + SLICE_NS))
        if (interrupt_signal() != 0 && !told) {
            child_signal(child, interrupt_signal());
            told = true;
        }
}

static int run_command(const struct inject_action *action, const char *label)
{
    struct child *child = child_create();
    int status = -1;
    if (child == NULL)
        return -1;
    child_set_command(child, action->argv);
    if (child_start_tool(child) == 0) {
        wait_for(child);
        status = child_exit_code(child) == 0 ? 0 : -1;
        char *failure = subject_failure(action->shown, child);
        if (status != 0 && interrupt_signal() == 0)
            log_text(LOG_FATAL, "%s: %s", label, failure);
        free(failure);
    }
    child_destroy(child);
    return status;
}

int before_commands_run(const struct inject_plan *plan, const char *label)
{
    int status = 0;
    for (unsigned i = 0; i < plan->count && status == 0; i++)
        status = run_command(&plan->actions[i], label);
    return status;
}
