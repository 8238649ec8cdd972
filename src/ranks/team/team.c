/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team.h"

#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"

/* How often to check for messages: while some are expected soon, and otherwise. */
#define SOON_NS (5 * NS_PER_MS)
#define LATER_NS (100 * NS_PER_MS)
/* How often a rank reports that it is alive if it has nothing else to send. */
#define BEAT_NS NS_PER_SEC
/* Prepare the start this long before it. */
#define AHEAD_NS (5 * NS_PER_MS)
/* After a signal, rank 0 waits this long for results: mpirun of Open MPI 4 kills its processes one
 * second after the signal. */
#define HURRY_NS (6 * NS_PER_SEC / 10)
/* The same for a rank that has a keeper. */
#define HURRY_KEPT_NS (3 * NS_PER_SEC)
/* If this process was not scheduled for this long, the silence of other ranks means nothing. */
#define ABSENT_NS (2 * NS_PER_SEC)

static void keep(void *arg, enum phase phase, const struct snapshot *drained)
{
    struct team *team = arg;
    snapshot_add(&team->tick.phase[phase], drained);
}

struct team *team_create(struct crew *crew, const struct settings *whole, struct reporter *reporter,
                         struct root *root)
{
    struct team *team = xcalloc(1, sizeof(*team));
    *team = (struct team){.crew = crew, .whole = whole, .reporter = reporter, .root = root};
    tick_init(&team->tick);
    team->next_ns = tick_after(whole, 0);
    reporter->forward = keep;
    reporter->forward_arg = team;
    return team;
}

void team_destroy(struct team *team)
{
    tick_fini(&team->tick);
    free(team);
}

int64_t team_start(struct team *team)
{
    if (crew_agree_on_start(team->crew, &team->start) != 0)
        return -1;
    const int64_t start_ns = team->start.start_ns;
    clock_sleep_until_ns(start_ns - AHEAD_NS);
    team->crew->heard_ns = team->looked_ns = team->beat_ns = start_ns;
    if (team->root != NULL)
        root_begin(team->root, start_ns);
    return start_ns;
}

/* Sends a message to rank 0. In rank 0 itself the content is processed directly. */
static void send_to_root(struct team *team, enum crew_kind kind, const struct bytes *b)
{
    if (team->root == NULL)
        crew_send(team->crew, 0, kind, b->data, b->count);
    else if (kind == CREW_TICK)
        root_take_tick(team->root, 0, b->data, b->count);
    else
        root_take_result(team->root, 0, b->data, b->count);
}

static void send_tick(struct team *team, struct gauges gauges)
{
    struct bytes b = {0};
    team->tick.gauges = gauges;
    team->tick.late_ns = team->start.late_ns;
    team->tick.threads = (unsigned)team->reporter->settings->threads;
    tick_encode(&team->tick, &b);
    send_to_root(team, CREW_TICK, &b);
    bytes_fini(&b);
    tick_reset(&team->tick);
}

/* Adds the records until `at_ns` to the tick, with the waits of the interval if it ends then. */
static void collect(struct team *team, int64_t at_ns, bool ends_interval)
{
    struct reporter *r = team->reporter;
    if (r->waits != NULL && ends_interval)
        team->tick.waits = reporter_interval_waits(r, at_ns);
    else
        reporter_collect(r, at_ns);
    team->tick.in_service_ns = reporter_in_service_ns(r, at_ns);
}

/* Sends one tick for all due tick times. Tick times are fixed, so a late tick does not delay the
 * next one. */
static void send_due_tick(struct team *team, struct gauges gauges, int64_t at_ns)
{
    bool ends_interval = false;
    while (team->next_ns <= at_ns) {
        ends_interval = ends_interval || tick_ends_interval(team->whole, team->next_ns);
        team->tick.until_ns = team->next_ns;
        if (tick_is_checkpoint(team->whole, team->next_ns))
            team->tick.fairness = reporter_cut(team->reporter, at_ns);
        team->next_ns = tick_after(team->whole, team->next_ns);
    }
    collect(team, at_ns, ends_interval);
    send_tick(team, gauges);
}

void team_last_tick(struct team *team, struct gauges gauges, int64_t end_ns)
{
    team->tick.until_ns = INT64_MAX;
    team->tick.end_ns = end_ns;
    collect(team, end_ns, true);
    send_tick(team, gauges);
}

static enum end reason_in(const struct transport_message *message)
{
    int why = END_ERROR;
    if (message->size == sizeof(why))
        memcpy(&why, message->bytes, sizeof(why));
    return why > END_NONE && why <= END_ERROR ? (enum end)why : END_ERROR;
}

/* Ends the run on all ranks, for the first reason that was found. */
static void stop_all(struct team *team, enum end why)
{
    const int reason = (int)why;
    if (team->stop != END_NONE)
        return;
    team->stop = why;
    crew_send_all(team->crew, CREW_STOP, &reason, sizeof(reason));
}

static void end_declared_lost(struct team *team)
{
    log_text(LOG_FATAL, "rank 0 has declared this rank lost, because no message from this rank "
                        "arrived for 10 s: the run ends here");
    team->crew->late = true;
    team->stop = END_ERROR;
}

