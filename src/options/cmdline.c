/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/cmdline.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/near.h"
#include "base/secret.h"
#include "base/util.h"
#include "options/claimable.h"

static void add_assignment(struct cmdline *cmd, struct assignment a)
{
    cmd->assignments = xrealloc(cmd->assignments, (cmd->count + 1) * sizeof(a));
    cmd->assignments[cmd->count++] = a;
}

/* Splits "name=value" or "name". `text` and `where` are copied. */
static struct assignment parse_assignment(const char *text, const char *where)
{
    struct assignment a = {.name = xstrdup(text)};
    char *value = strchr(a.name, '=');
    if (value != NULL) {
        *value = '\0';
        a.value = xstrdup(value + 1);
    }
    a.where = where != NULL ? xstrdup(where) : NULL;
    return a;
}

/* Reading --config-file. */

/* longest file of options, in bytes; a device such as /dev/zero has no end */
#define CONFIG_BYTES_MAX ((size_t)1 << 20)

/* seconds to wait for data if the file is a pipe */
#define CONFIG_WAIT_S 10

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t\r\n");
}

static void cut_trailing_blanks(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
}

/* Changes "name = value" to "name=value". Returns false if there is no valid name. */
static bool normalize_line(char *line)
{
    size_t name_length = strcspn(line, "= \t");
    char *rest = skip_blanks(line + name_length);
    if (name_length == 0 || (*rest != '=' && *rest != '\0'))
        return false;
    if (*rest == '=') {
        char *value = skip_blanks(rest + 1);
        line[name_length] = '=';
        memmove(line + name_length + 1, value, strlen(value) + 1);
    }
    return true;
}

static int add_line(struct cmdline *cmd, char *line, const char *where)
{
    line = skip_blanks(line);
    cut_trailing_blanks(line);
    if (line[0] == '\0' || line[0] == '#' || line[0] == ';')
        return 0;
    if (strncmp(line, "--", 2) == 0)
        line += 2;
    if (!normalize_line(line)) {
        log_text(LOG_FATAL, "%s: a line must be name=value, a name alone, or a # or ; comment",
                 where);
        return -1;
    }
    struct assignment a = parse_assignment(line, where);
    add_assignment(cmd, a);
    if (option_name_is(a.name, "config-file")) {
        log_text(LOG_FATAL, "%s: --config-file cannot be used in a config file", where);
        return -1;
    }
    return 0;
}

static int add_lines(struct cmdline *cmd, FILE *file, const char *path)
{
    char *line = NULL, *where = NULL;
    size_t bytes = 0;
    ssize_t length;
    int result = 0;
    for (unsigned number = 1; result == 0 && (length = getline(&line, &bytes, file)) >= 0;
         number++) {
        free(where);
        checked_alloc(asprintf(&where, "%s:%u", path, number) < 0 ? NULL : where);
        if (memchr(line, '\0', (size_t)length) != NULL) {
            log_text(LOG_FATAL, "%s: not a text file", where);
            result = -1;
        } else {
            result = add_line(cmd, number == 1 ? line + byte_order_mark(line) : line, where);
        }
    }
    free(where);
    free(line);
    return result;
}

static int refuse_file(const char *path)
{
    log_errno(LOG_FATAL, "cannot read --config-file=%s", path);
    return -1;
}

/* Reads the whole file into `text`, which has room for CONFIG_BYTES_MAX + 1 bytes. */
static int read_config(FILE *file, const char *path, char *text, size_t *bytes)
{
    *bytes = fread(text, 1, CONFIG_BYTES_MAX + 1, file);
    if (ferror(file))
        return refuse_file(path);
    if (*bytes <= CONFIG_BYTES_MAX)
        return 0;
    log_text(LOG_FATAL, "cannot read --config-file=%s: it is longer than %zu bytes", path,
             CONFIG_BYTES_MAX);
    return -1;
}

/* Opens the file without blocking, because opening a pipe that has no writer would block without
 * a message. Returns NULL after a logged message. */
static FILE *open_config(const char *path)
{
    struct pollfd pipe = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                          .events = POLLIN};
    if (pipe.fd < 0) {
        refuse_file(path);
        return NULL;
    }
    if (poll(&pipe, 1, CONFIG_WAIT_S * 1000) == 0) {
        log_text(LOG_FATAL, "cannot read --config-file=%s: no data for %d seconds",
                 path, CONFIG_WAIT_S);
        close(pipe.fd);
        return NULL;
    }
    fcntl(pipe.fd, F_SETFL, 0);
    return checked_alloc(fdopen(pipe.fd, "r"));
}

