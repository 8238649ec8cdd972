/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the server as variables of a sweep (--vary-server). */
#include "tools/sweep/sweep_internal.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "report/json/report_json_value.h"

static const char *setting_name(const struct vary *vary)
{
    return vary->name + strlen(SERVER_PREFIX);
}

static bool has_open_points(const struct sweep *sweep)
{
    bool any = false;
    for (size_t i = 0; i < sweep->count; i++)
        any = any || sweep->point[i].state == POINT_OPEN;
    return any;
}

int sweep_server_begin(struct sweep *sweep)
{
    json_t *values = value_object();
    for (size_t k = 0; k < sweep->varied; k++) {
        if (!sweep->vary[k].server)
            continue;
        json_t *list = value_array();
        for (size_t i = 0; i < sweep->vary[k].count; i++)
            value_append(list, value_text(sweep->vary[k].value[i]));
        value_set(values, setting_name(&sweep->vary[k]), list);
    }
    int status = 0;
    if (json_object_size(values) > 0 && has_open_points(sweep))
        status = server_settings_begin(&sweep->server, values);
    json_decref(values);
    return status;
}

/* Returns the values of a combination: {"NAME": "VALUE", …}. */
static json_t *values_of(const struct sweep *sweep, size_t combination)
{
    json_t *values = value_object();
    for (size_t k = 0; k < sweep->varied; k++)
        if (sweep->vary[k].server)
            value_set(values, setting_name(&sweep->vary[k]),
                      value_text(sweep_value(sweep, combination, k)));
    return values;
}

/* Sets each different combination of values once; `tried` collects them. */
static int try_each(struct sweep *sweep, json_t *tried, char **failure)
{
    int status = 0;
    for (size_t i = 0; i < sweep->combinations && status == 0 && interrupt_signal() == 0; i++) {
        json_t *values = values_of(sweep, i);
        char *key = checked_alloc(json_dumps(values, JSON_COMPACT));
        if (json_object_get(tried, key) == NULL)
            status = server_settings_try(&sweep->server, values, failure);
        value_set(tried, key, json_true());
        free(key);
        json_decref(values);
    }
    return status;
}

int sweep_server_try(struct sweep *sweep)
{
    char *failure = NULL;
    if (sweep->server.state == NULL)
        return 0;
    if (server_settings_arm(&sweep->server) != 0)
        return -1;
    json_t *tried = value_object();
    const int status = try_each(sweep, tried, &failure);
    if (status != 0 && interrupt_signal() == 0)
        log_text(LOG_FATAL, "%s", failure);
    json_decref(tried);
    free(failure);
    return status;
}

int sweep_server_set(struct sweep *sweep, const struct sweep_point *point, char **failure)
{
    if (sweep->server.state == NULL)
        return 0;
    json_t *values = values_of(sweep, point->combination);
    const int status = server_settings_set(&sweep->server, values, failure);
    json_decref(values);
    return status;
}
