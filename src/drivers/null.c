/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver without a database. A statement returns at once, or after the service time set by
 * --null-service: the thread sleeps and then spins for the last microseconds, so that the time
 * taken is the time drawn. Prepared statements behave in the same way. Reads return an empty result
 * set with one column, writes report one changed row. With --null-waits, statements have phases
 * with labels instead of a service time.
 */
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/driver.h"
#include "drivers/null_load.h"
#include "drivers/null_waits.h"
#include "drivers/own_sessions.h"
#include "drivers/sql_text.h"
#include "options/quantity.h"

static const char *check_service(const char *value);
static int null_init(const struct options *options, void **shared);
static void null_fini(void *shared);
static enum driver_status null_connect(struct driver_conn *conn);
static void null_disconnect(struct driver_conn *conn);
static enum driver_status null_query(struct driver_conn *conn, const char *text, size_t length);
static enum driver_status null_prepare(struct driver_stmt *stmt, const char *text, size_t length);
static enum driver_status null_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                       unsigned count);
static void null_close_statement(struct driver_stmt *stmt);
static void null_recover(struct driver_conn *conn);
static size_t null_escape(struct driver_conn *conn, char *to, const char *text, size_t length);
static uint64_t null_session(const struct driver_conn *conn);
static enum driver_status null_sample(struct driver_conn *conn, wait_session_add *add, void *arg);
static bool null_knows(struct driver_conn *conn, uint64_t session);
static int64_t null_gap_ns(const struct driver_conn *conn);

static const struct option_spec null_options[] = {
    {.name = "null-service",
     .type = OPTION_STRING,
     .fallback = "0",
     .help = "service time of each statement (2ms), or its mean if exponentially distributed "
             "(2ms:exp)",
     .check = check_service,
     .field = OPTION_NO_FIELD},
    {.name = "null-capacity",
     .type = OPTION_INT,
     .fallback = "0",
     .help = "number of statements in service up to which --null-service holds; with more, each "
             "takes longer in proportion; 0: no limit",
     .min = 0,
     .max = 1e6,
     .field = OPTION_NO_FIELD},
    {.name = "null-waits",
     .type = OPTION_STRING,
     .help = "phases of each statement, in place of --null-service, for tests of --wait-events: "
             "LABEL=TIME[:exp][@PERCENT],... (IO=1ms,Lock=20ms:exp@5)",
     .check = null_waits_check,
     .field = OPTION_NO_FIELD},
};

static const struct driver_waits null_waits = {
    .session = null_session, .knows = null_knows, .sample = null_sample, .gap_ns = null_gap_ns};

const struct driver_ops null_driver = {
    .name = "null",
    .description = "no database: answers at once or after a set time",
    .language = &sql_language,
    .options = null_options,
    .options_count = ARRAY_SIZE(null_options),
    .max_statement_bytes = SIZE_MAX,
    .keeps_deadline = true,
    .supports_prepare = true,
    .init = null_init,
    .fini = null_fini,
    .connect = null_connect,
    .disconnect = null_disconnect,
    .query = null_query,
    .prepare = null_prepare,
    .execute = null_execute,
    .close_statement = null_close_statement,
    .recover = null_recover,
    .escape = null_escape,
    .waits = &null_waits,
};

#define MAX_SERVICE_NS (3600 * NS_PER_SEC)

/* The longest spin at the end of a service time. */
#define SPIN_MAX_NS (50 * NS_PER_US)
#define SPIN_FIRST_NS (20 * NS_PER_US)

struct null_service {
    double mean_ns; /* 0 if statements return at once */
    bool varies;    /* true if statements take different times: exponential ones, or phases */
    struct null_load load;
    struct null_waits waits;
    struct own_sessions *sessions;
};

/* Each connection keeps this state to wait precisely until a deadline. */
struct alarm_clock {
    int64_t early_ns; /* the sleep ends this long before the deadline; the thread then spins */
    struct own_session *session;
};

/* Parses "2ms:exp", "500us" or "0". Returns false if the text is malformed. */
static bool parse_service(const char *text, struct null_service *service)
{
    double ns, unit_ns = 1;

    if (!quantity_read_plain(&text, &ns) ||
        (!quantity_read_unit(&text, UNIT_NS, UNIT_S, &unit_ns) && ns != 0))
        return false;
    service->mean_ns = ns * unit_ns;
    service->varies = strcmp(text, ":exp") == 0;
    return service->mean_ns <= (double)MAX_SERVICE_NS &&
           (*text == '\0' || service->varies || strcmp(text, ":fixed") == 0);
}