static int add_file(struct cmdline *cmd, const char *path)
{
    FILE *file = open_config(path);
    if (file == NULL)
        return -1;
    char *text = xcalloc(1, CONFIG_BYTES_MAX + 1);
    size_t bytes;
    int result = read_config(file, path, text, &bytes);
    fclose(file);
    outfile_protect(path, "the file of --config-file");
    if (result == 0 && bytes > 0) {
        FILE *lines = checked_alloc(fmemopen(text, bytes, "r"));
        result = add_lines(cmd, lines, path);
        fclose(lines);
    }
    free(text);
    return result;
}

/* Reading argv. */

/* Returns true for words. A lone "-" is one: the script is then read from standard input. */
static bool is_word(const char *argument)
{
    return argument[0] != '-' || argument[1] == '\0';
}

/* Overwrites a password in argv, which every user of the machine can read. The copy in the
 * assignment is used from now on. */
static void wipe_password(char *argument)
{
    char *value = strchr(argument, '=');
    if (value == NULL)
        return;
    *value = '\0';
    bool secret = option_is_secret(argument), part = option_name_is(argument + 2, "inject") ||
                                                     option_name_is(argument + 2, "mongodb-uri");
    *value = '=';
    if (secret)
        memset(value + 1, 'x', strlen(value + 1));
    else if (part)
        secret_wipe(value + 1);
}

/* Returns the option that a short one means in other programs, or NULL. */
static const char *meant_by(const char *argument)
{
    return strcmp(argument, "-V") == 0 || strcmp(argument, "-v") == 0 ? "version" : NULL;
}

/* Returns true for words that print help in other programs, such as -h. */
static bool is_short_help(const char *argument)
{
    static const char *const words[] = {"-h", "-?", "-help"};
    size_t i = 0;
    while (i < ARRAY_SIZE(words) && strcmp(argument, words[i]) != 0)
        i++;
    return i < ARRAY_SIZE(words);
}

static int add_option(struct cmdline *cmd, char *argument)
{
    if (!cmd->as_sysbench && is_short_help(argument)) {
        add_assignment(cmd, parse_assignment("help", NULL));
        return 0;
    }
    if (argument[1] != '-' || argument[2] == '\0' || argument[2] == '=') {
        /* The value is not printed: it may be a password. */
        log_bare("invalid option: %.*s", (int)strcspn(argument, "="), argument);
        cmd->meant = meant_by(argument);
        return -1;
    }
    add_assignment(cmd, parse_assignment(argument + 2, NULL));
    wipe_password(argument);
    return 0;
}

static int refuse_word(const char *word)
{
    log_bare("Unrecognized command line argument: %s", word);
    return -1;
}

static int add_word(struct cmdline *cmd, const char *word)
{
    if (cmd->test == NULL)
        cmd->test = word;
    else if (cmd->operand_test != NULL && cmd->operand == NULL &&
             strcmp(cmd->test, cmd->operand_test) == 0)
        cmd->operand = word;
    else if (cmd->command == NULL)
        cmd->command = word;
    else
        cmd->misread = refuse_word(word) != 0;
    return cmd->misread ? -1 : 0;
}

/* Remembers a word that follows an option without "=": if the word or option is rejected later,
 * it may have been meant as the value. Passwords are not remembered. */
static void note_detached(struct cmdline *cmd, const char *before, const char *word)
{
    if (cmd->detached_value != NULL || before[0] != '-' || strchr(before, '=') != NULL ||
        option_is_secret(before))
        return;
    cmd->detached_option = before;
    cmd->detached_value = word;
}

