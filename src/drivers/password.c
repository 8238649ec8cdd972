/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If passwords have a lifetime, one thread at a time executes the command; the others wait for its
 * result, so that a thousand connections that are opened at once execute it once.
 */
#include "drivers/password.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "drivers/password_command.h"
#include "options/command_words.h"

#define SHELL_PREFIX "sh:"
/* The part of --thread-init-timeout that a command may take; the rest is for the connection. */
#define LIMIT_PART 0.8
/* Used if the program has no such option. */
#define LIMIT_S 30

struct password {
    char *fixed;  /* from an option or a file; NULL if not given */
    char *source; /* for messages: "--pgsql-password-command"; NULL without a command */
    char **words; /* the command */
    int64_t lifetime_ns, limit_ns;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t done;  /* `runs` has changed */
    bool running;
    uint64_t runs; /* number of executions that have ended */
    char *latest;  /* printed by the last execution; NULL if it failed or the server refused it */
    int64_t latest_ns; /* time at which that execution began */
    char failure[128]; /* of the last execution, if it failed */
};

static char **words_of(const char *command)
{
    const size_t prefix = sizeof(SHELL_PREFIX) - 1;

    return strncmp(command, SHELL_PREFIX, prefix) == 0 ? command_shell_words(command + prefix)
                                                       : command_words(command);
}

const char *password_check_command(const char *value)
{
    char **words = words_of(value);
    const bool good = words != NULL && words[0] != NULL && words[0][0] != '\0' &&
                      strcmp(value, SHELL_PREFIX) != 0;

    free(words);
    return good ? NULL : "a command with closed quotes, or sh: and a command for a shell";
}

static void wipe(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    free(text);
}

/* Sources. */

static char *read_first_line(const char *option, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    const bool empty = file != NULL && getline(&line, &room, file) < 0;

    if (file == NULL || (empty && ferror(file))) {
        log_errno(LOG_FATAL, "cannot read --%s=%s", option, path);
        free(line);
        line = NULL;
    } else if (empty) { /* the buffer, if there is one, was not written */
        free(line);
        line = xcalloc(1, 1);
    } else {
        line[strcspn(line, "\r\n")] = '\0';
    }
    if (file != NULL)
        fclose(file);
    return line;
}

static int64_t seconds_of(const struct options *options, const char *name, int64_t otherwise_ns)
{
    return options_find(options, name) != NULL ? options_get(options, name)->integer : otherwise_ns;
}

static void set_command(struct password *p, const struct options *options, const char *command,
                        const char *name)
{
    const int64_t longest_ns = seconds_of(options, "thread-init-timeout", LIMIT_S * NS_PER_SEC);

    p->words = words_of(command);
    p->lifetime_ns = seconds_of(options, "password-lifetime", 0);
    p->limit_ns = (int64_t)((double)longest_ns * LIMIT_PART);
    if (asprintf(&p->source, "--%s", name) < 0)
        p->source = checked_alloc(NULL);
}

struct password *password_create(const struct options *options, const char *driver,
                                 const char *command)
{
    struct password *p = xcalloc(1, sizeof(*p));
    char name[64], file[64];

    pthread_mutex_init(&p->lock, NULL);
    thread_condition_init(&p->done);
    snprintf(name, sizeof(name), "%s-password", driver);
    snprintf(file, sizeof(file), "%s-password-file", driver);
    const char *given = options_string(options, name), *path = options_string(options, file);
    snprintf(name, sizeof(name), "%s-password-command", driver);
    const char *own = options_string(options, name);
    if (given != NULL) {
        p->fixed = xstrdup(given);
    } else if (path != NULL) {
        p->fixed = read_first_line(file, path);
        if (p->fixed == NULL) {
            password_destroy(p);
            return NULL;
        }
    } else if (own != NULL || command != NULL) {
        set_command(p, options, own != NULL ? own : command, name);
    }
    return p;
}

void password_destroy(struct password *p)
{
    if (p == NULL)
        return;
    wipe(p->fixed);
    wipe(p->latest);
    free(p->source);
    free(p->words);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->done);
    free(p);
}