static void handle_message(struct team *team, const struct transport_message *message)
{
    switch ((enum crew_kind)message->kind) {
    case CREW_TICK:
        root_take_tick(team->root, message->from, message->bytes, message->size);
        break;
    case CREW_RESULT:
        root_take_result(team->root, message->from, message->bytes, message->size);
        break;
    case CREW_FOUND:
        /* Ignore a lost rank that continues to run. */
        if (!team->crew->mates[message->from].lost)
            stop_all(team, reason_in(message));
        break;
    case CREW_STOP:
        team->stop = reason_in(message);
        break;
    case CREW_LATE:
        end_declared_lost(team);
        break;
    case CREW_PINGS:
        crew_answer(team->crew, message);
        break;
    default:
        break;
    }
}

static void handle_messages(struct team *team)
{
    struct transport_message message;
    while (crew_receive(team->crew, &message)) {
        handle_message(team, &message);
        free(message.bytes);
    }
}

/* In rank 0: reports that it is alive, and processes the ticks of all ranks. */
static void lead(struct team *team, int64_t now_ns)
{
    if (now_ns - team->beat_ns >= BEAT_NS) {
        crew_send_all(team->crew, CREW_ALIVE, NULL, 0);
        team->beat_ns = now_ns;
    }
    root_step(team->root, now_ns);
    if (team->root->slo_lost)
        stop_all(team, END_SLO);
    if (team->root->lost && team->whole->rank_lost == RANK_LOST_STOP)
        stop_all(team, END_ERROR);
}

/* In the other ranks: checks that rank 0 is alive. */
static void follow(struct team *team, int64_t now_ns)
{
    if (now_ns - team->looked_ns > ABSENT_NS)
        team->crew->heard_ns = max_i64(team->crew->heard_ns, now_ns - ABSENT_NS);
    team->looked_ns = now_ns;
    if (team->crew->closed && team->stop == END_NONE)
        team->stop = END_ERROR;
    if (now_ns - team->crew->heard_ns <= CREW_SILENCE_NS || team->crew->deserted)
        return;
    log_text(LOG_FATAL, "no message from rank 0 for 10 s: the run ends here");
    team->crew->deserted = true;
    team->stop = END_ERROR;
}

void team_step(struct team *team, struct gauges (*gauges)(void *arg), void *arg, int64_t end_ns)
{
    const int64_t now_ns = clock_now_ns(), at_ns = now_ns - team->start.start_ns;
    crew_hold_output(team->crew);
    handle_messages(team);
    if (team->next_ns <= at_ns && now_ns < end_ns)
        send_due_tick(team, gauges(arg), at_ns);
    else if (team->root == NULL && now_ns - team->beat_ns >= BEAT_NS) {
        crew_send(team->crew, 0, CREW_ALIVE, NULL, 0);
        team->beat_ns = now_ns;
    }
    if (team->root != NULL)
        lead(team, now_ns);
    else
        follow(team, now_ns);
}

/*
 * Returns true if a message of another rank is expected soon, or own messages are still being sent.
 */
static bool is_busy(const struct team *team)
{
    if (team->crew->ops->unsent(team->crew->transport) > 0)
        return true;
    return team->root != NULL && team->root->next_ns < team->next_ns;
}

int64_t team_next_ns(const struct team *team)
{
    const int64_t look_ns = clock_now_ns() + (is_busy(team) ? SOON_NS : LATER_NS);
    const int64_t tick_ns = team->start.start_ns + team->next_ns;
    return tick_ns > clock_now_ns() ? min_i64(look_ns, tick_ns) : look_ns;
}

enum end team_end(const struct team *team)
{
    return team->stop;
}

void team_ended(struct team *team, enum end why)
{
    const bool concerns_all = why == END_ERROR || why == END_QUEUE_FULL || why == END_SIGNAL;
    const int reason = (int)why;
    if (!concerns_all || team->stop != END_NONE)
        return;
    if (team->root != NULL)
        stop_all(team, why);
    else
        crew_send(team->crew, 0, CREW_FOUND, &reason, sizeof(reason));
}

/* In rank 0: waits for the result of each rank; after a signal, only for a limited time. */
static void await_results(struct team *team)
{
    const int64_t hurry_ns = team->crew->keeper != NULL ? HURRY_KEPT_NS : HURRY_NS;
    int64_t deadline_ns = INT64_MAX;
    while (!root_has_all(team->root)) {
        const int64_t now_ns = clock_now_ns();
        if (interrupt_signal() != 0)
            deadline_ns = min_i64(deadline_ns, now_ns + hurry_ns);
        if (now_ns >= deadline_ns)
            break;
        interrupt_wait(now_ns + SOON_NS);
        crew_hold_output(team->crew);
        handle_messages(team);
        lead(team, now_ns);
    }
    root_give_up(team->root);
}

/* In the other ranks: waits until rank 0 has sent CREW_DONE. */
static void await_done(struct team *team)
{
    struct transport_message message;
    bool done = false;
    while (!done && !team->crew->closed && !team->crew->deserted) {
        interrupt_wait(clock_now_ns() + SOON_NS);
        follow(team, clock_now_ns());
        while (!done && crew_receive(team->crew, &message)) {
            done = message.kind == CREW_DONE;
            handle_message(team, &message);
            free(message.bytes);
        }
    }
}

void team_hand_over(struct team *team, const struct bytes *result)
{
    send_to_root(team, CREW_RESULT, result);
    if (team->root == NULL) {
        await_done(team);
        return;
    }
    await_results(team);
    if (interrupt_signal() == 0 && !team->root->lost)
        crew_measure(team->crew, true);
    crew_send_all(team->crew, CREW_DONE, NULL, 0);
    root_finish(team->root);
}
