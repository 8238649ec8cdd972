/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/topics.h"

#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "main/tools.h"

/* The names in each topic have blanks before and after them. Options that no topic names are
 * printed under the last topic. */
static const struct topic {
    const char *heading, *names;
} topics[] = {
    {"Put load on a server",
     " threads tx-rate rate arrival burst arrival-trace pacing session-rate session-length "
     "think session-connection sessions time events "
     "warmup-time drain queue-size "
     "queue-full deferred-threads timeout timeout-action retry retry-on "},
    {"Judge the run, and disturb it",
     " slo slo-abort until strict inject idle-connections connect-rate idle-touch "
     "connection-storm staleness wait-events wait-events-text "
     "slowest "},
    {"Print the report",
     " report-interval percentile histogram report-checkpoints report report-format live color "
     "verbosity "},
    {"Keep the results, or send them elsewhere",
     " json html archive label archive-kind csv hlog hgrm request-log prom prom-file "},
    {"Choose random numbers",
     " rand-seed rand-type rand-zipfian-exp rand-pareto-h rand-spec-iter rand-spec-pct "
     "rand-spec-res "},
    {"Divide a run among machines", " node start-at rank-lost "},
    {"Set up the program", ""},
};

static const char *const groups[] = {"General options", "Pseudo-Random Numbers Generator options",
                                     "Log options"};

static const char *name_in(const struct topic *topic, const char *name)
{
    char word[64];
    snprintf(word, sizeof(word), " %s ", name);
    return strstr(topic->names, word);
}

static const struct topic *topic_of(const struct option_spec *row)
{
    const struct topic *last = topics + ARRAY_SIZE(topics) - 1, *topic = topics;
    while (topic < last && name_in(topic, row->name) == NULL)
        topic++;
    return topic;
}

/* Returns the rows of all groups. The caller frees the array. */
static const struct option_spec **all_rows(const struct options *set, size_t *count)
{
    const struct option_spec **all = NULL;
    *count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
        size_t more;
        const struct option_spec **rows = options_listed(set, groups[i], &more);
        all = xrealloc(all, (*count + more) * sizeof(const struct option_spec *));
        memcpy(all + *count, rows, more * sizeof(const struct option_spec *));
        *count += more;
        free(rows);
    }
    return all;
}

/* Returns true if `a` comes before `b` in the topic. */
static bool precedes(const struct topic *topic, const struct option_spec *a,
                     const struct option_spec *b)
{
    const char *x = name_in(topic, a->name), *y = name_in(topic, b->name);
    return x != NULL && y != NULL && x < y;
}

static void print_topic(const struct topic *topic, const struct option_spec *const *all,
                        size_t count)
{
    const struct option_spec **rows = xcalloc(count, sizeof(const struct option_spec *));
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (topic_of(all[i]) != topic)
            continue;
        size_t at = used++;
        for (; at > 0 && precedes(topic, all[i], rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = all[i];
    }
    printf("%s:\n", topic->heading);
    options_help_rows(rows, used, stdout);
    printf("\n");
    free(rows);
}

void topics_print_options(const struct options *set)
{
    size_t count;
    const struct option_spec **all = all_rows(set, &count);
    for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
        print_topic(&topics[i], all, count);
    free(all);
}

void topics_print_tools(const char *name)
{
    static const char *const purposes[] = {
        [TOOL_FIND] = "Find a setting or a limit",
        [TOOL_JUDGE] = "Judge runs against others",
        [TOOL_KEEP] = "Keep and show the reports of runs",
        [TOOL_CHECK] = "Check the measurement itself",
    };
    for (size_t i = 0; i < ARRAY_SIZE(purposes); i++) {
        printf("%s:\n", purposes[i]);
        for (const struct tool *tool = tools; tool->name != NULL; tool++)
            if (tool->purpose == i)
                printf("  %s %s - %s\n", name, tool->name, tool->description);
        printf("\n");
    }
}

static bool is_script(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char **topics_turn(int *argc, char **argv, char **instead)
{
    static char word[] = "help", option[] = "--help";
    if (*argc < 2 || *argc > 3 || strcmp(argv[1], word) != 0 || is_script(word) ||
        is_script("help.lua"))
        return argv;
    char *topic = *argc == 3 && argv[2][0] != '-' && strcmp(argv[2], word) != 0 ? argv[2] : NULL;
    int count = 0;
    instead[count++] = argv[0];
    if (topic != NULL)
        instead[count++] = topic;
    if (topic == NULL || tool_find(topic) != NULL)
        instead[count++] = option;
    else if (strcmp(topic, "list") != 0)
        instead[count++] = word;
    instead[count] = NULL;
    *argc = count;
    return instead;
}
