/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "ranks/launch/keeper.h"
#include "ranks/launch/launcher.h"
#include "ranks/launch/plugin.h"

/* Sleep between two checks for messages. It is longer if there are many ranks, because they may
 * share a machine, where ranks that poll would slow down the ranks they wait for. */
#define LOOK_NS NS_PER_MS
#define LOOK_MAX_NS (10 * NS_PER_MS)
#define LOOK_RANKS 16
/* Longest time between the moments at which two ranks notice that rank 0 is lost: one of them may
 * have received the last message of rank 0 that much later than the other. */
#define DESERTED_NS CREW_SILENCE_NS

/* Logs that the plug-in is needed. Only the first process logs, if the launcher reveals which one
 * that is. */
static void log_missing_plugin(const struct launcher *launcher, const char *why)
{
    if (launcher->rank > 0)
        return;
    log_text(LOG_FATAL,
             "a launcher has started this as one of several processes (%s is set), and the plug-in "
             "sysrate_mpi.so that joins them %s%s; %s",
             launcher->variable, why != NULL ? "cannot be used: " : "is missing",
             why != NULL ? why : "", plugin_advice());
}

static int join_ranks(struct crew *crew, const struct launcher *launcher)
{
    const char *why;
    struct transport_world world;
    /* Fork before loading the plug-in, whose libraries may start threads. */
    struct keeper *keeper = keeper_create(launcher->rank == 0);
    const struct transport_ops *ops = plugin_open(&why);
    if (ops == NULL) {
        log_missing_plugin(launcher, why);
        keeper_destroy(keeper);
        return -1;
    }
    struct transport *transport = ops->join(&world, &why);
    if (transport == NULL) {
        log_text(LOG_FATAL, "cannot join the other ranks: %s", why);
        keeper_destroy(keeper);
        return -1;
    }
    const int fits = launcher_check_world(launcher, world.ranks);
    if (world.ranks > 1 && fits == 0) {
        crew_init(crew, ops, transport, world);
        crew->keeper = keeper;
        if (keeper != NULL)
            ops->outlive(transport, interrupt_relay());
        return 0;
    }
    ops->leave(transport, false, 0);
    keeper_destroy(keeper);
    return fits;
}

int crew_join(struct crew *crew)
{
    const struct launcher launcher = launcher_look(getenv);
    *crew = (struct crew){.world = {.rank = 0, .ranks = 1}};
    if (launcher.strangers)
        return launcher_refuse_strangers(&launcher);
    return launcher.variable != NULL ? join_ranks(crew, &launcher) : 0;
}

void crew_init(struct crew *crew, const struct transport_ops *ops, struct transport *transport,
               struct transport_world world)
{
    *crew = (struct crew){
        .ops = ops, .transport = transport, .world = world, .heard_ns = clock_now_ns()};
    if (world.rank > 0)
        return;
    crew->mates = xcalloc(world.ranks, sizeof(*crew->mates));
    for (unsigned r = 0; r < world.ranks; r++) {
        crew->mates[r].heard_ns = crew->heard_ns;
        crew->mates[r].before = crew->mates[r].after = clock_offset_unknown();
    }
}

bool crew_refuses_tool(const char *name)
{
    const struct launcher launcher = launcher_look(getenv);
    if (launcher.variable == NULL)
        return false;
    if (launcher.rank == 0)
        log_text(LOG_FATAL,
                 "a launcher has started several processes of sysrate %s (%s is set); start one, "
                 "without the launcher",
                 name, launcher.variable);
    return true;
}

void crew_hold_output(struct crew *crew)
{
    if (crew->keeper != NULL)
        keeper_hold_output(crew->keeper, interrupt_relayed());
}

void crew_release_output(struct crew *crew)
{
    if (crew->keeper != NULL)
        keeper_release_output(crew->keeper);
}

const char *crew_name(const struct crew *crew, unsigned rank)
{
    static char name[128];
    const char *host = crew->mates != NULL ? crew->mates[rank].host : NULL;
    snprintf(name, sizeof(name), "rank %u%s%s%s", rank, host != NULL ? " (" : "",
             host != NULL ? host : "", host != NULL ? ")" : "");
    return name;
}

static bool is_gone(const struct crew *crew, unsigned rank)
{
    return crew->mates != NULL && crew->mates[rank].lost && !crew->mates[rank].back;
}

void crew_send(struct crew *crew, unsigned to, enum crew_kind kind, const void *bytes, size_t size)
{
    if (crew_is_one(crew) || is_gone(crew, to))
        return;
    if (crew->ops->send(crew->transport, to, (int)kind, bytes, size) == 0 || crew->mates == NULL)
        return;
    crew->mates[to].lost = true;
    crew->mates[to].back = false;
}

