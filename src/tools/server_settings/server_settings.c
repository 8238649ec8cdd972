/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/server_settings/server_settings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/secret.h"
#include "report/json/report_json_value.h"
#include "tools/out_folder.h"
#include "tools/server_settings/server_restart.h"

#define COMMAND "server-settings:"
#define REQUEST "settings.json"
/* Pause between attempts to reach a server that restarts. */
#define RETRY_NS (300 * NS_PER_MS)

/* Names. */

/* Parts of the names of settings that hold passwords, or commands and addresses with passwords. */
static const char *const secret_parts[] = {"password", "passphrase", "secret", "conninfo",
                                           "command"};

const char *server_settings_check_name(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_' || name[length] == '.')
        length++;
    if (length == 0 || length > 100 || name[length] != '\0')
        return "a name of at most 100 letters, digits, '_' and '.'";
    for (size_t i = 0; i < ARRAY_SIZE(secret_parts); i++)
        if (strcasestr(name, secret_parts[i]) != NULL)
            return "a setting that holds no password, address with a password, or command";
    return NULL;
}

const char *server_settings_check_host(const char *text)
{
    return text[0] != '\0' && strpbrk(text, ", \t") == NULL ? NULL
                                                            : "one HOST, HOST:PORT or socket path";
}

void server_settings_init(struct server_settings *settings, const struct subject *subject,
                          const char *folder)
{
    *settings =
        (struct server_settings){.subject = subject, .folder = folder, .restart = value_object()};
}

void server_settings_fini(struct server_settings *settings)
{
    json_decref(settings->state);
    json_decref(settings->restart);
    *settings = (struct server_settings){0};
}

/* Requests. */

