/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/out_plan.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "tools/out_folder.h"

int out_plan_read(const char *folder, const char *name, json_t **plan)
{
    char *path = out_folder_path(folder, name);
    json_error_t error;
    *plan = json_load_file(path, 0, &error);
    bool unusable = *plan == NULL && access(path, F_OK) == 0;
    if (unusable)
        log_text(LOG_FATAL, "cannot use '%s': %s", path, error.text);
    free(path);
    return unusable ? -1 : 0;
}

static char *shown(const json_t *value)
{
    return checked_alloc(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY));
}

/* Returns −1 after a message that names the first difference. */
static int compare_plans(const char *folder, const char *user, const json_t *old, const json_t *now)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)now, key, value)
    {
        const json_t *before = json_object_get(old, key);
        if (before != NULL && json_equal(before, value))
            continue;
        char *is = shown(value), *was = before != NULL ? shown(before) : xstrdup("missing");
        log_text(LOG_FATAL,
                 "'%s' has %s %s with another plan: %s was %s, is now %s (use another folder for "
                 "this %s)",
                 folder, strchr("aeiou", user[0]) != NULL ? "an" : "a", user, key, was, is, user);
        free(is);
        free(was);
        return -1;
    }
    return 0;
}

static int begin_plan(const char *folder, const char *name, const char *user, const json_t *now)
{
    /* An incomplete plan file of an earlier call does not matter. */
    char *begun = NULL;
    checked_alloc(asprintf(&begun, "%s.", name) < 0 ? NULL : begun);
    bool empty = out_folder_is_empty(folder, begun);
    free(begun);
    if (!empty) {
        log_text(LOG_FATAL, "--out=%s is not empty and has no %s: name a new folder", folder, user);
        return -1;
    }
    return out_folder_write_json(folder, name, now, JSON_INDENT(1));
}

int out_plan_settle(const char *folder, const char *name, const char *user, const json_t *old,
                    const json_t *now, bool replaceable)
{
    if (old == NULL)
        return begin_plan(folder, name, user, now);
    if (replaceable && !json_equal(now, old))
        return out_folder_write_json(folder, name, now, JSON_INDENT(1));
    return compare_plans(folder, user, old, now);
}
