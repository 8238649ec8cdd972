/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan of a sweep: combinations of values, names of the runs and their order. */
#include "tools/sweep/sweep_internal.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rand_stream.h"
#include "report/json/report_json_value.h"
#include "tools/out_folder.h"

#define MAX_RUNS 100000

#define ALLOWED                                                                                    \
    "NAME=VALUE,VALUE,... with values that are all different; \\, is a comma within a value"

/* Functions that parse --vary. */

/* Copies a value up to a comma or the end of the text, without the backslashes before commas. Sets
 * *end to the end of the value. */
static char *copy_value(const char *text, const char **end)
{
    char *value = xcalloc(1, strlen(text) + 1), *out = value;
    while (*text != '\0' && *text != ',') {
        if (text[0] == '\\' && text[1] == ',')
            text++;
        *out++ = *text++;
    }
    *end = text;
    return value;
}

static bool has_value(const struct vary *vary, const char *value)
{
    for (size_t i = 0; i < vary->count; i++)
        if (strcmp(vary->value[i], value) == 0)
            return true;
    return false;
}

/* Returns NULL or a description of allowed values. */
static const char *add_values(struct vary *vary, const char *text)
{
    const char *end = text;
    do {
        char *value = copy_value(text, &end);
        bool good = value[0] != '\0' && !has_value(vary, value);
        vary->value = xrealloc(vary->value, (vary->count + 1) * sizeof(*vary->value));
        vary->value[vary->count++] = value;
        if (!good)
            return ALLOWED;
        text = end + 1;
    } while (*end == ',');
    return NULL;
}

const char *vary_parse(struct vary *vary, const char *text)
{
    size_t length = strcspn(text, "=");
    *vary = (struct vary){.name = checked_alloc(strndup(text, length))};
    if (length == 0 || text[length] == '\0' || text[0] == '-' ||
        strpbrk(vary->name, " \t,") != NULL)
        return ALLOWED;
    return add_values(vary, text + length + 1);
}

const char *vary_parse_server(struct vary *vary, const char *text)
{
    const char *allowed = vary_parse(vary, text);
    char *name = vary->name;
    vary->server = true;
    if (asprintf(&vary->name, SERVER_PREFIX "%s", name) < 0)
        vary->name = checked_alloc(NULL);
    if (allowed == NULL)
        allowed = server_settings_check_name(name);
    free(name);
    return allowed;
}

static void vary_fini(struct vary *vary)
{
    for (size_t i = 0; i < vary->count; i++)
        free(vary->value[i]);
    free(vary->value);
    free(vary->name);
    *vary = (struct vary){0};
}

/* Functions that make points. */

const char *sweep_value(const struct sweep *sweep, size_t combination, size_t option)
{
    for (size_t k = sweep->varied; --k > option;)
        combination /= sweep->vary[k].count;
    return sweep->vary[option].value[combination % sweep->vary[option].count];
}

static char *make_label(const struct sweep *sweep, const struct sweep_point *point)
{
    char *label = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&label, &bytes));
    for (size_t k = 0; k < sweep->varied; k++)
        fprintf(out, "%s%s=%s", k > 0 ? " " : "", sweep->vary[k].name,
                sweep_value(sweep, point->combination, k));
    if (sweep->repeat > 1)
        fprintf(out, "%s#%u", sweep->varied > 0 ? " " : "", point->turn);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return log_printable(label, "");
}

/* Returns for example "003-threads=4.json". The number makes the name unique; from the label it has
 * characters that any file system allows. */
static char *make_path(const struct sweep *sweep, size_t number, const char *label)
{
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=._+-";
    char name[128];
    int length = snprintf(name, sizeof(name), "%03zu-%.80s", number, label);
    for (char *c = name; *c != '\0'; c++)
        *c = strchr(good, *c) != NULL ? *c : *c == ' ' ? '-' : *c == '#' ? 'r' : '_';
    snprintf(name + length, sizeof(name) - (size_t)length, ".json");
    return out_folder_path(sweep->folder, name);
}

