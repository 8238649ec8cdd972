/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan of an experiment: its variants, the asked figures, and the order of the blocks. */
#include "tools/ab/ab.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rand_stream.h"
#include "options/command_words.h"
#include "options/quantity.h"
#include "report/json/report_json_value.h"
#include "tools/before_commands.h"
#include "tools/out_folder.h"

#define ALLOWED_OPTIONS "options of the test, such as '--mysql-port=3307 --tables=2'"
#define ALLOWED_UNTIL                                                                              \
    "a percentage above 0, such as 2%, or figures with theirs, such as p95±2%,mean±1%"

/* Options of a variant. */

const char *ab_check_options(const char *text)
{
    char **words = command_words(text);
    bool good = words != NULL;
    for (size_t i = 0; good && words[i] != NULL; i++)
        good = strncmp(words[i], "--", 2) == 0 && words[i][2] != '\0' && words[i][2] != '=';
    free(words);
    return good ? NULL : ALLOWED_OPTIONS;
}

static int check_option(char letter, const char *option)
{
    const char *value = strchr(option, '=');
    char *name = checked_alloc(strndup(option + 2, strcspn(option + 2, "=")));
    int status = -1;
    if (option_name_is(name, "rand-seed"))
        log_text(LOG_FATAL, "ab: --rand-seed cannot be used: each pair of blocks has its own");
    else if (subject_value_is_secret(name, value != NULL ? value + 1 : ""))
        log_text(LOG_FATAL,
                 "ab: --%c cannot have a password: use --config-file=FILE there, or a password "
                 "after '--' for both variants",
                 letter);
    else
        status = subject_check_option(name);
    free(name);
    return status;
}

static int add_options(struct ab_variant *variant, char letter, const char *text)
{
    char **words = command_words(text);
    int status = 0;
    for (size_t i = 0; words[i] != NULL && status == 0; i++) {
        status = check_option(letter, words[i]);
        variant->option =
            xrealloc(variant->option, (variant->options + 1) * sizeof(*variant->option));
        variant->option[variant->options++] = xstrdup(words[i]);
    }
    free(words);
    return status;
}

static int read_variant(struct ab *ab, struct ab_variant *variant, char letter)
{
    char name[16];
    const char word[] = {letter, '\0'};
    char **list = subject_values(&ab->subject.own, word);
    int status = 0;
    for (size_t i = 0; list[i] != NULL && status == 0; i++)
        status = add_options(variant, letter, list[i]);
    subject_values_free(list);
    snprintf(name, sizeof(name), "%c-before", letter);
    before_commands_load(&variant->before, &ab->subject.own, name);
    snprintf(name, sizeof(name), "%c-server", letter);
    list = subject_values(&ab->subject.own, name);
    variant->server = value_object();
    for (size_t i = 0; list[i] != NULL; i++)
        ab_add_server(variant, list[i]);
    subject_values_free(list);
    snprintf(name, sizeof(name), "%c-program", letter);
    variant->program = options_string(ab->subject.options, name);
    return status;
}

/* Goals. */

/* Parses "p95±2%" or "2%" and advances *text past it. Returns false if it is malformed. */
static bool read_goal(const char **text, struct ab_goal *goal)
{
    static const char *const signs[] = {"±", "+-"};
    *goal = (struct ab_goal){0};
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
        const char *sign = strstr(*text, signs[i]);
        if (sign == NULL || strcspn(*text, ",") < (size_t)(sign - *text) || sign == *text)
            continue;
        goal->figure = checked_alloc(strndup(*text, (size_t)(sign - *text)));
        *text = sign + strlen(signs[i]);
        break;
    }
    if (!quantity_read_plain(text, &goal->percent) || **text != '%' || !(goal->percent > 0) ||
        goal->percent > 100)
        return false;
    (*text)++;
    return true;
}

/* Appends the goals of `text`. Returns false if it is malformed. */
static bool read_goals(struct ab *ab, const char *text)
{
    bool good = true, more = true;
    while (good && more) {
        ab->goal = xrealloc(ab->goal, (ab->goals + 1) * sizeof(*ab->goal));
        struct ab_goal *goal = &ab->goal[ab->goals++];
        good = read_goal(&text, goal);
        for (size_t i = 0; i + 1 < ab->goals && good; i++)
            good = goal->figure != NULL && ab->goal[i].figure != NULL &&
                   strcmp(goal->figure, ab->goal[i].figure) != 0;
        more = *text == ',';
        good = good && (more || *text == '\0');
        text += more;
    }
    return good;
}

static void free_goals(struct ab *ab)
{
    for (size_t i = 0; i < ab->goals; i++)
        free(ab->goal[i].figure);
    free(ab->goal);
}

const char *ab_check_until(const char *text)
{
    struct ab ab = {0};
    bool good = read_goals(&ab, text);
    free_goals(&ab);
    return good ? NULL : ALLOWED_UNTIL;
}

static bool are_alike(const struct ab *ab)
{
    json_t *a = ab_plan_of_variant(ab, AB_A), *b = ab_plan_of_variant(ab, AB_B);
    bool alike = json_equal(a, b) == 1;
    json_decref(a);
    json_decref(b);
    return alike;
}

