/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/tool_options.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "options/exit_codes.h"

void tool_options_help(const struct tool_options *tool, const struct options *set)
{
    printf("%s%s:\n", tool->usage, tool->group);
    options_help(set, tool->group, true, stdout);
}

static void refuse(const struct tool_call *call, const struct tool_options *tool, const char *name,
                   const struct assignment *a)
{
    char *allowed = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&allowed, &bytes));
    bool shown = a->value != NULL && !option_is_secret(a->name);
    options_print_names(call->options, tool->group, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    log_text(LOG_FATAL, "%s: invalid option: --%s%s%s (allowed: %s)", name, a->name,
             shown ? "=" : "", shown ? a->value : "", allowed);
    free(allowed);
}

/* Checks all assignments, including --test, which cmdline_collect() treats specially. */
static int check_known(struct tool_call *call, const struct tool_options *tool, const char *name)
{
    for (unsigned i = 0; i < call->cmdline.count; i++)
        if (options_find(call->options, call->cmdline.assignments[i].name) == NULL) {
            refuse(call, tool, name, &call->cmdline.assignments[i]);
            call->cmdline.unknown = call->cmdline.assignments[i].name;
            return -1;
        }
    return 0;
}

/*
 * Stores words as files and copies the name and the options to `own`. Returns the number of entries
 * of `own`. A word after an option without "=" may have been meant as its value, so its position is
 * kept.
 */
static int split_words(struct tool_call *call, int argc, char **argv, char **own)
{
    int count = 0;
    for (int i = 0; i < argc; i++) {
        bool is_word = argv[i][0] != '-' || argv[i][1] == '\0';
        if (i == 0 || !is_word) {
            own[count++] = argv[i];
            continue;
        }
        call->file[call->files++] = argv[i];
        if (argv[i - 1][0] == '-' && strchr(argv[i - 1], '=') == NULL)
            call->detached = argv + i - 1;
    }
    return count;
}

/* Returns true if "help" is the only word, and not the name of a file or folder. */
static bool is_help(const struct tool_call *call)
{
    return call->files == 1 && strcmp(call->file[0], "help") == 0 && access("help", F_OK) != 0;
}

static int read_options(struct tool_call *call, const struct tool_options *tool, int argc,
                        char **argv)
{
    if (options_add(call->options, tool->group, tool->rows, tool->count) != 0 ||
        cmdline_collect(&call->cmdline, argc, argv) != 0 || check_known(call, tool, argv[0]) != 0 ||
        cmdline_apply(&call->cmdline, call->options, true) != 0) {
        if (call->detached != NULL) {
            call->cmdline.detached_option = call->detached[0];
            call->cmdline.detached_value = call->detached[1];
        }
        cmdline_hint(&call->cmdline, call->options);
        return EXIT_FAILED;
    }
    if (!options_bool(call->options, "help") && !is_help(call))
        return -1;
    tool_options_help(tool, call->options);
    return EXIT_WELL;
}

int tool_call_init(struct tool_call *call, const struct tool_options *tool, int argc, char **argv)
{
    char **own = xcalloc((size_t)argc, sizeof(*own));
    *call = (struct tool_call){.options = options_create(),
                               .file = xcalloc((size_t)argc, sizeof(*call->file))};
    int code = read_options(call, tool, split_words(call, argc, argv, own), own);
    free(own);
    return code;
}

void tool_call_fini(struct tool_call *call)
{
    cmdline_fini(&call->cmdline);
    options_destroy(call->options);
    free(call->file);
}