static int count_combinations(struct sweep *sweep)
{
    size_t runs = sweep->repeat;
    sweep->combinations = 1;
    for (size_t k = 0; k < sweep->varied && runs <= MAX_RUNS; k++) {
        sweep->combinations *= sweep->vary[k].count;
        runs *= sweep->vary[k].count;
    }
    sweep->count = runs;
    if (runs <= MAX_RUNS)
        return 0;
    log_text(LOG_FATAL, "sweep: more than %d runs are not possible", MAX_RUNS);
    return -1;
}

int sweep_make_points(struct sweep *sweep)
{
    if (count_combinations(sweep) != 0)
        return -1;
    sweep->point = xcalloc(sweep->count, sizeof(*sweep->point));
    for (size_t i = 0; i < sweep->count; i++) {
        struct sweep_point *point = &sweep->point[i];
        point->combination = i / sweep->repeat;
        point->turn = (unsigned)(i % sweep->repeat) + 1;
        point->label = make_label(sweep, point);
        point->path = make_path(sweep, i + 1, point->label);
    }
    return 0;
}

/* Each round has every combination once, so a slow spell of the machine affects all of them alike,
 * and the runs of a round can be compared in pairs. */
void sweep_make_order(struct sweep *sweep)
{
    struct rand_stream stream;
    rand_stream_init(&stream, (uint64_t)sweep->seed, RAND_WORKLOAD, 0);
    sweep->order = xcalloc(sweep->count, sizeof(*sweep->order));
    for (unsigned turn = 0; turn < sweep->repeat; turn++) {
        size_t *round = sweep->order + turn * sweep->combinations;
        for (size_t i = 0; i < sweep->combinations; i++) {
            size_t other = sweep->shuffled ? rand_stream_below(&stream, i + 1) : i;
            round[i] = round[other];
            round[other] = i * sweep->repeat + turn;
        }
    }
}

/* Functions that make the plan. */

bool sweep_varies_server(const struct sweep *sweep)
{
    bool any = false;
    for (size_t k = 0; k < sweep->varied; k++)
        any = any || sweep->vary[k].server;
    return any;
}

/* Returns an array such as [["threads", "1", "2"], …]. */
static json_t *plan_of_values(const struct sweep *sweep)
{
    json_t *all = value_array();
    for (size_t k = 0; k < sweep->varied; k++) {
        json_t *one = value_array();
        value_append(one, value_text(sweep->vary[k].name));
        for (size_t i = 0; i < sweep->vary[k].count; i++)
            value_append(one, value_text(sweep->vary[k].value[i]));
        value_append(all, one);
    }
    return all;
}

json_t *sweep_plan(const struct sweep *sweep)
{
    json_t *plan = value_object();
    value_set(plan, "test", value_text(sweep->subject.cmdline.test));
    value_set(plan, "options", subject_plan(&sweep->subject));
    value_set(plan, "vary", plan_of_values(sweep));
    value_set(plan, "repeat", json_integer(sweep->repeat));
    value_set(plan, "prepare", json_boolean(sweep->prepare));
    value_set(plan, "cleanup", json_boolean(sweep->cleanup));
    if (sweep_varies_server(sweep)) {
        const char *host = options_string(sweep->subject.options, "server-setting-host");
        value_set(plan, "server_setting_host", value_text(host));
    }
    value_set(plan, "seed", sweep->shuffled ? json_integer(sweep->seed) : json_null());
    return plan;
}

void sweep_points_fini(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count && sweep->point != NULL; i++) {
        free(sweep->point[i].label);
        free(sweep->point[i].path);
        free(sweep->point[i].failure);
        free(sweep->point[i].injection_failure);
        json_decref(sweep->point[i].summary);
    }
    free(sweep->point);
}

void sweep_fini(struct sweep *sweep)
{
    sweep_points_fini(sweep);
    free(sweep->order);
    for (size_t k = 0; k < sweep->varied; k++)
        vary_fini(&sweep->vary[k]);
    free(sweep->vary);
    server_settings_fini(&sweep->server);
    if (sweep->lock_fd >= 0)
        close(sweep->lock_fd);
    subject_fini(&sweep->subject);
}
