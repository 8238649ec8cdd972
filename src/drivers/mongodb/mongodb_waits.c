/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the operations of MongoDB with the aggregation stage $currentOp. The server says of an
 * operation whether it waits for a lock, for flow control or for a latch, but not which operation
 * blocks another one. The server does not report waits for the disk: such an operation counts as on
 * CPU.
 *
 * The number of a session is the server's number of its connection. With a replica set, the
 * sessions on the primary are sampled.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"

static uint64_t session(const struct driver_conn *conn);
static bool knows(struct driver_conn *conn, uint64_t id);
static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg);
static int64_t gap_ns(const struct driver_conn *conn);

const struct driver_waits mongodb_waits = {
    .session = session, .knows = knows, .sample = sample, .gap_ns = gap_ns};

static int64_t gap_ns(const struct driver_conn *conn)
{
    (void)conn;
    return 0;
}

/* Returns the number at a path of a document; 0 if there is none. */
static double number_at(const bson_t *document, const char *path)
{
    bson_iter_t it, found;
    const bool is_there = bson_iter_init(&it, document) &&
                          bson_iter_find_descendant(&it, path, &found) &&
                          (BSON_ITER_HOLDS_NUMBER(&found) || BSON_ITER_HOLDS_BOOL(&found));
    if (!is_there)
        return 0;
    return BSON_ITER_HOLDS_BOOL(&found) ? bson_iter_bool(&found) : bson_iter_as_double(&found);
}

static void text_at(const bson_t *document, const char *path, char *to, size_t bytes)
{
    bson_iter_t it, found;
    const bool is_there = bson_iter_init(&it, document) &&
                          bson_iter_find_descendant(&it, path, &found) &&
                          BSON_ITER_HOLDS_UTF8(&found);
    snprintf(to, bytes, "%s", is_there ? bson_iter_utf8(&found, NULL) : "");
}

static uint64_t session(const struct driver_conn *conn)
{
    struct mongodb_connection *c = conn->handle;
    bson_t hello = BSON_INITIALIZER, reply;
    if (c->session != 0)
        return c->session;
    BSON_APPEND_INT32(&hello, "hello", 1);
    if (mongodb_ask((struct driver_conn *)conn, "admin", &hello, true, &reply) != DRIVER_ERROR) {
        c->session = (uint64_t)number_at(&reply, "connectionId");
        bson_destroy(&reply);
    }
    bson_destroy(&hello);
    return c->session;
}

/* Lists the operations that `condition` (a $match document, as JSON) selects: those of all users or
 * only of this one, with or without idle connections. The caller frees *reply unless the result is
 * DRIVER_ERROR. */
static enum driver_status list(struct driver_conn *conn, bool all_users, bool idle,
                               const char *condition, bson_t *reply)
{
    char text[320];
    bson_t command;
    const int length = snprintf(
        text, sizeof(text),
        "{\"aggregate\": 1, \"cursor\": {\"batchSize\": 100000}, \"pipeline\": [{\"$currentOp\": "
        "{\"allUsers\": %s, \"idleConnections\": %s}}, {\"$match\": %s}]}",
        all_users ? "true" : "false", idle ? "true" : "false", condition);
    conn->asked++;
    bson_init_from_json(&command, text, length, NULL);
    const enum driver_status status = mongodb_ask(conn, "admin", &command, true, reply);
    bson_destroy(&command);
    return status;
}

/* Without the privilege to see all operations, the user sees those of its own name. */
static enum driver_status list_visible(struct driver_conn *conn, bool idle, const char *condition,
                                       bson_t *reply)
{
    if (!conn->not_allowed) {
        const enum driver_status status = list(conn, true, idle, condition, reply);
        if (status != DRIVER_ERROR || conn->error.code != MONGODB_UNAUTHORIZED)
            return status;
    }
    const enum driver_status status = list(conn, false, idle, condition, reply);
    conn->not_allowed = status != DRIVER_ERROR;
    if (conn->not_allowed)
        driver_fail(conn, MONGODB_UNAUTHORIZED, "", false,
                    "operations of other users are not visible: grant the role clusterMonitor to "
                    "the user");
    return status;
}

