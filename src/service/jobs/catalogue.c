/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/catalogue.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "options/option_value.h"
#include "options/options.h"
#include "options/settings_rows.h"
#include "service/jobs/config.h"

/* A double represents all whole numbers up to this one exactly: 2^53. */
#define INTEGER_MAX 9007199254740992.0

static const char *const test_keys[] = {"name",    "script",     "help", "read_only",
                                        "options", "parameters", NULL};
static const char *const parameter_keys[] = {"type",    "min",  "max", "choices",
                                             "default", "help", NULL};

const char *parameter_type_name(enum parameter_type type)
{
    static const char *const name[] = {"integer", "number", "boolean", "choice"};
    return name[type];
}

/* Values of parameters. */

static bool is_choice(const struct parameter *p, const json_t *value)
{
    size_t i;
    json_t *choice;
    json_array_foreach(p->choices, i,
                       choice) if (json_is_string(value) && json_equal(choice, value)) return true;
    return false;
}

static bool is_within(const struct parameter *p, const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= p->least &&
           json_number_value(value) <= p->most;
}

static char *allowed_values(const struct parameter *p)
{
    char *text = NULL;
    size_t bytes, i;
    json_t *choice;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    if (p->type == PARAMETER_BOOLEAN)
        fputs("true, false", out);
    else if (p->type == PARAMETER_CHOICE)
        json_array_foreach(p->choices, i, choice)
            fprintf(out, "%s%s", i > 0 ? ", " : "", json_string_value(choice));
    else
        fprintf(out, "%s from %.17g to %.17g",
                p->type == PARAMETER_INTEGER ? "a whole number" : "a number", p->least, p->most);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

char *parameter_value(const struct parameter *p, const json_t *value, char **allowed)
{
    char *text = NULL;
    int bytes = 0;
    if (p->type == PARAMETER_INTEGER && json_is_integer(value) && is_within(p, value))
        bytes = asprintf(&text, "%lld", (long long)json_integer_value(value));
    else if (p->type == PARAMETER_NUMBER && is_within(p, value))
        bytes = asprintf(&text, "%.17g", json_number_value(value));
    else if (p->type == PARAMETER_BOOLEAN && json_is_boolean(value))
        text = xstrdup(json_is_true(value) ? "on" : "off");
    else if (p->type == PARAMETER_CHOICE && is_choice(p, value))
        text = xstrdup(json_string_value(value));
    else
        *allowed = allowed_values(p);
    return bytes < 0 ? checked_alloc(NULL) : text;
}

/* Reading of the catalogue's file. */

/* True if a catalogue may set this option. Options of the program and of drivers are refused,
 * because they choose servers, output files and commands to execute. */
static bool is_script_option(const char *name)
{
    static const char *const reserved[] = {"mysql", "pgsql", "sqlite", "mongodb", "null", "db"};
    struct options *own = options_create();
    bool good = config_is_name(name) && !option_is_secret(name);
    good = good && settings_add_options(own) == 0;
    good = good && (options_find(own, name) == NULL || strncmp(name, "rand-", 5) == 0 ||
                    strncmp(name, "rand_", 5) == 0);
    for (size_t i = 0; i < ARRAY_SIZE(reserved); i++) {
        const size_t length = strlen(reserved[i]);
        good = good && !(strncmp(name, reserved[i], length) == 0 &&
                         (name[length] == '-' || name[length] == '_'));
    }
    options_destroy(own);
    return good;
}

static int refuse_option(const struct config_part *part, const char *name)
{
    return config_refuse(part, "%.64s is an option of the program or of a driver, not of a test",
                         name);
}

static int read_type(struct parameter *p, const struct config_part *part)
{
    const char *type = NULL;
    if (config_text(part, "type", true, &type) != 0)
        return -1;
    for (int i = PARAMETER_INTEGER; i <= PARAMETER_CHOICE; i++)
        if (strcmp(type, parameter_type_name((enum parameter_type)i)) == 0) {
            p->type = (enum parameter_type)i;
            return 0;
        }
    return config_refuse(part, "\"type\": integer, number, boolean or choice is needed");
}

static int check_standard(const struct parameter *p, const struct config_part *part)
{
    char *allowed = NULL, *text = NULL;
    int status = 0;
    if (p->standard != NULL && (text = parameter_value(p, p->standard, &allowed)) == NULL)
        status = config_refuse(part, "\"default\": %s is needed", allowed);
    free(text);
    free(allowed);
    return status;
}

static int read_bounds(struct parameter *p, const struct config_part *part)
{
    const bool number = p->type == PARAMETER_INTEGER || p->type == PARAMETER_NUMBER;
    p->least = NAN;
    p->most = NAN;
    if (config_number(part, "min", -INTEGER_MAX, INTEGER_MAX, &p->least) != 0 ||
        config_number(part, "max", -INTEGER_MAX, INTEGER_MAX, &p->most) != 0 ||
        config_list(part, "choices", &p->choices) != 0)
        return -1;
    if (number && !(p->least <= p->most))
        return config_refuse(part, "\"min\" and \"max\" are needed, the smaller one first");
    if (p->type == PARAMETER_CHOICE && json_array_size(p->choices) == 0)
        return config_refuse(part, "\"choices\" are needed, [\"...\", ...]");
    return 0;
}

static int read_parameter(struct parameter *p, const struct config_part *part)
{
    if (!is_script_option(p->name))
        return refuse_option(part, p->name);
    p->standard = json_object_get(part->object, "default");
    return config_only(part, parameter_keys) == 0 && read_type(p, part) == 0 &&
                   read_bounds(p, part) == 0 && config_text(part, "help", false, &p->help) == 0
               ? check_standard(p, part)
               : -1;
}

static int read_parameters(struct catalogue_test *t, const struct config_part *test)
{
    json_t *all = json_object_get(test->object, "parameters"), *value;
    const char *name;
    struct config_part part = {.path = test->path};
    if (all == NULL)
        return 0;
    if (!json_is_object(all))
        return config_refuse(test, "\"parameters\": an object is needed, {\"NAME\": {...}}");
    t->parameter = xcalloc(json_object_size(all) + 1, sizeof(*t->parameter));
    json_object_foreach(all, name, value)
    {
        struct parameter *p = &t->parameter[t->parameters++];
        p->name = name;
        part.object = value;
        snprintf(part.what, sizeof(part.what), "%.48s: %.40s", test->what, name);
        if (read_parameter(p, &part) != 0)
            return -1;
    }
    return 0;
}

static int read_options(struct catalogue_test *t, const struct config_part *part)
{
    const char *name;
    json_t *value;
    t->options = json_object_get(part->object, "options");
    if (t->options != NULL && !json_is_object(t->options))
        return config_refuse(part, "\"options\": an object is needed, {\"NAME\": \"VALUE\"}");
    json_object_foreach((json_t *)t->options, name, value)
    {
        if (!is_script_option(name))
            return refuse_option(part, name);
        if (!json_is_string(value))
            return config_refuse(part, "\"options\": %.64s: a text is needed", name);
    }
    return 0;
}

/* A script is the name of a bundled test or an absolute path. Relative paths are refused, because
 * another user could put a script into the current folder. */
static int check_script(const struct catalogue_test *t, const struct config_part *part)
{
    if (t->script[0] == '/' ? access(t->script, R_OK) == 0 : config_is_name(t->script))
        return t->script[0] == '-' ? config_refuse(part, "\"script\": it must be in a file") : 0;
    return config_refuse(part, "\"script\": the name of a bundled test, or the absolute path of a "
                               "readable script, is needed");
}

static int read_test(struct catalogue_test *t, const struct config_part *part)
{
    return config_only(part, test_keys) == 0 && config_text(part, "name", true, &t->name) == 0 &&
                   config_text(part, "script", true, &t->script) == 0 &&
                   config_text(part, "help", false, &t->help) == 0 &&
                   config_bool(part, "read_only", &t->read_only) == 0 &&
                   check_script(t, part) == 0 && read_options(t, part) == 0
               ? read_parameters(t, part)
               : -1;
}

static int check_name(const struct catalogue *all, const struct catalogue_test *t,
                      const struct config_part *part)
{
    if (!config_is_name(t->name))
        return config_refuse(part, "\"name\": letters, digits, _, . and - are allowed, at most 64");
    return catalogue_find(all, t->name) == t ? 0 : config_refuse(part, "this name occurs twice");
}

static int read_all(struct catalogue *all, const char *path)
{
    static const char *const keys[] = {"tests", NULL};
    const json_t *list = json_object_get(all->root, "tests");
    struct config_part part = {.path = path, .what = "the file", .object = all->root};
    if (config_only(&part, keys) != 0)
        return -1;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return config_refuse(&part, "\"tests\": a list of tests is needed, [{...}, ...]");
    all->test = xcalloc(json_array_size(list), sizeof(*all->test));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct catalogue_test *t = &all->test[all->count++];
        part.object = json_array_get(list, i);
        snprintf(part.what, sizeof(part.what), "test %zu", i + 1);
        if (read_test(t, &part) != 0 || check_name(all, t, &part) != 0)
            return -1;
    }
    return 0;
}

struct catalogue *catalogue_load(const char *path)
{
    struct catalogue *all = xcalloc(1, sizeof(*all));
    all->root = config_load(path, false);
    if (all->root != NULL && read_all(all, path) == 0)
        return all;
    catalogue_destroy(all);
    return NULL;
}

void catalogue_destroy(struct catalogue *catalogue)
{
    if (catalogue == NULL)
        return;
    for (size_t i = 0; i < catalogue->count; i++)
        free(catalogue->test[i].parameter);
    free(catalogue->test);
    json_decref(catalogue->root);
    free(catalogue);
}

const struct catalogue_test *catalogue_find(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (strcmp(catalogue->test[i].name, name) == 0)
            return &catalogue->test[i];
    return NULL;
}

const struct parameter *catalogue_parameter(const struct catalogue_test *test, const char *name)
{
    for (size_t i = 0; i < test->parameters; i++)
        if (strcmp(test->parameter[i].name, name) == 0)
            return &test->parameter[i];
    return NULL;
}
