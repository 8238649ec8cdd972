/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/util.h"
#include "options/arrivals/arrival_plan.h"
#include "options/script_only.h"
#include "report/json/json_value.h"
#include "workloads/replay/replay_law.h"
#include "workloads/replay/session_copies.h"

#define GROUP REPLAY_NAME " options"

/* By default there is one thread for each session that is open at the same time in the log, within
 * these bounds. The lower bound exists because sessions that followed each other in the log can
 * overlap if the server is slower now. */
#define THREADS_LEAST 16
#define THREADS_MOST 1000

/* Upper bound of an arrival time, in nanoseconds: 126 years. */
#define MOST_NS 4e18

static const char *check_text(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a database";
}

static const struct option_spec rows[] = {
    {.name = "speed",
     .type = OPTION_DOUBLE,
     .fallback = "1",
     .help = "speed of the replay as a multiple of the speed in the log",
     .min = 0.001,
     .max = 1e6,
     .field = offsetof(struct replay_options, speed)},
    {.name = "allow-writes",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "also replay statements that may write; without it sessions are read only",
     .field = offsetof(struct replay_options, writes)},
    {.name = "log-format",
     .type = OPTION_STRING,
     .fallback = "auto",
     .help = "format of the log",
     .choices = OPTION_CHOICES({"auto", NULL}, {"mysql-general", NULL}, {"mysql-slow", NULL},
                               {"pgsql-csv", NULL}, {"pgsql-stderr", NULL}, {"pgsql-json", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "log-line-prefix",
     .type = OPTION_STRING,
     .help = "log_line_prefix of the PostgreSQL server that wrote the stderr log; by default it is "
             "derived from the lines of the log",
     .field = offsetof(struct replay_options, prefix)},
    {.name = "log-sessions",
     .type = OPTION_STRING,
     .fallback = "id",
     .help =
         "what distinguishes sessions in a slow log. id: the connection id, and records without "
         "one are left out; user@host: user and host, if a record has no connection id",
     .choices = OPTION_CHOICES({"id", NULL}, {"user@host", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "log-database",
     .type = OPTION_STRING,
     .help = "replay only sessions that are in this database according to the log",
     .check = check_text,
     .field = offsetof(struct replay_options, database)},
    {.name = "scale-sampled",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "if the server logged only one of N statements or sessions (Log_slow_rate_limit), "
             "replay each session N times",
     .field = offsetof(struct replay_options, scale)},
    {.name = "arrival-law",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "print the law of the arrivals in the log, and options that imitate it, instead of "
             "replaying the log",
     .field = offsetof(struct replay_options, law)},
};

int replay_add_options(struct options *set)
{
    return options_add(set, GROUP, rows, ARRAY_SIZE(rows));
}

void replay_print_help(const struct options *set, FILE *out)
{
    fputs(GROUP ":\n", out);
    options_help(set, GROUP, false, out);
    fputc('\n', out);
}

int replay_claim_options(struct options *set)
{
    static const char *const others[] = {"rate", "arrival", "burst", "arrival-trace",
                                        "session-rate", "node"};
    if (script_only_refuse(set, "replay") != 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (options_get(set, others[i])->given) {
            log_text(LOG_FATAL, "--%s cannot be used with replay, where %s",
                     options_typed(set, others[i]),
                     i < ARRAY_SIZE(others) - 1 ? "the log says when statements arrive"
                                                : "one process has all sessions");
            return -1;
        }
    if (strcmp(options_string(set, "queue-full"), "drop") == 0) {
        log_text(LOG_FATAL,
                 "--queue-full=drop cannot be used with replay (allowed: stop): dropping a "
                 "statement would change what its session does");
        return -1;
    }
    /* A placeholder until the log was read. */
    if (options_set(set, "rate", "1") != 0)
        return -1;
    return options_get(set, "time")->given ? 0 : options_set(set, "time", "0");
}

/* Arrival time of a statement with this logged time, in nanoseconds since the first statement. */
static int64_t due_ns(const struct replay *r, int64_t time_ns)
{
    const double ns = (double)(time_ns - r->census.first_ns) / r->options.speed;
    return ns < MOST_NS ? llround(ns) : (int64_t)MOST_NS;
}

static unsigned default_threads(const struct replay *r)
{
    const int64_t wanted = min_i64(THREADS_MOST, max_i64(THREADS_LEAST, r->census.peak));
    return (unsigned)min_i64(wanted, r->census.sessions);
}

static int set_number(struct options *set, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof(text), "%.9g", value);
    return options_set(set, name, text);
}

/* Sets the number of threads, the rate and the driver from the log, unless the user has set
 * them. */
static int follow_log(struct replay *r, struct options *set, struct settings *settings)
{
    const int64_t last_ns = due_ns(r, r->census.last_ns);
    if (!options_get(set, "threads")->given) {
        settings->threads = default_threads(r);
        if (set_number(set, "threads", (double)settings->threads) != 0)
            return -1;
    }
    arrival_plan_follow(&settings->arrivals, r->files, (size_t)r->census.statements, last_ns);
    settings->rate = arrival_plan_mean_rate(&settings->arrivals, 0);
    /* A log need not have a steady rate, so changes of the rate are no finding. */
    settings->rate_changes = true;
    if (set_number(set, "rate", settings->rate) != 0 ||
        options_set(set, "arrival-trace", r->files) != 0)
        return -1;
    if (options_get(set, "db-driver")->given)
        return 0;
    return options_set(set, "db-driver", log_format_driver(r->census.format));
}

static void protect_logs(const char *files)
{
    char *names = xstrdup(files), *rest = names, *name;
    while ((name = strsep(&rest, ",")) != NULL)
        outfile_protect(name, "a log that is replayed");
    free(names);
}

static struct timeline_plan plan_of(const char *files, const struct options *set,
                                    const struct replay_options *options)
{
    return (struct timeline_plan){.files = files,
                                  .format = (enum log_format)options_choice(set, "log-format"),
                                  .prefix = options->prefix,
                                  .database = options->database,
                                  .writes = options->writes,
                                  .by_user = options_choice(set, "log-sessions") > 0};
}

bool replay_asks_for_law(const struct options *set)
{
    return options_bool(set, "arrival-law");
}

/* All statements count, also those that may write, because nothing is sent. */
int replay_print_law(const char *files, const struct options *set, const char *json_path)
{
    struct replay_options options;
    options_store(set, rows, ARRAY_SIZE(rows), &options);
    options.writes = true;
    protect_logs(files);
    const struct timeline_plan plan = plan_of(files, set, &options);
    return replay_law_print(&plan, options.speed, json_path);
}

/* Reads the log again as a log with more sessions, if the server logged only a part of them. */
static int scale_sampled(struct replay *r)
{
    const unsigned limit = r->census.one_in_most;
    if (limit < 2) {
        log_text(LOG_WARNING, "--scale-sampled has no effect: the log does not say that it has only "
                              "a part of the statements (Log_slow_rate_limit)");
        return 0;
    }
    if (limit > SESSION_COPIES_MOST) {
        log_text(LOG_FATAL,
                 "--scale-sampled cannot be used with this log: Log_slow_rate_limit is %u (allowed: "
                 "up to %d)",
                 limit, SESSION_COPIES_MOST);
        return -1;
    }
    const struct log_bytes bytes = r->census.bytes;
    r->plan.copies = limit;
    r->plan.bytes = &bytes;
    replay_census_fini(&r->census);
    return replay_census_take(&r->census, &r->plan);
}

int replay_init(struct replay *r, const char *files, struct options *set, struct settings *settings)
{
    *r = (struct replay){.files = files};
    pthread_mutex_init(&r->lock, NULL);
    protect_logs(files);
    options_store(set, rows, ARRAY_SIZE(rows), &r->options);
    r->plan = plan_of(files, set, &r->options);
    if (replay_census_take(&r->census, &r->plan) != 0)
        return -1;
    if (r->options.scale && scale_sampled(r) != 0)
        return -1;
    /* The log may grow: the statements that are replayed may be written to it, too. */
    r->plan.bytes = &r->census.bytes;
    const struct option_spec *database = options_find(set, "mysql-db");
    r->uses_databases = database != NULL && !options_get(set, "mysql-db")->given;
    if (database != NULL)
        snprintf(r->database, sizeof(r->database), "%s", options_string(set, "mysql-db"));
    return follow_log(r, set, settings);
}

int replay_write_load(const struct replay *r, const char *path)
{
    const double span_s = ns_to_seconds(replay_census_span_ns(&r->census));
    char hash[17];
    json_t *load = value_object();
    snprintf(hash, sizeof(hash), "%016" PRIx64, r->census.hash);
    value_set(load, "hash", value_text(hash));
    value_set(load, "statements", value_count(r->census.statements));
    value_set(load, "sessions", value_count(r->census.sessions));
    value_set(load, "span_s", value_real(span_s));
    value_set(load, "rate_per_s",
              value_real(span_s > 0 ? (double)r->census.statements / span_s : 0));
    const int status = json_dump_file(load, path, JSON_REAL_PRECISION(15));
    if (status != 0)
        log_text(LOG_FATAL, "cannot write '%s'", path);
    json_decref(load);
    return status;
}

void replay_fini(struct replay *r)
{
    if (r->files == NULL)
        return;
    replay_census_fini(&r->census);
    pthread_mutex_destroy(&r->lock);
}

/* Returns a statement that makes the server refuse writes that the scan of the text did not
 * recognize; NULL if the driver has no such statement. The statement would not do behind a pooler
 * that gives a session to different clients; see sql_driver_be_read_only(). */
static const char *read_only_statement(const char *driver)
{
    static const char *const statements[][2] = {{"mysql", "SET SESSION TRANSACTION READ ONLY"},
                                                {"sqlite", "PRAGMA query_only = on"}};
    for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
        if (strcmp(driver, statements[i][0]) == 0)
            return statements[i][1];
    return NULL;
}

int replay_begin(struct replay *r, struct sql *sql, const struct settings *settings)
{
    r->sql = sql;
    r->driver = sql_driver_open(NULL);
    if (r->driver == NULL)
        return -1;
    const char *driver = sql_driver_name(r->driver);
    r->uses_databases = r->uses_databases && strcmp(driver, "mysql") == 0;
    if (!r->options.writes && !sql_driver_be_read_only(r->driver))
        r->set_up = read_only_statement(driver);
    r->lines = replay_lines_create(r->census.numbers, settings->queue_size);
    r->compare = replay_compare_create();
    r->idle = xcalloc((size_t)settings->threads, sizeof(*r->idle));
    r->last_due_ns = -1;
    if (unique_write(r->names) != 0) {
        log_errno(LOG_FATAL, "the system has no random bits for names of prepared statements");
        return -1;
    }
    r->timeline = timeline_open(&r->plan);
    if (r->timeline == NULL)
        return -1;
    r->ahead = timeline_next(r->timeline);
    return 0;
}

void replay_end(struct replay *r)
{
    replay_lines_destroy(r->lines);
    for (unsigned i = 0; i < r->idle_count; i++) {
        sql_take_over(r->idle[i], NULL);
        sql_connection_free(r->idle[i]);
    }
    free(r->idle);
    replay_compare_destroy(r->compare);
    free(r->ahead);
    timeline_close(r->timeline);
}

/* Returns false if the statement cannot be one that the first reading of the log has found. The
 * line of a session is freed with its last statement, so no statement may follow that. */
static bool is_known(const struct replay_census *c, const struct replay_item *item)
{
    return item->session < c->numbers && (int64_t)item->order <= c->last_order[item->session];
}

/* Ends the replay because the log file was replaced after the first reading. */
static struct replay_item *drop_other_log(struct replay *r)
{
    log_text(LOG_WARNING, "the log has changed since the replay began: the replay ends");
    free(r->ahead);
    return r->ahead = NULL;
}

int64_t replay_next_ns(void *self)
{
    struct replay *r = self;
    struct replay_item *item = r->ahead;
    if (item != NULL && !is_known(&r->census, item))
        item = drop_other_log(r);
    if (item == NULL)
        return INT64_MAX;
    /* Arrival times are unique because workers find a statement by its arrival time. */
    r->last_due_ns = max_i64(r->last_due_ns + 1, due_ns(r, item->time_ns));
    const bool last = r->census.last_order[item->session] == (int64_t)item->order;
    replay_lines_put(r->lines, item, r->last_due_ns, last);
    r->ahead = timeline_next(r->timeline);
    return r->last_due_ns;
}
