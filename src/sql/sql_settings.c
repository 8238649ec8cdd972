/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_settings.h"

#include <string.h>

#include "base/log.h"
#include "sql/sql_internal.h"

#define CONNECT_TIMEOUT_S 10
/* Some settings, such as the size of a buffer pool, take long. */
#define ANSWER_TIMEOUT_S 600

struct session {
    struct driver_conn conn;
    const struct driver_settings *ops;
    struct setting_change *change;
    bool stopped; /* replication is stopped and must be started again */
    char **stop;  /* statements that start it */
    size_t stops;
};

static int fail(const struct session *s, const char *what, const char *name)
{
    log_text(LOG_FATAL, "%s: cannot %s%s: %s", s->change->where, what, name, s->conn.error.message);
    return -1;
}

static int connect_to_server(struct session *s)
{
    return s->conn.ops->connect(&s->conn) != DRIVER_ERROR ? 0 : fail(s, "connect", "");
}

static void close_session(struct session *s)
{
    if (s->conn.handle != NULL)
        s->conn.ops->disconnect(&s->conn);
    s->conn.handle = NULL;
}

/* A new session has the settings that sessions of the load will have. */
static int renew_session(struct session *s)
{
    close_session(s);
    return connect_to_server(s);
}

static int open_session(struct session *s, struct setting_change *change)
{
    *s = (struct session){.change = change};
    const sql_driver *drv = sql_driver_open(NULL);
    if (drv == NULL)
        return -1;
    s->ops = drv->ops->settings;
    if (s->ops == NULL || drv->pretends) {
        log_text(LOG_FATAL, "the %s driver cannot change settings of a server", drv->ops->name);
        return -1;
    }
    if (change->host == NULL && sql_servers(drv) > 1) {
        log_text(LOG_FATAL, "the options name several servers: --server-setting-host=HOST must "
                            "name the server whose settings shall be changed");
        return -1;
    }
    s->conn = (struct driver_conn){.ops = drv->ops,
                                   .shared = drv->shared,
                                   .elsewhere = change->host,
                                   .connect_timeout_s = CONNECT_TIMEOUT_S,
                                   .answer_timeout_s = ANSWER_TIMEOUT_S};
    drv->ops->watch->where(&s->conn, change->where, sizeof(change->where));
    return connect_to_server(s);
}

static void end_session(struct session *s)
{
    close_session(s);
    rowset_fini(&s->conn.rows);
    for (size_t i = 0; i < s->stops; i++)
        free(s->stop[i]);
    free(s->stop);
}

/* Replication. */

static void add_text(char ***list, size_t *count, const char *text)
{
    *list = xrealloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = xstrdup(text);
}

static void add_start(void *arg, const char *start)
{
    struct setting_change *change = arg;
    add_text(&change->start, &change->starts, start);
}

static void add_stop(void *arg, const char *start)
{
    struct session *s = arg;
    add_text(&s->stop, &s->stops, start);
}

/* A user without the privilege to see replication cannot stop it either. */
static int stop_replication(struct session *s)
{
    if (s->stopped)
        return 0;
    if (s->ops->running(&s->conn, add_stop, s) == DRIVER_ERROR && s->conn.error.connection_lost)
        return fail(s, "read the state of replication", "");
    for (size_t i = 0; i < s->stops; i++) {
        s->stopped = true;
        if (s->ops->replication_stop(&s->conn, s->stop[i]) == DRIVER_ERROR)
            return fail(s, "stop replication", "");
    }
    s->change->restarted = s->stops > 0;
    return 0;
}

static int start_each(struct session *s, char *const *start, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (s->ops->replication_start(&s->conn, start[i]) == DRIVER_ERROR)
            return fail(s, "start replication again: ", start[i]);
    return 0;
}

/* Changes. */