/* Calls `found` for each document of the answer. */
static void each(const bson_t *reply, void (*found)(const bson_t *document, void *arg), void *arg)
{
    bson_iter_t it, batch;
    if (!bson_iter_init(&it, reply) ||
        !bson_iter_find_descendant(&it, "cursor.firstBatch", &batch) ||
        !bson_iter_recurse(&batch, &it))
        return;
    while (bson_iter_next(&it)) {
        const uint8_t *data;
        uint32_t bytes;
        bson_t document;
        if (!BSON_ITER_HOLDS_DOCUMENT(&it))
            continue;
        bson_iter_document(&it, &bytes, &data);
        if (bson_init_static(&document, data, bytes))
            found(&document, arg);
    }
}

static void count(const bson_t *document, void *arg)
{
    (void)document;
    ++*(unsigned *)arg;
}

static bool knows(struct driver_conn *conn, uint64_t id)
{
    char condition[64];
    bson_t reply;
    unsigned found = 0;
    snprintf(condition, sizeof(condition), "{\"connectionId\": %" PRIu64 "}", id);
    if (list_visible(conn, true, condition, &reply) == DRIVER_ERROR)
        return true;
    each(&reply, count, &found);
    bson_destroy(&reply);
    return found > 0;
}

/* Names the lock that an operation waits for by the smallest resource in its list of locks, which
 * begins with the largest one: "Lock:Collection". */
static void name_lock(const bson_t *document, char *event, size_t bytes)
{
    bson_iter_t it, locks;
    snprintf(event, bytes, "Lock");
    if (!bson_iter_init_find(&it, document, "locks") || !bson_iter_recurse(&it, &locks))
        return;
    while (bson_iter_next(&locks))
        snprintf(event, bytes, "Lock:%s", bson_iter_key(&locks));
}

static void set_activity(const bson_t *document, struct wait_session *s)
{
    char latch[48];
    text_at(document, "waitingForLatch.captureName", latch, sizeof(latch));
    s->activity = WAIT_FOR_EVENT;
    if (number_at(document, "active") == 0)
        s->activity = WAIT_FOR_CLIENT;
    else if (number_at(document, "waitingForLock") != 0)
        name_lock(document, s->event, sizeof(s->event));
    else if (number_at(document, "waitingForFlowControl") != 0)
        snprintf(s->event, sizeof(s->event), "FlowControl");
    else if (latch[0] != '\0')
        snprintf(s->event, sizeof(s->event), "Latch:%s", latch);
    else
        s->activity = WAIT_ON_CPU;
}

/* The function that gets the sessions of a sample, and its argument. */
struct target {
    wait_session_add *add;
    void *arg;
};

static void add_session(const bson_t *document, void *arg)
{
    const struct target *target = arg;
    struct wait_session s = {.id = (uint64_t)number_at(document, "connectionId")};
    if (s.id == 0)
        return;
    set_activity(document, &s);
    s.blocker = s.activity == WAIT_FOR_EVENT && number_at(document, "waitingForLock") != 0
                    ? WAIT_UNKNOWN_BLOCKER
                    : WAIT_NO_BLOCKER;
    s.seconds = number_at(document, "microsecs_running") / 1e6;
    text_at(document, "ns", s.object, sizeof(s.object));
    text_at(document, "appName", s.program, sizeof(s.program));
    text_at(document, "effectiveUsers.0.user", s.user, sizeof(s.user));
    text_at(document, "op", s.state, sizeof(s.state));
    target->add(target->arg, &s);
}

static enum driver_status sample(struct driver_conn *conn, wait_session_add *add, void *arg)
{
    struct target target = {add, arg};
    bson_t reply;
    if (list_visible(conn, false, "{}", &reply) == DRIVER_ERROR)
        return DRIVER_ERROR;
    each(&reply, add_session, &target);
    bson_destroy(&reply);
    return DRIVER_OK;
}