int ab_read_variants(struct ab *ab)
{
    read_goals(ab, options_string(ab->subject.options, "until"));
    for (int k = 0; k < AB_VARIANTS; k++)
        if (read_variant(ab, &ab->variant[k], "ab"[k]) != 0)
            return -1;
    if (ab_varies_server(ab) && !options_bool(ab->subject.options, "allow-server-changes")) {
        log_text(LOG_FATAL, "ab: --a-server and --b-server change settings of the server, which "
                            "must be permitted by --allow-server-changes");
        return -1;
    }
    if (!are_alike(ab))
        return 0;
    log_text(LOG_FATAL, "ab: A and B are the same: say what differs, such as --b=--mysql-port=3307 "
                        "(--control compares A with itself)");
    return -1;
}

/* Pairs. */

static char *block_path(const struct ab *ab, const struct ab_series *series, int k)
{
    char name[64];
    snprintf(name, sizeof(name), "%s-%03zu-%c.json", series->control ? "control" : "pair",
             series->pairs + 1, "ab"[k]);
    return out_folder_path(ab->folder, name);
}

/* The first of two pairs draws its order, the second has the opposite one: ABBA or BAAB. A steady
 * drift then cancels out within the two. */
static bool draw_order(const struct ab *ab, const struct ab_series *series)
{
    struct rand_stream stream;
    rand_stream_init(&stream, (uint64_t)ab->seed, RAND_ORDER,
                     (unsigned)(series->pairs / 2 * 2 + series->control));
    return (rand_stream_u64(&stream) >> 63 != 0) != (series->pairs % 2 == 1);
}

static int64_t draw_seed(const struct ab *ab, const struct ab_series *series)
{
    struct rand_stream stream;
    rand_stream_init(&stream, (uint64_t)ab->seed, RAND_WORKLOAD,
                     (unsigned)(series->pairs * 2 + series->control));
    return 1 + (int64_t)rand_stream_below(&stream, 1000000000);
}

void ab_add_pair(struct ab *ab, struct ab_series *series)
{
    series->pair = xrealloc(series->pair, (series->pairs + 1) * sizeof(*series->pair));
    struct ab_pair *pair = &series->pair[series->pairs];
    *pair = (struct ab_pair){.b_first = draw_order(ab, series), .seed = draw_seed(ab, series)};
    for (int k = 0; k < AB_VARIANTS; k++)
        pair->block[k].path = block_path(ab, series, k);
    series->pairs++;
}

/* The plan. */

json_t *ab_plan_of_variant(const struct ab *ab, int k)
{
    const struct ab_variant *variant = &ab->variant[k];
    json_t *value = value_object(), *options = value_array(), *before = value_array();
    for (size_t i = 0; i < variant->options; i++)
        value_append(options, value_text(variant->option[i]));
    for (unsigned i = 0; i < variant->before.count; i++) {
        const struct inject_action *action = &variant->before.actions[i];
        json_t *shown = json_sprintf("%s: %s", inject_kind_names[action->kind], action->shown);
        value_append(before, checked_alloc(shown));
    }
    value_set(value, "options", options);
    value_set(value, "before", before);
    value_set(value, "server", json_incref(variant->server));
    value_set(value, "program", value_text(variant->program));
    return value;
}

static json_t *plan_of_figures(const struct ab *ab)
{
    json_t *figures = value_array();
    for (size_t i = 0; i < ab->goals; i++)
        if (ab->goal[i].figure != NULL)
            value_append(figures, value_text(ab->goal[i].figure));
    return figures;
}

json_t *ab_plan(const struct ab *ab)
{
    json_t *plan = value_object();
    value_set(plan, "test", value_text(ab->subject.cmdline.test));
    value_set(plan, "options", subject_plan(&ab->subject));
    value_set(plan, "a", ab_plan_of_variant(ab, AB_A));
    value_set(plan, "b", ab_plan_of_variant(ab, AB_B));
    value_set(plan, "figures", plan_of_figures(ab));
    if (ab_varies_server(ab))
        value_set(plan, "server_setting_host",
                  value_text(options_string(ab->subject.options, "server-setting-host")));
    value_set(plan, "use_doubtful", json_boolean(ab->use_doubtful));
    value_set(plan, "seed", json_integer(ab->seed));
    return plan;
}

static void series_fini(struct ab_series *series)
{
    for (size_t i = 0; i < series->pairs; i++) {
        for (int k = 0; k < AB_VARIANTS; k++) {
            if (series->pair[i].block[k].measured)
                compare_run_fini(&series->pair[i].block[k].run);
            free(series->pair[i].block[k].path);
        }
        free(series->pair[i].left_out);
    }
    for (size_t i = 0; i < series->figures; i++)
        ab_figure_fini(&series->figure[i]);
    free(series->figure);
    free(series->pair);
}

void ab_fini(struct ab *ab)
{
    series_fini(&ab->control);
    series_fini(&ab->main);
    for (int k = 0; k < AB_VARIANTS; k++) {
        for (size_t i = 0; i < ab->variant[k].options; i++)
            free(ab->variant[k].option[i]);
        free(ab->variant[k].option);
        inject_plan_fini(&ab->variant[k].before);
        json_decref(ab->variant[k].server);
    }
    free_goals(ab);
    server_settings_fini(&ab->server);
    if (ab->lock_fd >= 0)
        close(ab->lock_fd);
    subject_fini(&ab->subject);
}