/* Execution. Functions whose name ends with _locked are called with the lock held. */

static void execute_locked(struct password *p, int64_t limit_ns)
{
    char failure[sizeof(p->failure)];
    const int64_t began_ns = clock_now_ns();

    p->running = true;
    pthread_mutex_unlock(&p->lock);
    char *text = password_command_run(p->words, limit_ns, failure, sizeof(failure));
    pthread_mutex_lock(&p->lock);
    p->running = false;
    p->runs++;
    wipe(p->latest);
    p->latest = text;
    p->latest_ns = began_ns;
    if (text == NULL)
        memcpy(p->failure, failure, sizeof(failure));
    pthread_cond_broadcast(&p->done);
}

/* Waits for the execution by another thread. Returns false after the deadline. */
static bool wait_locked(struct password *p, int64_t deadline_ns)
{
    const struct timespec deadline = clock_timespec(deadline_ns);
    const uint64_t runs = p->runs;

    while (p->running && p->runs == runs)
        if (pthread_cond_timedwait(&p->done, &p->lock, &deadline) != 0)
            return false;
    return true;
}

/* Returns a copy of the password, or NULL after it has written a failure like
 * password_command_run(). A password that was printed before `since_ns` is used during its
 * lifetime. */
static char *get_locked(struct password *p, int64_t since_ns, int64_t limit_ns, char *failure,
                        size_t bytes)
{
    bool waited = false;

    if (p->running && p->lifetime_ns > 0) {
        waited = wait_locked(p, since_ns + limit_ns);
        if (!waited) {
            password_command_too_late(limit_ns, failure, bytes);
            return NULL;
        }
    }
    const bool usable = p->latest != NULL && since_ns < p->latest_ns + p->lifetime_ns;
    if (!usable && !waited)
        execute_locked(p, limit_ns);
    snprintf(failure, bytes, "%s", p->failure);
    return p->latest != NULL ? xstrdup(p->latest) : NULL;
}

/* Returns a copy of the password, or NULL after it has filled conn->error. Sets *is_new if the
 * command was executed during this call. */
static char *get(struct password *p, struct driver_conn *conn, bool *is_new)
{
    const int64_t since_ns = clock_now_ns();
    const int64_t limit_ns = min_i64(p->limit_ns, conn->connect_timeout_s * NS_PER_SEC);
    char failure[sizeof(p->failure)];

    pthread_mutex_lock(&p->lock);
    char *text = get_locked(p, since_ns, limit_ns, failure, sizeof(failure));
    *is_new = p->latest_ns >= since_ns;
    pthread_mutex_unlock(&p->lock);
    if (text != NULL)
        return text;
    driver_fail(conn, 0, "", false, "%s: the command %s (its output is not shown)", p->source,
                failure);
    conn->error.connection_lost = true;
    return NULL;
}

/* Forgets a password that the server has refused, unless another thread has already got a new
 * one. */
static void forget(struct password *p, const char *refused)
{
    pthread_mutex_lock(&p->lock);
    if (p->latest != NULL && strcmp(p->latest, refused) == 0)
        p->latest_ns = INT64_MIN / 2;
    pthread_mutex_unlock(&p->lock);
}

enum driver_status password_connect(struct driver_conn *conn, struct password *p,
                                    enum driver_status (*open)(struct driver_conn *conn,
                                                               const char *password),
                                    bool (*refused)(const struct sql_failure *error))
{
    bool is_new = false;

    if (p->words == NULL)
        return open(conn, p->fixed);
    for (unsigned attempt = 1;; attempt++) {
        char *text = get(p, conn, &is_new);
        if (text == NULL)
            return DRIVER_ERROR;
        const enum driver_status status = open(conn, text);
        const bool wrong = status == DRIVER_ERROR && refused(&conn->error);
        if (wrong)
            forget(p, text);
        wipe(text);
        if (!wrong || is_new || attempt == 2)
            return status;
    }
}
