/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_mains.h"

#include <errno.h>
#include <string.h>

#include "archive/archive.h"
#include "base/log.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "options/labels.h"
#include "options/tool_options.h"
#include "tools/archive/archive_accept.h"
#include "tools/archive/archive_list.h"
#include "tools/archive/archive_words.h"
#include "tools/capacity/capacity_record.h"
#include "tools/report_again.h"
#include "tools/report_paths.h"

static const struct option_spec rows[] = {
    {"label", OPTION_STRING,
     .help = "add: label of the added runs; list: only runs with this label; may be repeated",
     .check = label_check, .field = OPTION_NO_FIELD, .repeats = true, .argument = "=NAME=VALUE"},
    {"test-name", OPTION_STRING, .help = "list: only runs of this test",
     .check = archive_check_name, .field = OPTION_NO_FIELD, .argument = "=NAME"},
    {"verdict", OPTION_STRING, .help = "list: only runs with this verdict, such as VALID",
     .check = archive_check_name, .field = OPTION_NO_FIELD, .argument = "=NAME"},
    {"kind", OPTION_STRING, "all", "list: only entries of this kind",
     .choices = OPTION_CHOICES({"all", NULL}, {"run", NULL}, {"probe", "a run made by a search"},
                               {"capacity", "the result of a search"}),
     .field = OPTION_NO_FIELD, .argument = "=KIND"},
    {"since", OPTION_STRING, .help = "list: only runs that started at this time (UTC) or later",
     .check = archive_check_time, .field = OPTION_NO_FIELD, .argument = "=TIME"},
    {"until", OPTION_STRING, .help = "list: only runs that started before this time (UTC)",
     .check = archive_check_time, .field = OPTION_NO_FIELD, .argument = "=TIME"},
    {"limit", OPTION_INT, "0", "list: only this many newest runs; 0: all", 0, INT32_MAX,
     .field = OPTION_NO_FIELD, .argument = "=N"},
    {"format", OPTION_STRING, "table", "list: output format",
     .choices = OPTION_CHOICES([ARCHIVE_TABLE] = {"table", NULL}, [ARCHIVE_CSV] = {"csv", NULL},
                               [ARCHIVE_JSON] = {"json", NULL}),
     .field = OPTION_NO_FIELD, .argument = "=FORMAT"},
    {"json", OPTION_BOOL, "off", "show: print the JSON report instead of the text",
     .field = OPTION_NO_FIELD, .argument = ""},
    {"help", OPTION_BOOL, "off", "print this help and exit", .field = OPTION_NO_FIELD,
     .argument = ""},
};

static const struct tool_options tool = {
    "Usage:\n"
    "  sysrate archive add  [--label=NAME=VALUE ...] DIR A.json [B.json ...]\n"
    "  sysrate archive list [options] DIR\n"
    "  sysrate archive show [--json] DIR RUN\n"
    "  sysrate archive tag  DIR RUN NAME=VALUE [NAME= ...]\n"
    "  sysrate archive rm   DIR RUN [RUN ...]\n\n"
    "Stores reports that runs have written with --json, and folders of 'sysrate capacity', in the\n"
    "folder DIR, lists them and prints them again.\n"
    "'sysrate --archive=DIR TEST run' adds its own run. RUN is a number in the list. tag sets\n"
    "labels, and removes those without a value.\n\n",
    "archive options",
    rows,
    ARRAY_SIZE(rows),
};

/* One call of the tool; `word` has the arguments after the action. */
struct request {
    const struct tool_call *call;
    struct archive *archive;
    const char *const *word;
    size_t words;
    struct archive_label *label;
    size_t labels;
};

/* Actions of the tool. */

static int add_file(struct request *r, const char *path)
{
    size_t bytes;
    char *text = report_document_read(path, &bytes);
    if (text == NULL)
        return -1;
    int64_t id = archive_accept(path, text, bytes) == 0
                     ? archive_add(r->archive, path, text, bytes, r->label, r->labels)
                     : -1;
    free(text);
    if (id < 0)
        return -1;
    printf("%s: run %lld\n", path, (long long)id);
    log_flush_stdout();
    return log_stdout_error() == 0 ? 0 : -1;
}

/* Runs that were added before an error stay in the archive. */
static int add(struct request *r)
{
    struct report_paths paths = {0};
    int status = 0;
    for (size_t i = 0; i < r->words && status == 0; i++)
        status = report_paths_add_all(&paths, r->word[i]);
    if (status == 0 && paths.count == 0) {
        log_text(LOG_FATAL, "archive add: nothing to add: give files that runs wrote with --json");
        status = -1;
    }
    for (size_t i = 0; i < paths.count && status == 0; i++)
        status = add_file(r, paths.path[i]);
    report_paths_fini(&paths);
    return status;
}

/* Returns NULL for runs of all kinds. */
static const char *kind_of(const struct options *options)
{
    const char *kind = options_string(options, "kind");
    return strcmp(kind, "all") != 0 ? kind : NULL;
}

static int list(struct request *r)
{
    const struct options *options = r->call->options;
    const struct archive_filter filter = {.test = options_string(options, "test-name"),
                                          .verdict = options_string(options, "verdict"),
                                          .kind = kind_of(options),
                                          .since = options_string(options, "since"),
                                          .until = options_string(options, "until"),
                                          .limit = options_int(options, "limit"),
                                          .label = r->label,
                                          .labels = r->labels};
    return archive_list(stdout, r->archive, &filter, options_choice(options, "format"));
}