/* True if setting i shall get its old value. */
static bool is_restored(const struct setting_change *change, size_t i)
{
    return change->wanted == NULL || change->wanted[i] == NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Returns true if setting i shall get its old state and has it already. A user without the
 * privilege to change the setting cannot have changed it either. */
static bool is_done(struct session *s, size_t i)
{
    const struct server_setting *old = &s->change->setting[i];
    struct server_setting now = {0};
    const bool done = is_restored(s->change, i) &&
                      s->ops->read(&s->conn, old->name, &now) != DRIVER_ERROR &&
                      is_same(now.value, old->value) && is_same(now.kept, old->kept);
    setting_fini(&now);
    return done;
}

static int store(struct session *s, size_t i)
{
    const struct server_setting *setting = &s->change->setting[i];
    const bool restored = is_restored(s->change, i);
    const char *text = restored ? setting->kept : s->change->wanted[i];
    if (is_done(s, i))
        return 0;
    const bool stops = s->ops->needs_stop != NULL && s->ops->needs_stop(setting->name);
    if (stops && stop_replication(s) != 0)
        return -1;
    enum setting_result result = s->ops->store(&s->conn, setting, text);
    if (result == SETTING_REPLICATION && !s->stopped) {
        if (stop_replication(s) != 0)
            return -1;
        result = s->ops->store(&s->conn, setting, text);
    }
    s->change->restart[i] = result == SETTING_RESTART;
    if (result == SETTING_STORED || result == SETTING_RESTART)
        return 0;
    return fail(s, restored ? "restore " : "set ", setting->name);
}

static int store_all(struct session *s)
{
    int status = 0;
    for (size_t i = 0; i < s->change->count && status == 0; i++)
        status = store(s, i);
    if (s->stopped && start_each(s, s->stop, s->stops) != 0)
        status = -1;
    return status;
}

static int refuse_value(const struct session *s, const struct server_setting *now,
                        const char *wanted)
{
    const char *value = now->value != NULL ? now->value : "NULL";
    if (now->source != NULL)
        log_text(LOG_FATAL, "%s: %s=%s has no effect: the server takes %s from another place (%s)",
                 s->change->where, now->name, wanted, value, now->source);
    else
        log_text(LOG_FATAL, "%s: %s=%s has no effect: the server uses %s instead", s->change->where,
                 now->name, wanted, value);
    return -1;
}

/* Compares the value that a new session has with the one that was asked for. */
static int check_value(struct session *s, size_t i)
{
    struct setting_change *change = s->change;
    const struct server_setting *old = &change->setting[i];
    struct server_setting now = {0};
    int status = 0;
    if (s->ops->read(&s->conn, old->name, &now) == DRIVER_ERROR) {
        status = fail(s, "read ", old->name);
    } else {
        const bool restored = is_restored(change, i);
        const bool took =
            restored ? is_same(old->value, now.value) : s->ops->took(&now, change->wanted[i]);
        change->restart[i] = !took && (change->restart[i] || now.pending);
        if (!took && !change->restart[i])
            status = refuse_value(s, &now, restored ? old->value : change->wanted[i]);
    }
    setting_fini(&now);
    return status;
}

int sql_settings_change(struct setting_change *change)
{
    struct session s;
    int status = open_session(&s, change);
    if (status == 0)
        status = store_all(&s);
    if (status == 0)
        status = renew_session(&s);
    for (size_t i = 0; i < change->count && status == 0; i++)
        status = check_value(&s, i);
    if (status == 0 && change->wanted == NULL)
        status = start_each(&s, change->start, change->starts);
    end_session(&s);
    return status;
}

int sql_settings_read(struct setting_change *change)
{
    struct session s;
    int status = open_session(&s, change);
    for (size_t i = 0; i < change->count && status == 0; i++) {
        char name[SETTING_NAME_BYTES];
        memcpy(name, change->setting[i].name, sizeof(name));
        if (s.ops->read(&s.conn, name, &change->setting[i]) == DRIVER_ERROR)
            status = fail(&s, "vary ", name);
    }
    if (status == 0 && s.ops->running != NULL &&
        s.ops->running(&s.conn, add_start, change) == DRIVER_ERROR && s.conn.error.connection_lost)
        status = fail(&s, "read the state of replication", "");
    end_session(&s);
    return status;
}
