/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_watch.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "drivers/server.h"
#include "sql/replicas/read_hosts.h"
#include "sql/sql_internal.h"
#include "sql/sql_machines.h"
#include "stats/host.h"

/* A server that works answers sooner. Neither timeout delays the end of a run. */
#define CONNECT_TIMEOUT_S 5
#define ANSWER_TIMEOUT_S 10
/* At most this many entries of a list of hosts and ports are used. */
#define PLACES 256

/* Allowed differences between our counts and those of the servers: statements may be in flight or
 * not counted yet when the server's counters are read. */
#define TOLERANCE 0.01
#define TOLERANCE_PER_CONNECTION 2
/* An ignored error also sends a ROLLBACK, and the statement may have been sent twice. */
#define TOLERANCE_PER_ERROR 3
/* Servers also write rows of their own, such as column statistics and table sizes. */
#define TOLERANCE_ROWS 100
/* Counts that differ by more than this share and number do not agree. In a short run the tolerance
 * may be larger: then it is unclear whether the counts differ. */
#define NEARLY_EQUAL 0.02
#define NEARLY_EQUAL_COUNT 10

/* A connection that samples a server, with the names of the source and of the server. */
struct watched {
    struct driver_conn conn;
    bool open, warned;
    char name[32], where[300];
};

static void watched_init(struct watched *w, const sql_driver *drv, const char *elsewhere,
                         unsigned number)
{
    *w = (struct watched){.conn = {.ops = drv->ops,
                                   .shared = drv->shared,
                                   .number = number,
                                   .connect_timeout_s = CONNECT_TIMEOUT_S,
                                   .answer_timeout_s = ANSWER_TIMEOUT_S,
                                   .elsewhere = elsewhere}};
}

static int watched_open(struct watched *w)
{
    if (!w->open)
        w->open = w->conn.ops->connect(&w->conn) != DRIVER_ERROR;
    return w->open ? 0 : -1;
}

static void watched_close(struct watched *w)
{
    if (w->open)
        w->conn.ops->disconnect(&w->conn);
    w->conn.handle = NULL;
    w->open = false;
}

static void watched_fini(struct watched *w)
{
    watched_close(w);
    rowset_fini(&w->conn.rows);
}

static void destroy(void *self)
{
    watched_fini(self);
    free(self);
}

/* Warns for replicas only: their lag was requested by an option. */
static void warn_not_allowed(struct watched *w)
{
    if (w->conn.not_allowed && !w->warned && w->conn.elsewhere != NULL)
        log_text(LOG_WARNING, "%s (%s): lag is not known: %s", w->name, w->where,
                 w->conn.error.message);
    w->warned = w->conn.not_allowed;
}

/*
 * True if the next sample would fail as well: the user lacks a privilege (SQLSTATE class 28 or 42),
 * or the server does not know the statement (0A, 42) or the database (3D). Other errors are
 * temporary: for example, an administrator has cancelled the statement.
 */
static bool is_refusal(const struct sql_failure *error)
{
    static const char classes[][3] = {"0A", "28", "3D", "42"};
    bool found = error->state[0] == '\0'; /* MongoDB has no SQLSTATE */
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
        found = found || strncmp(error->state, classes[i], 2) == 0;
    return found && !error->connection_lost;
}

static enum probe_status read_watched(void *self, double *value, char *error)
{
    struct watched *w = self;
    if (watched_open(w) == 0 && w->conn.ops->watch->read(&w->conn, value) != DRIVER_ERROR) {
        warn_not_allowed(w);
        return PROBE_READ;
    }
    bool refused = is_refusal(&w->conn.error);
    snprintf(error, PROBE_ERROR_BYTES, "%.*s", PROBE_ERROR_BYTES - 1, w->conn.error.message);
    watched_close(w);
    return refused ? PROBE_REFUSED : PROBE_FAILED;
}

/* "server", "server2", "server3" … */
static void name_source(struct watched *w, const char *kind, unsigned i)
{
    if (i == 0)
        snprintf(w->name, sizeof(w->name), "%s", kind);
    else
        snprintf(w->name, sizeof(w->name), "%s%u", kind, i + 1);
}

