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

/* How long a rank that waits sleeps between two looks; longer where there are many, because they
 * may be on one machine, where those that wait keep those from working that they wait for. */
#define LOOK_NS NS_PER_MS
#define LOOK_MAX_NS (10 * NS_PER_MS)
#define LOOK_RANKS 16
/* Ranks that miss rank 0 find that out so far apart at most. */
#define DESERTED_NS (2 * NS_PER_SEC)

/* What one of several processes cannot do without. Said once, as far as the launcher tells us
 * apart. */
static void tell_of_plugin(const struct launcher *launcher, const char *why)
{
    if (launcher->rank > 0)
        return;
    log_text(LOG_FATAL,
             "a launcher has started this as one of several processes (%s is set), and the plug-in "
             "sysrate_mpi.so that joins them %s%s; %s",
             launcher->variable, why != NULL ? "cannot be used: " : "is missing",
             why != NULL ? why : "", plugin_advice());
}

static int enter(struct crew *crew, const struct launcher *launcher)
{
    const char *why;
    struct transport_world world;
    /* First, because a library may start threads when it is loaded. */
    struct keeper *keeper = keeper_create(launcher->rank == 0);
    const struct transport_ops *ops = plugin_open(&why);
    if (ops == NULL) {
        tell_of_plugin(launcher, why);
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
    return launcher.variable != NULL ? enter(crew, &launcher) : 0;
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

/* Messages. */

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

/* The exit code in the message of a rank that leaves. */
static int code_in(const struct transport_message *message)
{
    int code = 1;
    if (message->size == sizeof(code))
        memcpy(&code, message->bytes, sizeof(code));
    return code;
}

/* What the crew itself has to know of a message. True: that is all there is in it. */
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

/* Waiting. */

static void rest(const struct crew *crew)
{
    const int64_t look_ns = LOOK_NS * (1 + crew->world.ranks / LOOK_RANKS);
    clock_sleep_until_ns(clock_now_ns() + min_i64(look_ns, LOOK_MAX_NS));
}

int crew_next(struct crew *crew, struct transport_message *message)
{
    while (!crew->closed && interrupt_signal() == 0) {
        if (crew_receive(crew, message))
            return 0;
        rest(crew);
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

/* A rank that will not take part any more; crew->world.ranks: none. */
static unsigned find_missing(const struct crew *crew)
{
    unsigned r = 1;
    while (r < crew->world.ranks && !crew->mates[r].left && !crew->mates[r].lost)
        r++;
    return r;
}

static bool anybody_is_missing(const struct crew *crew)
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
        if (interrupt_signal() != 0 || anybody_is_missing(crew))
            return -1;
        if (!crew_receive(crew, &message)) {
            rest(crew);
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

/* The end. */

/* Whether one is still waited for; ranks that say nothing are given up. */
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

/* Nobody will read them any more. */
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
        rest(crew);
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

/* Rank 0 has done its part, with this code: those at a barrier do not wait for it. */
static void open_gate(struct crew *crew, int code)
{
    const int left = crew_count_left(crew), go_on = left >= 0 && code == 0;
    if (crew->at_gate == 0 || (go_on && 1 + crew->at_gate + (unsigned)left < crew->world.ranks))
        return;
    crew->at_gate = 0;
    crew_send_all(crew, CREW_OPEN, &go_on, sizeof(go_on));
}

/* Ranks that have keepers outlive what the launcher ends: those that were given up, and still live,
 * must hear that nobody answers them. Nothing waits for that. */
static void dismiss_lost(struct crew *crew, int code)
{
    const struct crew_close close = {code, true};
    struct transport_message message;
    if (crew->keeper == NULL)
        return;
    for (unsigned r = 1; r < crew->world.ranks; r++)
        if (crew->mates[r].lost)
            crew->ops->send(crew->transport, r, CREW_CLOSE, &close, sizeof(close));
    /* Moves them on. */
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
 * Without its launcher the transport cannot end in order, and need not. The file goes before that:
 * a launcher may kill those that still leave when one has ended with an error.
 */
static void leave(struct crew *crew, bool broken, int code)
{
    if (crew->leftover != NULL && !broken && !crew->late && !crew->close.in_part)
        unlink(crew->leftover);
    if (crew->keeper == NULL || !interrupt_relayed() || !keeper_is_gone(crew->keeper))
        crew->ops->leave(crew->transport, broken, code);
}

/* Rank 0's: all have left, or are lost. */
static int close_all(struct crew *crew, int code, bool patient)
{
    const bool at_once = code != 0;
    /* Those that wait for something must hear that it will not come. */
    if (at_once)
        send_close(crew, code);
    while (waits_for_any(crew, patient)) {
        drop_messages(crew);
        open_gate(crew, code);
        rest(crew);
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

/* Rank 0 is lost: what is left is ended, when it has had the time to write what it has. */
static void end_deserted(struct crew *crew, int code)
{
    log_flush();
    clock_sleep_until_ns(clock_now_ns() + DESERTED_NS);
    leave(crew, true, code);
}

static int say_bye(struct crew *crew, int code)
{
    if (crew->deserted) {
        code = code != 0 ? code : 1;
        end_deserted(crew, code);
        return code;
    }
    crew_send(crew, 0, CREW_BYE, &code, sizeof(code));
    while (!crew->closed) {
        drop_messages(crew);
        rest(crew);
    }
    flush(crew);
    leave(crew, false, crew->close.code);
    return crew->close.code;
}

int crew_leave(struct crew *crew, int code, bool patient)
{
    if (crew_is_one(crew))
        return code;
    code = crew_leads(crew) ? close_all(crew, code, patient) : say_bye(crew, code);
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
