/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/subject.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/secret.h"
#include "options/exit_codes.h"
#include "report/json/report_json_value.h"

/* The test that takes a log as its operand. */
#define LOG_TEST "replay"

/* Options that name one file, which every run would overwrite. */
static const char *const run_files[] = {"json", "html", "csv", "hlog", "hgrm", "request-log"};

static int index_of_test(int argc, char **argv)
{
    int i = 0;
    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    return i;
}

bool subject_has_log(const struct cmdline *cmd)
{
    return cmd->operand_test != NULL && cmd->test != NULL &&
           strcmp(cmd->test, cmd->operand_test) == 0;
}

static int check_words(const struct cmdline *cmd)
{
    if (cmd->test == NULL)
        log_text(LOG_FATAL, "no test follows '--' (needed: -- TEST [options])");
    else if (strcmp(cmd->test, "-") == 0)
        log_text(LOG_FATAL, "a script that is run several times cannot come from standard input");
    else if (subject_has_log(cmd) && cmd->operand == NULL)
        log_text(LOG_FATAL, "no log follows " LOG_TEST " (needed: -- " LOG_TEST " LOG [options])");
    else if (cmd->command != NULL && strcmp(cmd->command, "run") != 0)
        log_text(LOG_FATAL, "the only command allowed after '--' is run: %s", cmd->command);
    else
        return 0;
    return -1;
}

int subject_check_option(const char *name)
{
    for (size_t k = 0; k < ARRAY_SIZE(run_files); k++)
        if (option_name_is(name, run_files[k])) {
            log_text(LOG_FATAL,
                     "--%s cannot be used here: each run would overwrite the file",
                     name);
            return -1;
        }
    return 0;
}

static int check_options(const struct cmdline *cmd)
{
    for (unsigned i = 0; i < cmd->count; i++)
        if (subject_check_option(cmd->assignments[i].name) != 0)
            return -1;
    return 0;
}

bool subject_value_is_secret(const char *name, const char *value)
{
    if (!option_name_is(name, "inject"))
        return option_is_secret(name);
    char *masked = secret_mask(value);
    bool secret = strcmp(masked, value) != 0;
    free(masked);
    return secret;
}

/* Secrets on the command line; the child reads those in files itself. */
static bool passed_as_secret(const struct assignment *a)
{
    return a->where == NULL && a->value != NULL && subject_value_is_secret(a->name, a->value);
}

/* Adds a secret as a line of a --config-file, if such a line can hold the value unchanged. */
static int add_secret(FILE *out, const struct assignment *a)
{
    size_t length = strlen(a->value);
    if (strpbrk(a->value, "\r\n") != NULL || strspn(a->value, " \t") > 0 ||
        (length > 0 && strchr(" \t", a->value[length - 1]) != NULL)) {
        log_text(LOG_FATAL,
                 "--%s: a value that begins or ends with a blank, or has several lines, can only "
                 "come from a file",
                 a->name);
        return -1;
    }
    fprintf(out, "%s=%s\n", a->name, a->value);
    return 0;
}

static int collect_secrets(struct subject *subject)
{
    size_t bytes;
    int status = 0;
    FILE *out = checked_alloc(open_memstream(&subject->secrets, &bytes));
    for (unsigned i = 0; i < subject->cmdline.count && status == 0; i++)
        if (passed_as_secret(&subject->cmdline.assignments[i]))
            status = add_secret(out, &subject->cmdline.assignments[i]);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    if (bytes == 0) {
        free(subject->secrets);
        subject->secrets = NULL;
    }
    return status;
}

/* Prints a hint after a wrong option of the tool: perhaps an option of the test was meant. */
static int hint(struct subject *subject, const char *name)
{
    struct cmdline *own = &subject->own;
    own->misread |= own->test != NULL && own->test == own->detached_value;
    if (!cmdline_hint(own, subject->options) && own->unknown != NULL)
        log_bare("Options of the test follow '--': sysrate %s [options] -- TEST [options]",
                 name);
    return EXIT_FAILED;
}

/* Returns −1 if the tool should continue with the test, otherwise the exit code. */
static int apply_own(struct subject *subject, const struct tool_options *tool, const char *name,
                     bool test_follows)
{
    const char *word = subject->own.test;
    bool help = word != NULL && strcmp(word, "help") == 0;
    if (options_add(subject->options, tool->group, tool->rows, tool->count) != 0)
        return EXIT_FAILED;
    if (word == NULL || help) {
        if (cmdline_apply(&subject->own, subject->options, true) != 0)
            return hint(subject, name);
        if (help || options_bool(subject->options, "help")) {
            tool_options_help(tool, subject->options);
            return EXIT_WELL;
        }
        if (test_follows)
            return -1;
    }
    log_text(LOG_FATAL,
             "%s: the test and its options follow '--': sysrate %s [options] -- TEST [options]",
             name, name);
    return hint(subject, name);
}

