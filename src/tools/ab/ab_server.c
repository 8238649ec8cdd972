/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the server as variants (--a-server, --b-server). */
#include "tools/ab/ab.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "report/json/report_json_value.h"

#define ALLOWED "NAME=VALUE, a setting of the server"

const char *ab_check_server(const char *text)
{
    const char *sign = strchr(text, '=');
    if (sign == NULL || sign == text || sign[1] == '\0')
        return ALLOWED;
    char *name = checked_alloc(strndup(text, (size_t)(sign - text)));
    const char *allowed = server_settings_check_name(name);
    free(name);
    return allowed;
}

void ab_add_server(struct ab_variant *variant, const char *text)
{
    const char *sign = strchr(text, '=');
    char *name = checked_alloc(strndup(text, (size_t)(sign - text)));
    value_set(variant->server, name, value_text(sign + 1));
    free(name);
}

bool ab_varies_server(const struct ab *ab)
{
    return json_object_size(ab->variant[AB_A].server) + json_object_size(ab->variant[AB_B].server) >
           0;
}

/* Returns the values that each setting has in the variants: {"NAME": ["VALUE", …], …}. */
static json_t *all_values(const struct ab *ab)
{
    json_t *values = value_object(), *value;
    const char *name;
    for (int k = 0; k < AB_VARIANTS; k++)
        json_object_foreach(ab->variant[k].server, name, value)
        {
            json_t *list = json_object_get(values, name);
            if (list == NULL) {
                list = value_array();
                value_set(values, name, list);
            }
            value_append(list, json_incref(value));
        }
    return values;
}

static int log_failure(char *failure)
{
    if (failure != NULL && interrupt_signal() == 0)
        log_text(LOG_FATAL, "ab: %s", failure);
    free(failure);
    return -1;
}

/* Reads the old values, writes the journal, and sets the values of both variants once, so that a
 * value that the server refuses is found before the first block. */
static int begin(struct ab *ab)
{
    json_t *values = all_values(ab);
    int status = server_settings_begin(&ab->server, values);
    json_decref(values);
    if (status == 0)
        status = server_settings_arm(&ab->server);
    for (int k = 0; k < AB_VARIANTS && status == 0 && interrupt_signal() == 0; k++) {
        char *failure = NULL;
        if (server_settings_try(&ab->server, ab->variant[k].server, &failure) != 0)
            status = log_failure(failure);
    }
    return status;
}

int ab_set_server(struct ab *ab, int k)
{
    char *failure = NULL;
    if (!ab_varies_server(ab))
        return 0;
    if (ab->server.state == NULL && begin(ab) != 0)
        return -1;
    if (server_settings_set(&ab->server, ab->variant[k].server, &failure) == 0)
        return 0;
    return log_failure(failure);
}

void ab_add_server_args(const struct ab_variant *variant, struct child *child)
{
    const char *name;
    json_t *value;
    json_object_foreach(variant->server, name, value)
        child_arg(child, "--server-setting=%s=%s", name, json_string_value(value));
}