static int add_argv(struct cmdline *cmd, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (i > 1 && is_word(argv[i]))
            note_detached(cmd, argv[i - 1], argv[i]);
        int result = is_word(argv[i]) ? add_word(cmd, argv[i]) : add_option(cmd, argv[i]);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* Inserts the assignments of config files before those of argv. */
static int add_config_files(struct cmdline *cmd)
{
    struct cmdline files = {0};
    int result = 0;
    for (unsigned i = 0; i < cmd->count && result == 0; i++) {
        const struct assignment *a = &cmd->assignments[i];
        if (!option_name_is(a->name, "config-file"))
            continue;
        if (a->value != NULL && a->value[0] != '\0') {
            result = add_file(&files, a->value);
        } else {
            log_text(LOG_FATAL, "--config-file needs a value (allowed: the name of a file)");
            result = -1;
        }
    }
    for (unsigned i = 0; i < cmd->count; i++)
        add_assignment(&files, cmd->assignments[i]);
    free(cmd->assignments);
    cmd->assignments = files.assignments;
    cmd->count = files.count;
    return result;
}

/* Options that are needed before others can be applied. */

/* Returns the last assignment to `name`, or NULL. Sets `applied` of all assignments to `name` to
 * `apply`. */
static struct assignment *last_assignment(struct cmdline *cmd, const char *name, bool apply)
{
    struct assignment *last = NULL;
    for (unsigned i = 0; i < cmd->count; i++)
        if (option_name_is(cmd->assignments[i].name, name)) {
            last = &cmd->assignments[i];
            last->applied = apply;
        }
    return last;
}

/* A malformed value is ignored here; its message is logged when the option is applied. */
static void use_verbosity(struct cmdline *cmd)
{
    const struct assignment *a = last_assignment(cmd, "verbosity", false);
    if (a != NULL && a->value != NULL && strlen(a->value) == 1 &&
        strchr("012345", a->value[0]) != NULL)
        log_set_verbosity((enum log_level)(a->value[0] - '0'));
}

/* With --test=X the first word is the command, unless it is X itself. Two words in argv take
 * precedence over a test= in a file. */
static int use_old_test(struct cmdline *cmd)
{
    const struct assignment *a = last_assignment(cmd, "test", true);
    if (a == NULL)
        return 0;
    log_text(LOG_WARNING, "the --test option is deprecated. You can pass a script name or path on "
                          "the command line without any options.");
    if (a->value == NULL || a->value[0] == '\0') {
        log_text(LOG_FATAL, "--test needs a value (allowed: a test name or the path of a script)");
        return -1;
    }
    if (cmd->test != NULL && strcmp(cmd->test, a->value) == 0)
        return 0;
    if (cmd->command != NULL)
        return a->where != NULL ? 0 : refuse_word(cmd->command);
    cmd->command = cmd->test;
    cmd->test = a->value;
    return 0;
}

int cmdline_collect(struct cmdline *cmd, int argc, char **argv)
{
    *cmd = (struct cmdline){.operand_test = cmd->operand_test, .as_sysbench = cmd->as_sysbench};
    if (add_argv(cmd, argc, argv) != 0 || add_config_files(cmd) != 0)
        return -1;
    use_verbosity(cmd);
    return use_old_test(cmd);
}

/*
 * Logs the unknown option as written, but not its value if the name looks like that of a password,
 * even a misspelt one. Returns 0 after a warning for a file, because a file may serve several tests
 * with different options. Returns −1 for argv.
 */
static int log_unknown(const struct assignment *a)
{
    bool secret = strstr(a->name, "pas") != NULL || strstr(a->name, "pw") != NULL;
    bool shown = a->value != NULL && !secret;
    const char *equals = shown ? "=" : "", *value = shown ? a->value : "";
    if (a->where == NULL) {
        log_bare("invalid option: --%s%s%s", a->name, equals, value);
        return -1;
    }
    log_text(LOG_WARNING, "%s: ignored, this test has no such option: --%s%s%s", a->where, a->name,
             equals, value);
    return 0;
}

static bool is_left_to_script(const struct cmdline *cmd, const struct options *set,
                              const struct assignment *a)
{
    return cmd->may_claim && option_is_claimable(set, a->name) &&
           !options_accepts(set, a->name, a->value);
}

int cmdline_claim(struct cmdline *cmd, struct options *set, struct options *claimed, bool *changed)
{
    *changed = false;
    for (unsigned i = 0; i < cmd->count; i++) {
        struct assignment *a = &cmd->assignments[i];
        if (options_find(claimed, a->name) == NULL)
            continue;
        if (options_set_from(claimed, a->name, a->value, a->where) != 0) {
            cmd->misread = a->value == NULL;
            return -1;
        }
        options_reset(set, a->name);
        a->applied = *changed = true;
    }
    return 0;
}

int cmdline_apply(struct cmdline *cmd, struct options *set, bool final)
{
    for (unsigned i = 0; i < cmd->count; i++) {
        struct assignment *a = &cmd->assignments[i];
        if (a->applied || (!final && is_left_to_script(cmd, set, a)))
            continue;
        if (options_find(set, a->name) != NULL) {
            if (options_set_from(set, a->name, a->value, a->where) != 0) {
                cmd->misread = a->value == NULL;
                return -1;
            }
            a->applied = true;
        } else if (final && log_unknown(a) != 0) {
            cmd->unknown = a->name;
            return -1;
        }
    }
    return 0;
}

void cmdline_tell_ignored(const struct cmdline *cmd)
{
    for (unsigned i = 0; i < cmd->count; i++) {
        const struct assignment *a = &cmd->assignments[i];
        if (!a->applied && a->where != NULL)
            log_unknown(a);
        else if (!a->applied)
            log_text(LOG_WARNING, "--%s is ignored: this test declares no options", a->name);
    }
}

static bool is_declared(const struct cmdline *cmd, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (option_name_is(cmd->undeclared[i].name, name))
            return true;
    return false;
}

int cmdline_declare_rest(struct cmdline *cmd, struct options *set, const char *group)
{
    size_t count = 0;
    cmd->undeclared = xcalloc(cmd->count + 1, sizeof(*cmd->undeclared));
    for (unsigned i = 0; i < cmd->count; i++) {
        struct assignment *a = &cmd->assignments[i];
        if (a->applied || options_find(set, a->name) != NULL)
            continue;
        if (a->value == NULL)
            a->value = xstrdup("");
        if (!is_declared(cmd, count, a->name))
            cmd->undeclared[count++] = (struct option_spec){
                .name = a->name, .type = OPTION_STRING, .field = OPTION_NO_FIELD};
    }
    return options_add(set, group, cmd->undeclared, count);
}

void cmdline_refuse_command(const char *test, const char *command)
{
    static const char *const usual[] = {"prepare", "cleanup", "warmup", "prewarm", "help"};
    size_t i = 0;
    while (i < ARRAY_SIZE(usual) && strcmp(command, usual[i]) != 0)
        i++;
    if (i < ARRAY_SIZE(usual))
        log_bare("'%s' test does not implement the '%s' command.", test, command);
    else
        log_bare("Unknown command: %s", command);
}

static void offer_option(void *arg, const struct option_spec *row, const struct option_value *value)
{
    (void)value;
    near_offer(arg, row->name);
}

/* Returns true if the option is a switch, which takes no value. */
static bool is_switch(const struct options *set, const char *option)
{
    const struct option_spec *row = options_find(set, option + strspn(option, "-"));
    return row != NULL && row->type == OPTION_BOOL;
}

void cmdline_hint_command(const char *command)
{
    static const char *const usual[] = {"prepare", "warmup", "run", "cleanup", "help"};
    struct near near = near_to(command);
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
        near_offer(&near, usual[i]);
    if (near.best != NULL && strcmp(near.best, command) != 0)
        log_bare("Did you mean %s?", near.best);
}

/* Suggests the option with dashes, although scripts may declare it as table_size. */
static void hint_option(const char *name)
{
    char *dashed = xstrdup(name);
    for (char *c = dashed; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    log_bare("Did you mean --%s?", dashed);
    free(dashed);
}

bool cmdline_hint(const struct cmdline *cmd, const struct options *set)
{
    struct near near = near_to(cmd->unknown != NULL ? cmd->unknown : "");
    if (cmd->unknown != NULL)
        options_each(set, offer_option, &near);
    if (cmd->unknown != NULL && options_find(set, "tx-rate") != NULL)
        near_offer(&near, "tx-rate"); /* a second name that is not an old one, which
                                       * options_each() leaves out */
    bool detached = cmd->misread && cmd->detached_value != NULL;
    if (near.best != NULL || cmd->meant != NULL)
        hint_option(near.best != NULL ? near.best : cmd->meant);
    else if (detached && !is_switch(set, cmd->detached_option))
        log_bare("Options are written with '=': %s=%s", cmd->detached_option, cmd->detached_value);
    else
        return false;
    return true;
}

void cmdline_fini(struct cmdline *cmd)
{
    free(cmd->undeclared);
    for (unsigned i = 0; i < cmd->count; i++) {
        free(cmd->assignments[i].name);
        free(cmd->assignments[i].value);
        free(cmd->assignments[i].where);
    }
    free(cmd->assignments);
    *cmd = (struct cmdline){0};
}