static const char *check_service(const char *value)
{
    struct null_service service;

    if (parse_service(value, &service))
        return NULL;
    return "a time up to an hour in ns, us, ms or s, optionally with :exp or :fixed (2ms:exp)";
}

static int null_init(const struct options *options, void **shared)
{
    struct null_service *service = xcalloc(1, sizeof(*service));

    parse_service(options_string(options, "null-service"), service);
    null_waits_init(&service->waits, options_string(options, "null-waits"));
    if (service->waits.count > 0)
        *service = (struct null_service){.mean_ns = 1, .varies = true, .waits = service->waits};
    service->load.capacity = (double)options_get(options, "null-capacity")->integer;
    service->sessions = own_sessions_create();
    *shared = service;
    return 0;
}

static void null_fini(void *shared)
{
    struct null_service *service = shared;

    own_sessions_destroy(service->sessions);
    free(service);
}

static enum driver_status null_connect(struct driver_conn *conn)
{
    struct null_service *service = conn->shared;

    if (service->mean_ns > 0)
        clock_set_slack_ns(1);
    struct alarm_clock *alarm = xcalloc(1, sizeof(*alarm));
    alarm->early_ns = SPIN_FIRST_NS;
    alarm->session = own_session_create(service->sessions);
    conn->handle = alarm;
    return DRIVER_OK;
}

static void null_disconnect(struct driver_conn *conn)
{
    struct null_service *service = conn->shared;
    struct alarm_clock *alarm = conn->handle;

    own_session_destroy(service->sessions, alarm->session);
    free(alarm);
}

/*
 * Keeps early_ns near the 94 % quantile of the lateness of wake-ups: one increase by 15 steps
 * balances 15 decreases by one step. If the lateness exceeds the longest spin, the processors are
 * busy, and longer spins would only add load, so early_ns is reduced.
 */
static void adjust_alarm(struct alarm_clock *alarm, int64_t late_ns)
{
    const int64_t step_ns = 200;
    int64_t early_ns = alarm->early_ns - step_ns;
    if (late_ns > SPIN_MAX_NS)
        early_ns = alarm->early_ns * 7 / 8;
    else if (late_ns > alarm->early_ns)
        early_ns = alarm->early_ns + 15 * step_ns;
    alarm->early_ns = max_i64(0, min_i64(early_ns, SPIN_MAX_NS));
}

/* Returns at the deadline, or later if the wake-up was later than usual; never earlier. */
static void wait_until(struct alarm_clock *alarm, int64_t deadline_ns)
{
    int64_t wake_ns = deadline_ns - alarm->early_ns;
    int64_t now_ns = clock_now_ns();
    if (now_ns < wake_ns) {
        clock_sleep_until_ns(wake_ns);
        now_ns = clock_now_ns();
        adjust_alarm(alarm, now_ns - wake_ns);
    }
    while (now_ns < deadline_ns)
        now_ns = clock_now_ns();
}

/* Waits until `end_ns`, at most until the deadline of the statement. Returns false if the deadline
 * came first. */
static bool serve_until(struct driver_conn *conn, int64_t end_ns)
{
    const bool in_time = conn->deadline_ns == 0 || end_ns <= conn->deadline_ns;
    wait_until(conn->handle, in_time ? end_ns : conn->deadline_ns);
    return in_time;
}

/* Executes the phases of a statement one after the other. A phase is left out at random, according
 * to its probability. Returns false if the deadline of the statement came first. */
static bool serve_phases(struct driver_conn *conn, int64_t at_ns)
{
    const struct null_service *service = conn->shared;
    struct alarm_clock *alarm = conn->handle;

    bool in_time = true;
    for (unsigned i = 0; i < service->waits.count && in_time; i++) {
        const struct null_phase *phase = &service->waits.phase[i];
        if (rand_stream_double(&conn->service) >= phase->probability)
            continue;
        const double factor = phase->exponential ? rand_stream_exponential(&conn->service) : 1;
        at_ns += (int64_t)(phase->mean_ns * factor + 0.5);
        own_session_set(alarm->session, phase->label);
        in_time = serve_until(conn, at_ns);
    }
    own_session_set(alarm->session, NULL);
    return in_time;
}