static int64_t read_id(const char *text)
{
    char *end;
    errno = 0;
    long long id = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && id > 0)
        return id;
    log_text(LOG_FATAL,
             "archive: '%s' is not the number of a run (see 'sysrate archive list')",
             text);
    return -1;
}

static int show_capacity(const char *name, char *text, size_t bytes)
{
    struct capacity_kept kept;
    int status = capacity_kept_read(&kept, name, text, bytes);
    if (status == 0)
        capacity_print_again(stdout, &kept.record, name);
    capacity_kept_fini(&kept);
    free(text);
    return status;
}

/* Prints the text of a report. Takes ownership of `text`. */
static int show_text(const char *name, char *text, size_t bytes)
{
    if (archive_is_capacity(text, bytes))
        return show_capacity(name, text, bytes);
    struct report_document document;
    int status = report_document_parse(&document, name, text, bytes);
    if (status == 0)
        status = report_again(stdout, &document, name);
    report_document_fini(&document);
    return status;
}

static int show(struct request *r)
{
    size_t bytes;
    char name[32];
    int64_t id = read_id(r->word[0]);
    char *text = id > 0 ? archive_report(r->archive, id, &bytes) : NULL;
    if (text == NULL)
        return -1;
    snprintf(name, sizeof(name), "run %lld", (long long)id);
    if (!options_bool(r->call->options, "json"))
        return show_text(name, text, bytes);
    fwrite(text, 1, bytes, stdout);
    free(text);
    return 0;
}

/* "NAME=" removes a label; label_check() refuses it, so a value is appended for the check. */
static int check_tag(const char *text)
{
    size_t length = strlen(text);
    char *full;
    if (asprintf(&full, "%s%s", text, length > 0 && text[length - 1] == '=' ? "-" : "") < 0)
        checked_alloc(NULL);
    const char *allowed = label_check(full);
    free(full);
    if (allowed == NULL)
        return 0;
    log_text(LOG_FATAL,
             "archive tag: '%s' is not a label (allowed: %s, or NAME= to remove it)",
             text,
             allowed);
    return -1;
}

static int tag(struct request *r)
{
    int64_t id = read_id(r->word[0]);
    int status = id > 0 ? 0 : -1;
    for (size_t i = 1; i < r->words && status == 0; i++)
        status = check_tag(r->word[i]);
    for (size_t i = 1; i < r->words && status == 0; i++) {
        char *text = xstrdup(r->word[i]);
        const struct archive_label label = archive_split_label(text);
        status = archive_tag(r->archive, id, &label);
        free(text);
    }
    return status;
}

static int rm(struct request *r)
{
    int status = 0;
    for (size_t i = 0; i < r->words && status == 0; i++) {
        int64_t id = read_id(r->word[i]);
        status = id > 0 ? archive_remove(r->archive, id) : -1;
    }
    return status;
}

static const struct action {
    const char *name;
    int (*act)(struct request *r);
    size_t least, most; /* number of arguments after DIR */
    const char *wanted; /* description of the arguments */
    const char *options;
    bool create;
} actions[] = {
    {"add", add, 1, SIZE_MAX, "a folder and reports", "label", true},
    {"list", list, 0, 0, "a folder", "label test-name verdict kind since until limit format",
     false},
    {"show", show, 1, 1, "a folder and the number of a run", "json", false},
    {"tag", tag, 2, SIZE_MAX, "a folder, the number of a run and NAME=VALUE", "", false},
    {"rm", rm, 1, SIZE_MAX, "a folder and numbers of runs", "", false},
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    log_text(LOG_FATAL, "archive: unknown action '%s' (allowed: add, list, show, tag, rm)", name);
    return NULL;
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static int check_call(const struct action *action, const struct tool_call *call)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (options_get(call->options, rows[i].name)->given &&
            !is_listed(action->options, rows[i].name)) {
            log_text(LOG_FATAL,
                     "archive %s: --%s is not an option of this action (see 'sysrate archive "
                     "--help')",
                     action->name, rows[i].name);
            return -1;
        }
    size_t words = call->files - 1;
    if (words >= 1 && words - 1 >= action->least && words - 1 <= action->most)
        return 0;
    log_text(LOG_FATAL, "archive %s: needs %s (see 'sysrate archive --help')", action->name,
             action->wanted);
    return -1;
}

static int act(const struct action *action, const struct tool_call *call)
{
    struct request r = {.call = call, .word = call->file + 2, .words = call->files - 2};
    r.label = archive_read_labels(options_get(call->options, "label")->list, &r.labels);
    r.archive = archive_open(call->file[1], action->create);
    int status = r.archive != NULL ? action->act(&r) : -1;
    if (r.archive != NULL && status != 0)
        archive_discard(r.archive);
    archive_close(r.archive);
    if (status != 0)
        archive_discard_folder(call->file[1]);
    archive_free_labels(r.label, r.labels);
    log_flush_stdout();
    return status == 0 && log_stdout_error() == 0 ? EXIT_WELL : EXIT_FAILED;
}

static int call_action(const struct tool_call *call)
{
    if (call->files == 0) {
        log_text(LOG_FATAL, "archive: give an action: add, list, show, tag or rm (see "
                            "'sysrate archive --help')");
        return EXIT_FAILED;
    }
    const struct action *action = find_action(call->file[0]);
    return action != NULL && check_call(action, call) == 0 ? act(action, call) : EXIT_FAILED;
}

int archive_tool_main(int argc, char **argv)
{
    struct tool_call call;
    int code = tool_call_init(&call, &tool, argc, argv);
    if (code < 0)
        code = call_action(&call);
    tool_call_fini(&call);
    return code;
}