const char *subject_check_launcher(const char *words)
{
    static const char allowed[] = "a program in PATH and its options, separated by blanks";
    const char *folder = getenv("PATH");
    const int length = (int)strcspn(words, " \t");
    char path[PATH_MAX];
    if (length == 0)
        return allowed;
    if (memchr(words, '/', (size_t)length) != NULL) {
        snprintf(path, sizeof(path), "%.*s", length, words);
        return access(path, X_OK) == 0 ? NULL : allowed;
    }
    while (folder != NULL && *folder != '\0') {
        const int bytes = (int)strcspn(folder, ":");
        snprintf(path, sizeof(path), "%.*s/%.*s", bytes, folder, length, words);
        if (access(path, X_OK) == 0)
            return NULL;
        folder += bytes + (folder[bytes] == ':');
    }
    return allowed;
}

/* Returns NULL if no launcher is used for the command. */
static const char *launcher_of(const struct subject *subject, const char *command)
{
    if (strcmp(command, "run") != 0 || options_find(subject->options, "launcher") == NULL)
        return NULL;
    return options_string(subject->options, "launcher");
}

/* Passwords are passed by standard input, which a launcher gives to one rank only. */
static int check_launcher(const struct subject *subject)
{
    if (launcher_of(subject, "run") == NULL || subject->secrets == NULL)
        return 0;
    log_text(LOG_FATAL, "with --launcher, passwords must be in a file that all machines have "
                        "(--config-file), not from the command line");
    return -1;
}

static int init(struct subject *subject, const struct tool_options *tool, int argc, char **argv,
                const char *log_test)
{
    int split = index_of_test(argc, argv);
    *subject = (struct subject){.options = options_create()};
    if (cmdline_collect(&subject->own, split, argv) != 0)
        return EXIT_FAILED;
    int code = apply_own(subject, tool, argv[0], split < argc);
    if (code >= 0)
        return code;
    subject->cmdline.operand_test = log_test;
    if (cmdline_collect(&subject->cmdline, argc - split, argv + split) != 0 ||
        check_words(&subject->cmdline) != 0 || check_options(&subject->cmdline) != 0 ||
        collect_secrets(subject) != 0 || check_launcher(subject) != 0)
        return EXIT_FAILED;
    outfile_protect(subject->cmdline.test, "the script");
    return -1;
}

int subject_init(struct subject *subject, const struct tool_options *tool, int argc, char **argv)
{
    return init(subject, tool, argc, argv, NULL);
}

int subject_init_or_log(struct subject *subject, const struct tool_options *tool, int argc,
                        char **argv)
{
    return init(subject, tool, argc, argv, LOG_TEST);
}

void subject_fini(struct subject *subject)
{
    cmdline_fini(&subject->cmdline);
    cmdline_fini(&subject->own);
    options_destroy(subject->options);
    free(subject->secrets);
    for (size_t i = 0; i < subject->warnings; i++)
        free(subject->warned[i]);
    free(subject->warned);
    *subject = (struct subject){0};
}

/* The option --test=X is passed as the first word instead. */
static bool passed_as_argument(const struct assignment *a)
{
    return a->where == NULL && !passed_as_secret(a) && !option_name_is(a->name, "test");
}

static void add_argument(struct child *child, const struct assignment *a)
{
    if (a->value != NULL)
        child_arg(child, "--%s=%s", a->name, a->value);
    else
        child_arg(child, "--%s", a->name);
}

/* Adds those of the tool's own options that each run gets. */
static void add_archive(struct child *child, const struct options *own)
{
    if (options_find(own, "archive") == NULL)
        return;
    if (options_string(own, "archive") != NULL)
        child_arg(child, "--archive=%s", options_string(own, "archive"));
    char *const *label = options_get(own, "label")->list;
    for (; label != NULL && *label != NULL; label++)
        child_arg(child, "--label=%s", *label);
}

struct child *subject_child(const struct subject *subject, const char *command)
{
    return subject_child_of(subject, command, NULL);
}

struct child *subject_child_of(const struct subject *subject, const char *command,
                               const char *program)
{
    struct child *child = child_create();
    if (child == NULL)
        return NULL;
    if (program != NULL)
        child_set_program(child, program);
    const char *launcher = launcher_of(subject, command);
    if (launcher != NULL)
        child_launch_by(child, launcher);
    for (unsigned i = 0; i < subject->cmdline.count; i++)
        if (passed_as_argument(&subject->cmdline.assignments[i]))
            add_argument(child, &subject->cmdline.assignments[i]);
    add_archive(child, subject->options);
    /* Must be the last file: it replaces the command line, whose options override those in
     * files. */
    if (subject->secrets != NULL) {
        child_arg(child, "--config-file=/dev/stdin");
        child_input(child, subject->secrets);
    }
    child_arg(child, "%s", subject->cmdline.test);
    if (subject->cmdline.operand != NULL)
        child_arg(child, "%s", subject->cmdline.operand);
    child_arg(child, "%s", command);
    return child;
}

static char *without_digits(const char *text)
{
    char *kept = xcalloc(1, strlen(text) + 1), *out = kept;
    for (; *text != '\0'; text++)
        if (strchr("0123456789", *text) == NULL)
            *out++ = *text;
    return kept;
}