/* Executes a statement on a server whose service depends on its load. */
static bool serve_under_load(struct driver_conn *conn, int64_t start_ns, double ns)
{
    struct null_service *service = conn->shared;
    int64_t end_ns = start_ns + (int64_t)(null_load_begin(&service->load, ns) + 0.5);
    bool in_time = serve_until(conn, end_ns);
    while (in_time && (end_ns = atomic_load(&service->load.stall_end_ns)) > clock_now_ns())
        in_time = serve_until(conn, end_ns);
    null_load_end(&service->load);
    return in_time;
}

/* Returns false if the deadline of the statement came before its end. */
static __attribute__((noinline)) bool serve_slowly(struct driver_conn *conn)
{
    const struct null_service *service = conn->shared;
    double ns = service->mean_ns;
    int64_t start_ns = clock_now_ns();
    if (service->varies && service->waits.count > 0) {
        return serve_phases(conn, start_ns);
    }
    if (service->varies)
        ns *= rand_stream_exponential(&conn->service);
    if (service->load.capacity > 0)
        return serve_under_load(conn, start_ns, ns);
    return serve_until(conn, start_ns + (int64_t)(ns + 0.5));
}

static inline bool serve(struct driver_conn *conn)
{
    const struct null_service *service = conn->shared;

    return service->mean_ns == 0 || serve_slowly(conn);
}

static enum driver_status fail_at_deadline(struct driver_conn *conn)
{
    return driver_fail(conn, 0, "", true, "the statement has reached its deadline");
}

static uint64_t null_session(const struct driver_conn *conn)
{
    const struct alarm_clock *alarm = conn->handle;

    return own_session_id(alarm->session);
}

static enum driver_status null_sample(struct driver_conn *conn, wait_session_add *add, void *arg)
{
    const struct null_service *service = conn->shared;

    own_sessions_sample(service->sessions, add, arg);
    return DRIVER_OK;
}

static bool null_knows(struct driver_conn *conn, uint64_t session)
{
    (void)conn;
    return session != 0;
}

static int64_t null_gap_ns(const struct driver_conn *conn)
{
    (void)conn;
    return 0;
}

static enum driver_status answer(struct driver_conn *conn, enum sql_text_kind kind)
{
    if (UNLIKELY(!serve(conn)))
        return fail_at_deadline(conn);
    if (kind == SQL_TEXT_READ) {
        rowset_start(&conn->rows, 1);
        return DRIVER_ROWS;
    }
    if (kind == SQL_TEXT_WRITE)
        driver_changed(conn, 1);
    return DRIVER_OK;
}

/* Executes a STALL of the server. Returns false if the text is another statement. */
static __attribute__((noinline)) bool stall(struct driver_conn *conn, const char *text,
                                            size_t length)
{
    struct null_service *service = conn->shared;
    if (service->load.capacity == 0)
        return false;
    const int64_t end_ns = null_load_stall(&service->load, text, length);
    if (end_ns > 0)
        wait_until(conn->handle, end_ns);
    return end_ns > 0;
}

static enum driver_status null_query(struct driver_conn *conn, const char *text, size_t length)
{
    const struct null_service *service = conn->shared;

    if (UNLIKELY(service->mean_ns != 0) && stall(conn, text, length))
        return DRIVER_OK;
    return answer(conn, sql_text_kind(text, length));
}

static enum driver_status null_prepare(struct driver_stmt *stmt, const char *text, size_t length)
{
    static enum sql_text_kind kinds[] = {
        [SQL_TEXT_READ] = SQL_TEXT_READ,
        [SQL_TEXT_WRITE] = SQL_TEXT_WRITE,
        [SQL_TEXT_OTHER] = SQL_TEXT_OTHER,
    };

    stmt->handle = &kinds[sql_text_kind(text, length)];
    return DRIVER_OK;
}

static enum driver_status null_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                       unsigned count)
{
    (void)params;
    (void)count;
    const enum sql_text_kind *kind = stmt->handle;
    return answer(stmt->conn, *kind);
}

static void null_close_statement(struct driver_stmt *stmt)
{
    stmt->handle = NULL;
}

static void null_recover(struct driver_conn *conn)
{
    (void)conn;
}

static size_t null_escape(struct driver_conn *conn, char *to, const char *text, size_t length)
{
    (void)conn;
    return sql_text_double_quotes(to, text, length);
}
