/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of PostgreSQL. ALTER SYSTEM stores a value in postgresql.auto.conf, ALTER DATABASE in
 * the catalogue. A value of a database overrides that of the system, so ALTER DATABASE is used if
 * the database has a value of the setting already, or if the user may not change the system.
 */
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/setting_ask.h"

#define RELOAD_LIMIT_NS (10 * NS_PER_SEC)
#define RELOAD_PAUSE_NS (10 * NS_PER_MS)

#define SYSTEM "system"
#define DATABASE "database"

/* Settings that are lists of names: each name is a literal of its own in ALTER SYSTEM. */
static const char *const lists[] = {
    "search_path",      "local_preload_libraries",  "session_preload_libraries",
    "temp_tablespaces", "shared_preload_libraries", "unix_socket_directories"};

/* The columns of the statement that reads a setting. */
enum { VALUE, CONTEXT, SOURCE, PENDING, SUPERUSER, OF_DATABASE, COLUMNS };

static int ask_state(struct driver_conn *conn, const char *name, char **cell)
{
    char text[SETTING_NAME_BYTES * 2 + 600];
    snprintf(text, sizeof(text),
             "SELECT current_setting(name), context, source, pending_restart,"
             " current_setting('is_superuser'), (SELECT substr(entry, strpos(entry, '=') + 1)"
             " FROM pg_db_role_setting, unnest(setconfig) AS entry WHERE setrole = 0"
             " AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())"
             " AND lower(split_part(entry, '=', 1)) = lower('%s'))"
             " FROM pg_settings WHERE lower(name) = lower('%s')",
             name, name);
    return setting_ask(conn, text, cell, COLUMNS);
}

/* Reads the value in postgresql.auto.conf. */
static enum driver_status read_kept(struct driver_conn *conn, struct server_setting *setting)
{
    char text[SETTING_NAME_BYTES + 200];
    snprintf(text, sizeof(text),
             "SELECT setting FROM pg_file_settings WHERE lower(name) = lower('%s')"
             " AND sourcefile LIKE '%%/postgresql.auto.conf' ORDER BY seqno DESC LIMIT 1",
             setting->name);
    return setting_ask(conn, text, &setting->kept, 1) < 0 ? DRIVER_ERROR : DRIVER_OK;
}

static bool is_of_sessions(const char *context)
{
    return strcmp(context, "user") == 0 || strcmp(context, "superuser") == 0;
}

static enum driver_status keep_state(struct driver_conn *conn, struct server_setting *setting,
                                     char **cell)
{
    const bool superuser = strcmp(cell[SUPERUSER], "on") == 0;
    const bool of_database =
        is_of_sessions(cell[CONTEXT]) && (cell[OF_DATABASE] != NULL || !superuser);
    const char *expected = of_database ? DATABASE : "configuration file";
    setting->scope = of_database ? DATABASE : SYSTEM;
    setting->value = xstrdup(cell[VALUE]);
    setting->pending = strcmp(cell[PENDING], "t") == 0;
    setting->source = strcmp(cell[SOURCE], expected) != 0 ? xstrdup(cell[SOURCE]) : NULL;
    if (strcmp(cell[CONTEXT], "internal") == 0)
        return driver_fail(conn, 0, "55P02", false, "the setting cannot be changed");
    if (!of_database)
        return read_kept(conn, setting);
    setting->kept = cell[OF_DATABASE] != NULL ? xstrdup(cell[OF_DATABASE]) : NULL;
    return DRIVER_OK;
}

static enum driver_status read_setting(struct driver_conn *conn, const char *name,
                                       struct server_setting *setting)
{
    char *cell[COLUMNS];
    enum driver_status status = DRIVER_ERROR;
    const int rows = ask_state(conn, name, cell);
    snprintf(setting->name, sizeof(setting->name), "%s", name);
    setting->scope = SYSTEM;
    if (rows > 0)
        status = keep_state(conn, setting, cell);
    else if (rows == 0)
        driver_fail(conn, 0, "42704", false, "the server has no setting '%s'", name);
    for (unsigned i = 0; i < COLUMNS; i++)
        free(cell[i]);
    return status;
}