void crew_send_all(struct crew *crew, enum crew_kind kind, const void *bytes, size_t size)
{
    for (unsigned r = 0; r < crew->world.ranks; r++)
        if (r != crew->world.rank)
            crew_send(crew, r, kind, bytes, size);
}

/* Returns the exit code in a CREW_BYE message. */
static int code_in(const struct transport_message *message)
{
    int code = 1;
    if (message->size == sizeof(code))
        memcpy(&code, message->bytes, sizeof(code));
    return code;
}

/* Handles the part of a message that concerns the crew itself. Returns true if nothing else is in
 * the message. */
static bool note(struct crew *crew, const struct transport_message *message)
{
    if (crew->mates != NULL)
        crew->mates[message->from].heard_ns = clock_now_ns();
    else
        crew->heard_ns = clock_now_ns();
    if (message->kind == CREW_BYE && crew->mates != NULL) {
        crew->mates[message->from].left = true;
        crew->mates[message->from].code = code_in(message);
    } else if (message->kind == CREW_CLOSE) {
        crew->closed = true;
        crew->close.code = 1;
        if (message->size == sizeof(crew->close))
            memcpy(&crew->close, message->bytes, sizeof(crew->close));
    } else if (message->kind == CREW_GATE) {
        crew->at_gate++;
    } else {
        return message->kind == CREW_ALIVE;
    }
    return true;
}

bool crew_receive(struct crew *crew, struct transport_message *message)
{
    while (!crew_is_one(crew) && crew->ops->receive(crew->transport, message)) {
        if (!note(crew, message))
            return true;
        free(message->bytes);
    }
    return false;
}

static void sleep_briefly(const struct crew *crew)
{
    const int64_t look_ns = LOOK_NS * (1 + crew->world.ranks / LOOK_RANKS);
    clock_sleep_until_ns(clock_now_ns() + min_i64(look_ns, LOOK_MAX_NS));
}

int crew_next(struct crew *crew, struct transport_message *message)
{
    while (!crew->closed && interrupt_signal() == 0) {
        if (crew_receive(crew, message))
            return 0;
        sleep_briefly(crew);
    }
    return -1;
}

int crew_await(struct crew *crew, enum crew_kind kind, struct transport_message *message)
{
    while (crew_next(crew, message) == 0) {
        if (message->kind == (int)kind)
            return 0;
        free(message->bytes);
    }
    return -1;
}

/* Returns a rank that has left or is lost, or crew->world.ranks if there is no such rank. */
static unsigned find_missing(const struct crew *crew)
{
    unsigned r = 1;
    while (r < crew->world.ranks && !crew->mates[r].left && !crew->mates[r].lost)
        r++;
    return r;
}

static bool log_missing(const struct crew *crew)
{
    unsigned r = find_missing(crew);
    if (r == crew->world.ranks)
        return false;
    log_text(LOG_FATAL, "%s has %s before the run began%s", crew_name(crew, r),
             crew->mates[r].lost ? "been lost" : "ended",
             crew->mates[r].lost ? "" : "; its own message says why");
    return true;
}

int crew_collect(struct crew *crew, enum crew_kind kind,
                 int (*take)(void *arg, const struct transport_message *message), void *arg)
{
    struct transport_message message;
    for (unsigned had = 1; had < crew->world.ranks;) {
        if (interrupt_signal() != 0 || log_missing(crew))
            return -1;
        if (!crew_receive(crew, &message)) {
            sleep_briefly(crew);
            continue;
        }
        int status = 0;
        if (message.kind == (int)kind) {
            had++;
            status = take != NULL ? take(arg, &message) : 0;
        }
        free(message.bytes);
        if (status != 0)
            return -1;
    }
    return 0;
}

/*
 * Returns true if this rank must still be waited for. Unless `patient`, silent ranks are given up.
 */
static bool waits_for(struct crew_mate *mate, bool patient)
{
    if (!patient && !mate->left && clock_now_ns() - mate->heard_ns > CREW_SILENCE_NS)
        mate->lost = true;
    return !mate->left && !mate->lost;
}

static bool waits_for_any(struct crew *crew, bool patient)
{
    bool any = false;
    for (unsigned r = 1; r < crew->world.ranks; r++)
        any = waits_for(&crew->mates[r], patient) || any;
    return any;
}

/* Discards messages that arrived and are not needed. */
static void drop_messages(struct crew *crew)
{
    struct transport_message message;
    while (crew_receive(crew, &message))
        free(message.bytes);
}

static void flush(struct crew *crew)
{
    int64_t deadline_ns = clock_now_ns() + NS_PER_SEC;
    while (crew->ops->unsent(crew->transport) > 0 && clock_now_ns() < deadline_ns) {
        drop_messages(crew);
        sleep_briefly(crew);
    }
}