static void add_source(struct probes *probes, struct watched *w, enum probe_role role)
{
    struct probe_source source = {.name = w->name,
                                  .where = w->where,
                                  .role = role,
                                  .table = w->conn.ops->watch->table,
                                  .self = w,
                                  .read = read_watched,
                                  .destroy = destroy};
    probes_add(probes, &source);
}

/* Adds a source for each different server. Returns true if one of them is on this machine. */
static bool add_servers(struct probes *probes, const sql_driver *drv, unsigned room)
{
    bool local = false;
    struct watched *known[PROBE_SOURCES];
    unsigned count = 0;
    for (unsigned number = 0; number < PLACES && count < room; number++) {
        struct watched *w = xcalloc(1, sizeof(*w));
        bool is_new = true;
        watched_init(w, drv, NULL, number);
        local |= drv->ops->watch->where(&w->conn, w->where, sizeof(w->where));
        for (unsigned i = 0; i < count; i++)
            is_new = is_new && strcmp(known[i]->where, w->where) != 0;
        if (!is_new) {
            free(w);
            continue;
        }
        name_source(w, "server", count);
        known[count++] = w;
        add_source(probes, w, PROBE_MAIN);
    }
    return local;
}

static void add_replicas(struct probes *probes, const sql_driver *drv, char *const *places)
{
    for (unsigned i = 0; places != NULL && places[i] != NULL; i++) {
        struct watched *w = xcalloc(1, sizeof(*w));
        watched_init(w, drv, places[i], 0);
        drv->ops->watch->where(&w->conn, w->where, sizeof(w->where));
        name_source(w, "replica", i);
        add_source(probes, w, PROBE_FOLLOWER);
    }
}

static void warn_no_database(const char *option)
{
    log_text(LOG_WARNING, "--%s has no effect: the test uses no database", option);
}

void sql_watch_nothing(const struct options *options)
{
    if (options_get(options, "server-stats")->integer > 0)
        warn_no_database("server-stats");
    if (options_get(options, "replica")->list != NULL)
        warn_no_database("replica");
    if (options_get(options, "read-hosts")->list != NULL)
        warn_no_database("read-hosts");
    if (options_get(options, "machine-metrics")->list != NULL)
        warn_no_database("machine-metrics");
    if (options_bool(options, "server-config"))
        warn_no_database("server-config");
}

/* Returns the open driver, or NULL after a warning if it has no server. */
static const sql_driver *watchable_driver(const struct sql *sql, const char *option)
{
    const sql_driver *drv = sql_driver_in_use(sql);
    if (drv != NULL && drv->ops->watch != NULL)
        return drv;
    if (drv == NULL)
        warn_no_database(option);
    else
        log_text(LOG_WARNING, "--%s has no effect with the %s driver, which has no server", option,
                 drv->ops->name);
    return NULL;
}

/* Returns the name of the option that asks for samples, or NULL. */
static const char *asking_option(const struct options *options)
{
    if (options_get(options, "server-stats")->integer > 0)
        return "server-stats";
    if (options_get(options, "replica")->list != NULL)
        return "replica";
    return options_get(options, "machine-metrics")->list != NULL ? "machine-metrics" : NULL;
}

struct probes *sql_watch(struct sql *sql)
{
    const struct options *options = sql_options(sql);
    char *const *replicas = options_get(options, "replica")->list;
    char *const *machines = options_get(options, "machine-metrics")->list;
    const int64_t every_ns = options_get(options, "server-stats")->integer;
    const char *option = asking_option(options);
    if (sql_driver_in_use(sql) != NULL && options_get(options, "staleness")->integer == 0)
        read_hosts_warn_unused(sql_driver_in_use(sql));
    const sql_driver *drv = option != NULL ? watchable_driver(sql, option) : NULL;
    if (drv == NULL)
        return NULL;
    const unsigned others =
        server_list_length(replicas) + (machines != NULL ? server_list_length(machines) : 1);
    struct probes *probes = probes_create(every_ns > 0 ? every_ns : NS_PER_SEC);
    bool local = add_servers(probes, drv, PROBE_SOURCES - others);
    add_replicas(probes, drv, replicas);
    sql_machines_add(probes, machines);
    if (local && machines == NULL) {
        struct probe_source host;
        host_source(&host);
        probes_add(probes, &host);
    }
    return probes;
}

