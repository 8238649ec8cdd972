/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver for MongoDB and servers that use its protocol: table of operations, init and fini. The
 * other files, from the lowest layer up: mongodb_text.c (statements as text), mongodb_error.c,
 * mongodb_options.c, mongodb_template.c (commands as BSON), mongodb_connect.c, mongodb_result.c,
 * mongodb_stmt.c, mongodb_load.c, mongodb_cancel.c, mongodb_watch.c, mongodb_waits.c.
 *
 * Each connection is a separate single-threaded client of the library. The library checks the
 * topology only while it connects, has no monitoring thread and does not retry, so that between a
 * request and its answer nothing happens except the command itself.
 */
#include <pthread.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/mongodb/mongodb_rows.h"
#include "drivers/mongodb/mongodb_text.h"

static const char *library(void);
static int init(const struct options *options, void **shared);
static void fini(void *shared);
static void recover(struct driver_conn *conn);
static void ask_limits(struct driver_conn *conn);

const struct driver_ops mongodb_whole_driver = {
    .name = "mongodb",
    .description = "MongoDB driver",
    .language = &mongodb_language,
    .options = mongodb_option_rows,
    .options_count = MONGODB_OPTIONS,
    .max_statement_bytes = 12 * 1024 * 1024, /* a command has room for 16 MiB of BSON */
    .supports_prepare = true,
    .backslash_escapes = true,
    .library = library,
    .init = init,
    .fini = fini,
    .servers = mongodb_servers,
    .server_name = mongodb_server_name,
    .connect = mongodb_connect,
    .connect_advice = mongodb_connect_advice,
    .disconnect = mongodb_disconnect,
    .query = mongodb_query,
    .fetch = mongodb_fetch,
    .free_result = mongodb_forget,
    .prepare = mongodb_prepare,
    .execute = mongodb_execute,
    .close_statement = mongodb_close_statement,
    .cancel = mongodb_cancel,
    .keeps_deadline = true,
    .recover = recover,
    .escape = mongodb_escape,
    .load = mongodb_load,
    .ask_limits = ask_limits,
    .watch = &mongodb_watch,
    .waits = &mongodb_waits,
};

static const char *library(void)
{
    static char name[32];

    snprintf(name, sizeof(name), "libmongoc %s", mongoc_get_version());
    return name;
}

static void log_of_library(mongoc_log_level_t level, const char *domain, const char *message,
                           void *arg)
{
    (void)level;
    (void)arg;
    log_text(LOG_DEBUG, "mongodb: %s: %s", domain, message);
}

/* Called once per process and never undone, because the library cannot be initialized twice. */
static void start_library(void)
{
    mongoc_init();
    mongoc_log_set_handler(log_of_library, NULL);
}

static int init(const struct options *options, void **shared)
{
    static pthread_once_t started = PTHREAD_ONCE_INIT;
    struct mongodb_shared *s = xcalloc(1, sizeof(*s));

    pthread_once(&started, start_library);
    *shared = s;
    if (mongodb_shared_init(s, options) == 0)
        return 0;
    fini(s);
    return -1;
}

static void fini(void *shared)
{
    mongodb_shared_fini(shared);
    free(shared);
}

/* There is no open transaction, because every command is complete in itself. */
static void recover(struct driver_conn *conn)
{
    mongodb_forget(conn);
}

static void ask_limits(struct driver_conn *conn)
{
    conn->can_load = true;
}