int crew_count_left(const struct crew *crew)
{
    int left = 0;
    for (unsigned r = 1; r < crew->world.ranks; r++) {
        const struct crew_mate *mate = &crew->mates[r];
        if (mate->lost || (mate->left && mate->code != 0))
            return -1;
        left += mate->left;
    }
    return left;
}

/* Rank 0 has finished with this exit code: ranks at a barrier need not wait for it. */
static void open_gate(struct crew *crew, int code)
{
    const int left = crew_count_left(crew), go_on = left >= 0 && code == 0;
    if (crew->at_gate == 0 || (go_on && 1 + crew->at_gate + (unsigned)left < crew->world.ranks))
        return;
    crew->at_gate = 0;
    crew_send_all(crew, CREW_OPEN, &go_on, sizeof(go_on));
}

/* A lost rank that has a keeper may still run, because the launcher's signal ends only the keeper.
 * Send it CREW_CLOSE, so that it does not wait for an answer. Nothing waits for the delivery. */
static void dismiss_lost(struct crew *crew, int code)
{
    const struct crew_close close = {code, true};
    struct transport_message message;
    if (crew->keeper == NULL)
        return;
    for (unsigned r = 1; r < crew->world.ranks; r++)
        if (crew->mates[r].lost)
            crew->ops->send(crew->transport, r, CREW_CLOSE, &close, sizeof(close));
    /* Makes progress with the messages. */
    if (crew_receive(crew, &message))
        free(message.bytes);
}

static bool has_lost_any(const struct crew *crew)
{
    for (unsigned r = 1; r < crew->world.ranks; r++)
        if (crew->mates[r].lost)
            return true;
    return false;
}

static void send_close(struct crew *crew, int code)
{
    const struct crew_close close = {code, has_lost_any(crew)};
    crew_send_all(crew, CREW_CLOSE, &close, sizeof(close));
}

/*
 * Removes the leftover file and leaves MPI. If the launcher has ended, MPI cannot be left in order,
 * and need not be. The file is removed first, because a launcher may kill the remaining processes
 * when one has ended with an error.
 */
static void leave(struct crew *crew, bool broken, int code)
{
    if (crew->leftover != NULL && !broken && !crew->late && !crew->close.in_part)
        unlink(crew->leftover);
    if (crew->keeper == NULL || !interrupt_relayed() || !keeper_is_gone(crew->keeper))
        crew->ops->leave(crew->transport, broken, code);
}

/* In rank 0: waits until all ranks have left or are lost, then closes the crew. */
static int lead_leave(struct crew *crew, int code, bool patient)
{
    const bool at_once = code != 0;
    /* A failure is sent at once, because ranks may wait for something that will not happen. */
    if (at_once)
        send_close(crew, code);
    while (waits_for_any(crew, patient)) {
        drop_messages(crew);
        open_gate(crew, code);
        sleep_briefly(crew);
    }
    const bool broken = has_lost_any(crew);
    for (unsigned r = 1; r < crew->world.ranks; r++)
        code = code == 0 ? crew->mates[r].code : code;
    if (code == 0 && broken)
        code = 1;
    if (!at_once)
        send_close(crew, code);
    flush(crew);
    if (broken)
        dismiss_lost(crew, code);
    leave(crew, broken, code);
    return code;
}

/* Rank 0 is lost: ends the remaining ranks, after waiting until each of them has noticed it and
 * written its data. */
static void end_deserted(struct crew *crew, int code)
{
    log_flush();
    clock_sleep_until_ns(clock_now_ns() + DESERTED_NS);
    leave(crew, true, code);
}

static int follow_leave(struct crew *crew, int code)
{
    if (crew->deserted) {
        code = code != 0 ? code : 1;
        end_deserted(crew, code);
        return code;
    }
    crew_send(crew, 0, CREW_BYE, &code, sizeof(code));
    while (!crew->closed) {
        drop_messages(crew);
        sleep_briefly(crew);
    }
    flush(crew);
    leave(crew, false, crew->close.code);
    return crew->close.code;
}

int crew_leave(struct crew *crew, int code, bool patient)
{
    if (crew_is_one(crew))
        return code;
    code = crew_leads(crew) ? lead_leave(crew, code, patient) : follow_leave(crew, code);
    crew->transport = NULL;
    for (unsigned r = 0; crew->mates != NULL && r < crew->world.ranks; r++)
        free(crew->mates[r].host);
    free(crew->mates);
    crew->mates = NULL;
    free(crew->leftover);
    crew->leftover = NULL;
    keeper_destroy(crew->keeper);
    crew->keeper = NULL;
    return code;
}