/* Comparison of our counts ("ours") with the servers' counts ("theirs"). */

static double slack_of(const uint64_t *counters, unsigned connections)
{
    return TOLERANCE_PER_CONNECTION * (double)connections +
           TOLERANCE_PER_ERROR * (double)(counters[COUNTER_ERROR] + counters[COUNTER_RECONNECT]);
}

static bool is_server(struct probes *probes, unsigned i)
{
    const struct probe_source *source = probes_source(probes, i);
    return source->read == read_watched && source->role == PROBE_MAIN;
}

/* Returns the increase of a value during the run, summed over all servers, or NAN if a server does
 * not report it. */
static double growth_of(struct probes *probes, unsigned value)
{
    double sum = 0;
    for (unsigned i = 0; probes_source(probes, i) != NULL; i++)
        if (is_server(probes, i))
            sum += probes_growth(probes, i, value);
    return sum;
}

/* True if both sources are servers and members of the same cluster. */
static bool are_together(struct probes *probes, unsigned a, unsigned b)
{
    return is_server(probes, a) && is_server(probes, b) &&
           probes_last(probes, a, WATCH_CLUSTER) == probes_last(probes, b, WATCH_CLUSTER);
}

/* Returns the one of two counts that is nearer to `sent`, or NAN if both are NAN. */
static double nearer(double a, double b, double sent)
{
    if (isnan(a))
        return b;
    return fabs(b - sent) < fabs(a - sent) ? b : a;
}

/*
 * Returns the rows changed by the cluster of server `i`, or by this server if it is in no cluster.
 * Each member of a cluster applies all changes, but later than the member that received them, so
 * the count that is nearest to `sent` is used for the whole cluster. Returns 0 if an earlier source
 * is a member of the same cluster, so that a cluster is counted once.
 */
static double rows_of_cluster(struct probes *probes, unsigned i, double sent)
{
    double rows = probes_growth(probes, i, WATCH_ROWS_CHANGED);
    for (unsigned k = 0; probes_source(probes, k) != NULL; k++) {
        if (k == i || !are_together(probes, i, k))
            continue;
        if (k < i)
            return 0;
        rows = nearer(rows, probes_growth(probes, k, WATCH_ROWS_CHANGED), sent);
    }
    return rows;
}

/* Returns the rows changed by all servers, with each cluster counted once, or NAN if a server does
 * not report them. */
static double rows_of(struct probes *probes, double sent)
{
    double sum = 0;
    for (unsigned i = 0; probes_source(probes, i) != NULL; i++)
        if (is_server(probes, i))
            sum += rows_of_cluster(probes, i, sent);
    return sum;
}

/* Adds a comparison, unless the server does not report the value. */
static void add_check(struct probe_report *report, const char *what, double ours, double theirs,
                      double tolerance, bool may_be_late)
{
    if (isnan(theirs))
        return;
    struct probe_check *check = &report->check[report->checks++];
    *check =
        (struct probe_check){.what = what, .ours = ours, .theirs = theirs, .tolerance = tolerance};
    const double difference = fabs(theirs - ours);
    if (difference <= fmin(tolerance, NEARLY_EQUAL * ours + NEARLY_EQUAL_COUNT))
        check->agreement = PROBE_AGREES;
    else if (theirs < ours && may_be_late)
        check->agreement = PROBE_COUNTED_LATER;
    else
        check->agreement = difference <= tolerance ? PROBE_UNCLEAR : PROBE_DIFFERS;
}

static double rows_changed(const struct effects *effects)
{
    uint64_t rows = 0;
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        rows += effects->count[kind][EFFECT_ROWS_CHANGED];
    return (double)rows;
}