/* Returns a request with the settings of a state; `values` has the wanted values for "set". */
static json_t *request_of(const json_t *state, const char *op, const json_t *values)
{
    json_t *request = checked_alloc(json_deep_copy(state)), *one;
    size_t i;
    value_set(request, "op", value_text(op));
    json_array_foreach(json_object_get(request, "settings"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        json_t *wanted = json_object_get(values, name);
        if (wanted != NULL)
            value_set(one, "wanted", json_incref(wanted));
    }
    return request;
}

static int exchange(struct child *child, const json_t *request, const char *path, json_t **answer)
{
    json_error_t error;
    if (json_dump_file(request, path, 0) != 0) {
        log_text(LOG_FATAL, "cannot write '%s'", path);
        return -1;
    }
    if (child_start_tool(child) != 0)
        return -1;
    child_wait(child, INT64_MAX);
    *answer = child_exit_code(child) == 0 ? json_load_file(path, 0, &error) : NULL;
    return 0;
}

/* Executes a request in a child. Returns the answer, or NULL and stores a line about the error. */
static json_t *ask(const struct server_settings *settings, const json_t *request, char **failure)
{
    json_t *answer = NULL;
    char *command, *path;
    /* The name of the file is part of the command, so the folder of the child must be known first.
     */
    struct child *folder = child_create();
    if (folder == NULL)
        return *failure = xstrdup("no temporary folder"), NULL;
    path = child_path(folder, REQUEST);
    if (asprintf(&command, "%s%s", COMMAND, path) < 0)
        command = checked_alloc(NULL);
    struct child *child = subject_child(settings->subject, command);
    if (child == NULL || exchange(child, request, path, &answer) != 0)
        *failure = xstrdup("the process that changes settings of the server cannot be started");
    else if (answer == NULL)
        *failure = child_reason(child);
    if (*failure != NULL && (*failure)[0] == '\0') {
        free(*failure);
        *failure = xstrdup(child_end_text(child));
    }
    child_destroy(child);
    child_destroy(folder);
    free(command);
    free(path);
    return answer;
}

/* Printing. */

static const char *shown(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text == NULL ? "not set" : text[0] == '\0' ? "''" : text;
}

static void say_replication(struct server_settings *settings, const json_t *answer)
{
    if (settings->said_replication ||
        !json_is_true(json_object_get(answer, "replication_restarted")))
        return;
    settings->said_replication = true;
    printf("Replication of %s is stopped and started for each change\n", shown(answer, "where"));
    log_flush_stdout();
}

/* Changes. */

static const char *option_of(const struct server_settings *settings, const char *name)
{
    return options_string(settings->subject->options, name);
}

static void remember_restarts(struct server_settings *settings, const json_t *names)
{
    json_t *name;
    size_t i;
    json_array_foreach((json_t *)names, i, name)
        value_set(settings->restart, json_string_value(name), json_true());
}

/* Returns those of `values` that the server reads only when it starts. */
static json_t *values_for_restart(const struct server_settings *settings, const json_t *values)
{
    json_t *chosen = value_object(), *value;
    const char *name;
    json_object_foreach((json_t *)values, name,
                        value) if (json_object_get(settings->restart, name) != NULL)
        value_set(chosen, name, json_incref(value));
    return chosen;
}

static char *need_restart(const struct server_settings *settings, const json_t *names)
{
    char *text;
    const char *name = json_string_value(json_array_get(names, 0));
    if (asprintf(&text,
                 "%s: %s can be changed only by a restart of the server: --restart-command is "
                 "needed",
                 shown(settings->state, "where"), name) < 0)
        text = checked_alloc(NULL);
    return text;
}

/* Repeats the request until the server uses the values. */
static int await_restart(struct server_settings *settings, const json_t *request, int64_t limit_ns,
                         char **failure)
{
    static const struct timespec pause = {.tv_nsec = RETRY_NS};
    for (;;) {
        char *reason = NULL;
        json_t *answer = ask(settings, request, &reason);
        const json_t *names = json_object_get(answer, "restart");
        const bool done = answer != NULL && json_array_size(names) == 0;
        if (answer != NULL && !done)
            reason = xstrdup("the server does not use the new value of a setting that it reads "
                             "when it starts");
        json_decref(answer);
        if (done)
            return 0;
        if (clock_now_ns() > limit_ns || (interrupt_signal() != 0 && !settings->restoring)) {
            if (asprintf(failure, "after --restart-command: %s", reason) < 0)
                checked_alloc(NULL);
            free(reason);
            return -1;
        }
        free(reason);
        nanosleep(&pause, NULL);
    }
}

static int64_t restart_limit_ns(const struct server_settings *settings)
{
    return clock_now_ns() + options_get(settings->subject->options, "restart-timeout")->integer;
}

static int restart(struct server_settings *settings, const json_t *request, const json_t *values,
                   char **failure)
{
    const int64_t limit_ns = restart_limit_ns(settings);
    json_t *chosen = values_for_restart(settings, values);
    const char *command = option_of(settings, "restart-command");
    printf("Restart of %s by --restart-command\n", shown(settings->state, "where"));
    log_flush_stdout();
    int status = server_restart(command, chosen, settings->folder, limit_ns, failure);
    if (status == 0)
        status = await_restart(settings, request, limit_ns, failure);
    json_decref(chosen);
    return status;
}

/* Like ask(). If a signal has ended the wait for a server that was restarted, the server may still
 * be starting when the old values are to be restored. */
static json_t *ask_patiently(struct server_settings *settings, const json_t *request,
                             char **failure)
{
    static const struct timespec pause = {.tv_nsec = RETRY_NS};
    const bool patient = settings->restoring && option_of(settings, "restart-command") != NULL;
    const int64_t limit_ns = restart_limit_ns(settings);
    json_t *answer;
    while ((answer = ask(settings, request, failure)) == NULL && patient &&
           clock_now_ns() < limit_ns) {
        free(*failure);
        *failure = NULL;
        nanosleep(&pause, NULL);
    }
    return answer;
}

enum restarts { RESTART_NOW, RESTART_LATER };

static int change(struct server_settings *settings, const char *op, const json_t *values,
                  enum restarts restarts, char **failure)
{
    json_t *request = request_of(settings->state, op, values);
    json_t *answer = ask_patiently(settings, request, failure);
    const json_t *names = json_object_get(answer, "restart");
    int status = answer != NULL ? 0 : -1;
    say_replication(settings, answer);
    remember_restarts(settings, names);
    if (json_array_size(names) > 0 && option_of(settings, "restart-command") == NULL) {
        *failure = need_restart(settings, names);
        status = -1;
    } else if (json_array_size(names) > 0 && restarts == RESTART_NOW) {
        status = restart(settings, request, values, failure);
    }
    json_decref(answer);
    json_decref(request);
    return status;
}

int server_settings_set(struct server_settings *settings, json_t *values, char **failure)
{
    return change(settings, "set", values, RESTART_NOW, failure);
}

int server_settings_try(struct server_settings *settings, json_t *values, char **failure)
{
    return change(settings, "set", values, RESTART_LATER, failure);
}

/* The old state and the journal. */

/* Returns a state that has the names of settings only. */
static json_t *state_of_names(const struct server_settings *settings, const json_t *values)
{
    json_t *state = value_object(), *list = value_array(), *value;
    const char *name;
    json_object_foreach((json_t *)values, name, value)
    {
        json_t *one = value_object();
        value_set(one, "name", value_text(name));
        value_append(list, one);
    }
    value_set(state, "host", value_text(option_of(settings, "server-setting-host")));
    value_set(state, "settings", list);
    return state;
}

/* Reads the state of the settings in `state` from the server; the result has the same host. */
static json_t *read_state(const struct server_settings *settings, const json_t *state,
                          char **failure)
{
    json_t *request = request_of(state, "read", NULL);
    json_t *answer = ask(settings, request, failure);
    if (answer != NULL)
        value_set(answer, "host", json_incref(json_object_get(state, "host")));
    json_decref(request);
    return answer;
}

static void print_changes(const json_t *state, const json_t *values)
{
    json_t *one, *value;
    size_t i, k;
    printf("Server settings of %s that will be changed: ", shown(state, "where"));
    json_array_foreach(json_object_get(state, "settings"), i, one)
    {
        printf("%s%s (now %s) to ", i > 0 ? "; " : "", shown(one, "name"), shown(one, "value"));
        json_array_foreach(json_object_get(values, shown(one, "name")), k, value)
            printf("%s%s", k > 0 ? ", " : "", json_string_value(value));
    }
    printf("\n");
    log_flush_stdout();
}

/* Returns the name of a setting whose old value looks like a password, or NULL. */
static const char *find_secret(const json_t *state)
{
    const char *found = NULL;
    json_t *one;
    size_t i;
    json_array_foreach(json_object_get(state, "settings"), i, one)
    {
        const char *kept = json_string_value(json_object_get(one, "kept"));
        char *masked = kept != NULL ? secret_mask(kept) : NULL;
        if (masked != NULL && strcmp(masked, kept) != 0)
            found = shown(one, "name");
        free(masked);
    }
    return found;
}

int server_settings_begin(struct server_settings *settings, const json_t *values)
{
    char *failure = NULL;
    json_t *names = state_of_names(settings, values);
    settings->state = read_state(settings, names, &failure);
    json_decref(names);
    if (settings->state == NULL) {
        log_text(LOG_FATAL, "%s", failure);
        free(failure);
        return -1;
    }
    const char *secret = find_secret(settings->state);
    if (secret != NULL) {
        log_text(LOG_FATAL, "%s has a password in its value, so it cannot be varied", secret);
        return -1;
    }
    print_changes(settings->state, values);
    return 0;
}

int server_settings_arm(struct server_settings *settings)
{
    settings->journaled = true;
    return out_folder_write_json(settings->folder, SERVER_SETTINGS_JOURNAL, settings->state,
                                 JSON_INDENT(1));
}

static int remove_journal(struct server_settings *settings)
{
    char *path = out_folder_path(settings->folder, SERVER_SETTINGS_JOURNAL);
    const int status = unlink(path) == 0 || errno == ENOENT ? 0 : -1;
    if (status != 0)
        log_errno(LOG_FATAL, "cannot remove '%s'", path);
    settings->journaled = status != 0;
    free(path);
    return status;
}

static void print_restored(const json_t *state)
{
    json_t *one;
    size_t i;
    printf("Server settings of %s restored: ", shown(state, "where"));
    json_array_foreach(json_object_get(state, "settings"), i, one)
        printf("%s%s=%s", i > 0 ? ", " : "", shown(one, "name"), shown(one, "value"));
    printf("\n");
    log_flush_stdout();
}

int server_settings_restore(struct server_settings *settings)
{
    char *failure = NULL;
    if (!settings->journaled)
        return 0;
    settings->restoring = true;
    const int status = change(settings, "restore", NULL, RESTART_NOW, &failure);
    settings->restoring = false;
    if (status != 0) {
        log_text(LOG_FATAL,
                 "the server settings are NOT restored: %s. '%s/%s' has the old values: give the "
                 "same command again when the server can be reached",
                 failure, settings->folder, SERVER_SETTINGS_JOURNAL);
        free(failure);
        return -1;
    }
    print_restored(settings->state);
    return remove_journal(settings);
}

/* Returns −1 after a logged message if the journal belongs to another server than the options. */
static int check_server(const struct server_settings *settings)
{
    char *failure = NULL;
    json_t *none = value_object(), *now;
    value_set(none, "host", json_incref(json_object_get(settings->state, "host")));
    value_set(none, "settings", value_array());
    now = read_state(settings, none, &failure);
    json_decref(none);
    const char *before = shown(settings->state, "where");
    int status = -1;
    if (now == NULL)
        log_text(LOG_FATAL, "server settings that an earlier call has changed are not restored: %s",
                 failure);
    else if (strcmp(shown(now, "where"), before) != 0)
        log_text(LOG_FATAL,
                 "an earlier call has changed settings of %s, but the options name %s: give the "
                 "earlier command first, so that the old values are restored",
                 before, shown(now, "where"));
    else
        status = 0;
    json_decref(now);
    free(failure);
    return status;
}

int server_settings_recover(struct server_settings *settings)
{
    char *path = out_folder_path(settings->folder, SERVER_SETTINGS_JOURNAL);
    json_error_t error;
    int status = 0;
    if (access(path, F_OK) != 0)
        return free(path), 0;
    settings->state = json_load_file(path, 0, &error);
    settings->journaled = true;
    if (settings->state == NULL) {
        log_text(LOG_FATAL, "cannot use '%s': %s", path, error.text);
        status = -1;
    } else if (!options_bool(settings->subject->options, "allow-server-changes")) {
        log_text(LOG_FATAL,
                 "'%s' has old values of server settings that an earlier call has changed: give "
                 "--allow-server-changes to restore them",
                 path);
        status = -1;
    }
    if (status == 0)
        status = check_server(settings);
    if (status == 0)
        status = server_settings_restore(settings);
    json_decref(settings->state);
    settings->state = NULL;
    free(path);
    return status;
}
