/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/inject_plan.h"

#include <ctype.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "base/util.h"
#include "options/command_words.h"
#include "options/quantity.h"

#define BLANKS " \t\r\n"

static const char BAD_TIME[] = "TIME: sql: STATEMENT, TIME: exec: COMMAND or TIME: sh: COMMAND, "
                               "with a time such as 60s, 2m or 500ms";
static const char BAD_KIND[] = "TIME: KIND: TEXT, where KIND is one of sql, exec, sh";
static const char NO_TEXT[] = "TIME: KIND: TEXT, where TEXT is a statement or a command";
static const char BAD_QUOTES[] = "exec: COMMAND with closed quotes, or sh: COMMAND for a shell";

const char *const inject_kind_names[INJECT_KINDS] = {"sql", "exec", "sh", "storm"};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, BLANKS);
}

/* Parsing the parts of an action. */

static const char *read_kind(const char **text, enum inject_kind *kind)
{
    for (unsigned i = 0; i < INJECT_STORM; i++) {
        size_t length = strlen(inject_kind_names[i]);
        if (strncmp(*text, inject_kind_names[i], length) != 0)
            continue;
        const char *colon = skip_blanks(*text + length);
        if (*colon != ':')
            continue;
        *kind = (enum inject_kind)i;
        *text = skip_blanks(colon + 1);
        return **text != '\0' ? NULL : NO_TEXT;
    }
    return BAD_KIND;
}

/* Parses the time and the colon after it. */
static bool read_time(const char **text, struct inject_action *action)
{
    double seconds;
    *text = skip_blanks(*text);
    if (!quantity_read_time(text, &seconds))
        return false;
    *text = skip_blanks(*text);
    if (**text != ':')
        return false;
    *text = skip_blanks(*text + 1);
    action->at_ns = seconds_to_ns(seconds);
    return true;
}

/* Parses time and kind and advances *text to the statement or command. Returns NULL, or what is
 * allowed. */
static const char *read_head(const char **text, struct inject_action *action)
{
    return read_time(text, action) ? read_kind(text, &action->kind) : BAD_TIME;
}

static char **words_of(enum inject_kind kind, const char *text)
{
    if (kind == INJECT_SESSION)
        return NULL;
    return kind == INJECT_EXEC ? command_words(text) : command_shell_words(text);
}

const char *inject_plan_check(const char *text)
{
    struct inject_action action = {0};
    const char *objection = read_head(&text, &action);
    if (objection != NULL || action.kind == INJECT_SESSION)
        return objection;
    char **words = words_of(action.kind, text);
    objection = words == NULL ? BAD_QUOTES : words[0][0] == '\0' ? NO_TEXT : NULL;
    free(words);
    return objection;
}

/* Building the plan. */

static char *shown_text(const char *text)
{
    char *shown = secret_mask(text);
    for (char *c = shown; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
    return log_printable(shown, "");
}

/* Inserts an action by time, after others of the same time. */
static void insert(struct inject_plan *plan, struct inject_action action)
{
    plan->actions = xrealloc(plan->actions, (plan->count + 1) * sizeof(action));
    unsigned i = plan->count++;
    for (; i > 0 && plan->actions[i - 1].at_ns > action.at_ns; i--)
        plan->actions[i] = plan->actions[i - 1];
    plan->actions[i] = action;
}

void inject_plan_load(struct inject_plan *plan, char *const *texts)
{
    *plan = (struct inject_plan){0};
    for (; texts != NULL && *texts != NULL; texts++) {
        const char *text = *texts;
        struct inject_action action = {0};
        read_head(&text, &action);
        action.text = xstrdup(text);
        action.shown = shown_text(text);
        action.argv = words_of(action.kind, text);
        insert(plan, action);
    }
}

static bool read_storm(const char *text, struct inject_action *action)
{
    double count = 0;
    if (!read_time(&text, action) || !quantity_read_count(&text, &count) || count < 1 ||
        count > 1000000)
        return false;
    *action = (struct inject_action){
        .at_ns = action->at_ns, .kind = INJECT_STORM, .count = (uint64_t)count};
    return *skip_blanks(text) == '\0' && count == (double)action->count;
}

const char *inject_plan_check_storm(const char *text)
{
    struct inject_action action = {0};
    return read_storm(text, &action)
               ? NULL
               : "TIME: COUNT, with a time such as 60s, 2m or 500ms, and a number of connections "
                 "from 1 to 1000000";
}

void inject_plan_add_storms(struct inject_plan *plan, char *const *texts)
{
    for (; texts != NULL && *texts != NULL; texts++) {
        struct inject_action action = {0};
        char shown[32];
        read_storm(*texts, &action);
        snprintf(shown, sizeof(shown), "%llu connections", (unsigned long long)action.count);
        action.text = xstrdup(shown);
        action.shown = xstrdup(shown);
        insert(plan, action);
    }
}

void inject_plan_fini(struct inject_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        free(plan->actions[i].text);
        free(plan->actions[i].shown);
        free(plan->actions[i].argv);
    }
    free(plan->actions);
    *plan = (struct inject_plan){0};
}