void sql_watch_check(struct sql *sql, const uint64_t *counters, const struct effects *effects,
                     struct probes *probes, struct probe_report *report)
{
    const sql_driver *drv = sql_driver_in_use(sql);
    if (drv != NULL && drv->read_host_count > 0) {
        report->unchecked = "the read hosts count a part of the statements";
        return;
    }
    double sent = (double)(counters[COUNTER_READ] + counters[COUNTER_WRITE] +
                           counters[COUNTER_OTHER] + counters[COUNTER_ERROR]);
    double counted =
        growth_of(probes, WATCH_STATEMENTS) - growth_of(probes, WATCH_OWN) - (double)sql_aside(sql);
    double rows = effects != NULL ? rows_changed(effects) : 0;
    double rows_counted = rows_of(probes, rows);
    double slack = slack_of(counters, sql_connections(sql));
    const bool late = drv != NULL && drv->ops->watch->counts_late;
    add_check(report, "statements sent", sent, counted, TOLERANCE * sent + slack, late);
    if (effects != NULL) {
        add_check(report, "rows changed", rows, rows_counted,
                  TOLERANCE * rows + slack + TOLERANCE_ROWS, late);
    } else if (!isnan(rows_counted)) {
        report->unchecked = "rows changed, since there was a warm-up";
    }
    if (report->checks == 0 && report->unchecked == NULL)
        report->unchecked = "the server's counts do not cover the whole run";
}

/* Settings. */

static void add_settings(struct watched *w, sql_setting *add, void *arg)
{
    const struct rowset_field *row;
    while ((row = w->conn.ops->fetch(&w->conn)) != NULL) {
        if (w->conn.rows.nfields < 2)
            continue;
        char *name = strndup(row[0].text != NULL ? row[0].text : "", row[0].length);
        char *value = strndup(row[1].text != NULL ? row[1].text : "", row[1].length);
        add(arg, checked_alloc(name), checked_alloc(value));
        free(name);
        free(value);
    }
}

bool sql_has_server(const struct sql *sql)
{
    const sql_driver *drv = sql_driver_in_use(sql);
    return drv != NULL && drv->ops->watch != NULL;
}

bool sql_shares_machine(const struct sql *sql)
{
    const sql_driver *drv = sql_driver_in_use(sql);
    if (drv == NULL || drv->ops->watch == NULL)
        return drv != NULL && drv->ops->in_process;
    bool any = false;
    for (unsigned i = 0; i < sql_servers(drv); i++) {
        char name[300];
        const struct driver_conn conn = {.ops = drv->ops, .shared = drv->shared, .number = i};
        any = drv->ops->watch->where(&conn, name, sizeof(name)) || any;
    }
    return any;
}

/* Returns true if the run goes into an archive. Runs of an archive are compared over a long time,
 * in which settings of the server may change. */
static bool is_archived(const struct sql *sql)
{
    return options_get(sql_options(sql), "archive")->given && sql_has_server(sql);
}

void sql_watch_settings(struct sql *sql, sql_setting *add, void *arg)
{
    const struct options *options = sql_options(sql);
    const bool asked = options_get(options, "server-config")->given;
    if (asked ? !options_bool(options, "server-config") : !is_archived(sql))
        return;
    if (add == NULL) {
        log_text(LOG_WARNING, "--server-config has no effect without --json, --html or "
                              "--report-format=json");
        return;
    }
    const sql_driver *drv = watchable_driver(sql, "server-config");
    if (drv == NULL)
        return;
    struct watched w;
    watched_init(&w, drv, NULL, 0);
    const char *text = drv->ops->watch->settings;
    if (watched_open(&w) == 0 && drv->ops->query(&w.conn, text, strlen(text)) == DRIVER_ROWS)
        add_settings(&w, add, arg);
    else
        log_text(LOG_WARNING, "--server-config: the server's settings cannot be read: %s",
                 w.conn.error.message);
    if (w.open && drv->ops->free_result != NULL)
        drv->ops->free_result(&w.conn);
    watched_fini(&w);
}