static bool is_list(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        if (strcasecmp(lists[i], name) == 0)
            return true;
    return false;
}

/* Returns for example "'a', 'b'" for the list of names `a, "b"`; the caller frees the text. */
static char *list_literals(struct driver_conn *conn, const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *name, *literals = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&literals, &bytes));
    while ((name = strsep(&rest, ",")) != NULL) {
        name += strspn(name, " \"");
        name[strcspn(name, "\"")] = '\0';
        char *literal = setting_literal(conn, name);
        fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", literal);
        free(literal);
    }
    if (fclose(out) != 0)
        checked_alloc(NULL);
    free(copy);
    return literals;
}

static bool of_database(const struct server_setting *setting)
{
    return strcmp(setting->scope, DATABASE) == 0;
}

/* Returns "SYSTEM" or "DATABASE name"; the caller frees the text. NULL after an error. */
static char *place_of(struct driver_conn *conn, const struct server_setting *setting)
{
    char *name, *place = NULL;
    if (!of_database(setting))
        return xstrdup("SYSTEM");
    if (setting_ask(conn, "SELECT quote_ident(current_database())", &name, 1) < 0)
        return NULL;
    if (asprintf(&place, "DATABASE %s", name) < 0)
        checked_alloc(NULL);
    free(name);
    return place;
}

/* Returns 1 if the server has loaded its configuration after `time`, 0 if not, −1 after an error.
 */
static int has_reloaded(struct driver_conn *conn, const char *time)
{
    char text[200], *cell;
    snprintf(text, sizeof(text), "SELECT pg_conf_load_time() > '%.60s'", time);
    if (setting_ask(conn, text, &cell, 1) < 0)
        return -1;
    const int loaded = cell != NULL && strcmp(cell, "t") == 0;
    free(cell);
    return loaded;
}

/* A session shows a new time of loading only after the main process of the server, from which new
 * sessions get their settings, has loaded them. */
static enum driver_status reload(struct driver_conn *conn)
{
    static const struct timespec pause = {.tv_nsec = RELOAD_PAUSE_NS};
    const int64_t limit_ns = clock_now_ns() + RELOAD_LIMIT_NS;
    char *cell[2];
    int loaded = 0;
    if (setting_ask(conn, "SELECT clock_timestamp(), pg_reload_conf()", cell, 2) < 0)
        return DRIVER_ERROR;
    while ((loaded = has_reloaded(conn, cell[0])) == 0 && clock_now_ns() < limit_ns)
        nanosleep(&pause, NULL);
    free(cell[0]);
    free(cell[1]);
    if (loaded == 0)
        return driver_fail(conn, 0, "57014", false,
                           "the server has not loaded its configuration again within 10 s; its log "
                           "may name the reason");
    return loaded < 0 ? DRIVER_ERROR : DRIVER_OK;
}

static enum setting_result store(struct driver_conn *conn, const struct server_setting *setting,
                                 const char *text)
{
    char *place = place_of(conn, setting), *literal = NULL, *statement;
    if (place == NULL)
        return SETTING_REFUSED;
    if (text != NULL)
        literal = is_list(setting->name) ? list_literals(conn, text) : setting_literal(conn, text);
    const int length =
        asprintf(&statement, "ALTER %s %s %s%s%s", place, text != NULL ? "SET" : "RESET",
                 setting->name, text != NULL ? " = " : "", text != NULL ? literal : "");
    if (length < 0)
        statement = checked_alloc(NULL);
    const enum driver_status status = conn->ops->query(conn, statement, strlen(statement));
    free(statement);
    free(literal);
    free(place);
    if (status == DRIVER_ERROR || (!of_database(setting) && reload(conn) == DRIVER_ERROR))
        return SETTING_REFUSED;
    return SETTING_STORED;
}

/* The server refuses values that it would have to adjust, so only the source of the value counts.
 */
static bool took(const struct server_setting *now, const char *text)
{
    (void)text;
    return now->source == NULL && !now->pending;
}

const struct driver_settings pgsql_settings = {.read = read_setting, .store = store, .took = took};