/* Returns true for a warning that is shown for each run: a failed injection affects only its own
 * run. */
static bool is_of_one_run(const char *warning)
{
    return strncmp(warning, "injection ", strlen("injection ")) == 0;
}

static bool is_new(struct subject *subject, const char *warning)
{
    if (is_of_one_run(warning))
        return true;
    char *key = without_digits(warning);
    for (size_t i = 0; i < subject->warnings; i++)
        if (strcmp(subject->warned[i], key) == 0) {
            free(key);
            return false;
        }
    size_t bytes = (subject->warnings + 1) * sizeof(*subject->warned);
    subject->warned = xrealloc(subject->warned, bytes);
    subject->warned[subject->warnings++] = key;
    return true;
}

void subject_pass_warnings(struct subject *subject, const struct child *child, const char *label)
{
    static const char level[] = "WARNING: ";
    char *text = child_text(child, "stderr"), *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (strncmp(line, level, strlen(level)) == 0 && is_new(subject, line + strlen(level)))
            log_text(LOG_WARNING, "%s: %s", label, line + strlen(level));
    free(text);
}

/* A test without options and without help text refuses "help", but only after it has checked its
 * options. */
static bool refuses_help(const char *text)
{
    return strstr(text, "test does not implement the 'help' command.") != NULL;
}

int subject_finish(struct child *child)
{
    int code = 1;
    if (child_start(child) == 0) {
        child_wait(child, INT64_MAX);
        code = child_exit_code(child);
        char *text = child_text(child, "stderr");
        if (refuses_help(text))
            code = 0;
        if (code != 0)
            fputs(text, stderr);
        if (child_end_signal(child) != 0)
            log_text(LOG_FATAL, "the process that checks the test: %s", child_end_text(child));
        else if (code != 0 && text[0] == '\0')
            log_text(LOG_FATAL,
                     "the process that checks the test could not write its message: %s (is the "
                     "disk of TMPDIR or /tmp full?)",
                     child_end_text(child));
        free(text);
    }
    child_destroy(child);
    return code == 0 ? 0 : -1;
}

char *subject_failure(const char *command, const struct child *child)
{
    char *reason = child_reason(child), *failure;
    /* If a signal has ended the child, its earlier messages are not the reason. */
    bool known = reason[0] != '\0' && child_end_signal(child) == 0;
    int length =
        asprintf(&failure, "%s failed: %s", command, known ? reason : child_end_text(child));
    free(reason);
    return length < 0 ? checked_alloc(NULL) : failure;
}

bool subject_has_measured(const json_t *summary, int code)
{
    const char *end = json_string_value(json_object_get(summary, "end"));
    if (end == NULL)
        return false;
    return code == EXIT_WELL || code == EXIT_FORCED || code == EXIT_MISSED ||
           code == EXIT_DOUBTFUL || strcmp(end, "queue_full") == 0 ||
           strcmp(end, "forced_shutdown") == 0;
}

/* Returns the option with passwords masked; the caller frees the text. */
static char *describe_option(const struct assignment *a)
{
    const char *value = a->value != NULL ? a->value : "";
    char *masked = option_name_is(a->name, "inject") ? secret_mask(value) : xstrdup(value), *text;
    if (asprintf(&text, "%s%s%s", a->name, a->value != NULL ? "=" : "", masked) < 0)
        text = checked_alloc(NULL);
    free(masked);
    return text;
}

json_t *subject_plan(const struct subject *subject)
{
    const struct cmdline *cmd = &subject->cmdline;
    json_t *options = value_array();
    for (unsigned i = 0; i < cmd->count; i++) {
        const struct assignment *a = &cmd->assignments[i];
        if (option_is_secret(a->name))
            continue;
        char *text = describe_option(a);
        value_append(options, value_text(text));
        free(text);
    }
    return options;
}

char *subject_injection_failures(const json_t *head)
{
    char *text = NULL;
    size_t bytes = 0, i;
    json_t *injection;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    json_array_foreach(json_object_get(head, "injections"), i, injection)
    {
        const char *state = json_string_value(json_object_get(injection, "state"));
        const char *error = json_string_value(json_object_get(injection, "error"));
        if (state != NULL && strcmp(state, "failed") == 0)
            fprintf(out, "%sinjection %zu failed: %s", ftell(out) > 0 ? ", " : "", i + 1,
                    error != NULL ? error : "-");
    }
    if (fclose(out) != 0)
        checked_alloc(NULL);
    if (text[0] != '\0')
        return log_printable(text, "");
    free(text);
    return NULL;
}

char **subject_values(const struct cmdline *cmd, const char *name)
{
    char **list = xcalloc(cmd->count + 1, sizeof(*list));
    size_t count = 0;
    for (unsigned i = 0; i < cmd->count; i++)
        if (option_name_is(cmd->assignments[i].name, name))
            list[count++] = xstrdup(cmd->assignments[i].value);
    return list;
}

void subject_values_free(char **list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        free(list[i]);
    free(list);
}
