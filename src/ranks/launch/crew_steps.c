/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/crew_steps.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "ranks/launch/affinity.h"
#include "ranks/launch/keeper.h"

/* Round trips with each rank are made in batches of these sizes. The first batch is slow, because
 * it opens the connection. If round trips are slow, ENOUGH of them are sufficient. */
static const int batches[] = {10, 90, 100};
#define ENOUGH 100
/* Round trips are considered slow if they take longer than this for all ranks, or for one rank. */
#define LONG_NS (5 * NS_PER_SEC)
#define LONG_FOR_ONE_NS NS_PER_SEC
#define BATCH_MAX 1000
/* With more ranks than this, ranks may outnumber the processors. Fewer round trips are then
 * sufficient. */
#define MANY 16
/* Timeout of one round trip. */
#define ROUND_NS (5 * NS_PER_SEC)
/* Time from sending the start time to the start, so that the last rank receives it in time. */
#define LEAD_NS (NS_PER_SEC / 5)
#define LEAD_PER_RANK_NS (4 * NS_PER_MS)


static void send_json(struct crew *crew, enum crew_kind kind, json_t *object)
{
    char *text = checked_alloc(json_dumps(object, JSON_COMPACT));
    crew_send(crew, 0, kind, text, strlen(text));
    free(text);
}

static json_t *json_of(const struct transport_message *message)
{
    return json_loadb(message->bytes, message->size, 0, NULL);
}


struct roll {
    struct crew *crew;
    int64_t threads;
    bool warned;
};

/* Returns the process whose processors are compared with ours. A keeper has the same processors as
 * its rank, so the parent of the keeper is used. */
static pid_t launcher_of(const struct crew *crew)
{
    return crew->keeper != NULL ? keeper_parent(crew->keeper) : getppid();
}

static json_t *describe_self(const struct crew *crew)
{
    char host[HOST_NAME_MAX + 1] = "?";
    struct affinity a = affinity_look(launcher_of(crew));
    gethostname(host, sizeof(host) - 1);
    return checked_alloc(json_pack("{s:s, s:i, s:i, s:b}", "host", host, "own", (int)a.own,
                                   "online", (int)a.online, "bound", affinity_is_bound(&a)));
}

/* Logs one warning for all ranks, because the launcher binds all of them in the same way. */
static void warn_of_binding(struct roll *roll, unsigned rank, int own, int online)
{
    const int64_t workers = (roll->threads + roll->crew->world.ranks - 1) / roll->crew->world.ranks;
    if (roll->warned || own > workers)
        return;
    roll->warned = true;
    log_text(LOG_WARNING,
             "the launcher has bound %s to %d of %d processors, for %" PRId64
             " workers and the rest of the program; give mpirun --bind-to none",
             crew_name(roll->crew, rank), own, online, workers);
}

static void enrol(struct roll *roll, unsigned rank, json_t *who)
{
    const char *host = "?";
    int own = 0, online = 0, bound = 0;
    json_unpack(who, "{s:s, s:i, s:i, s:b}", "host", &host, "own", &own, "online", &online, "bound",
                &bound);
    roll->crew->mates[rank].host = xstrdup(host);
    if (bound)
        warn_of_binding(roll, rank, own, online);
    json_decref(who);
}

static int take_join(void *arg, const struct transport_message *message)
{
    enrol(arg, message->from, json_of(message));
    return 0;
}

static int lead_plan(struct crew *crew, uint64_t seed, int64_t threads)
{
    struct roll roll = {.crew = crew, .threads = threads};
    enrol(&roll, 0, describe_self(crew));
    if (crew_collect(crew, CREW_JOIN, take_join, &roll) != 0)
        return -1;
    crew_send_all(crew, CREW_PLAN, &seed, sizeof(seed));
    return 0;
}

static int follow_plan(struct crew *crew, uint64_t *seed)
{
    struct transport_message message;
    json_t *self = describe_self(crew);
    send_json(crew, CREW_JOIN, self);
    json_decref(self);
    if (crew_await(crew, CREW_PLAN, &message) != 0)
        return -1;
    memcpy(seed, message.bytes, message.size < sizeof(*seed) ? message.size : sizeof(*seed));
    free(message.bytes);
    return 0;
}

int crew_plan(struct crew *crew, uint64_t *seed, int64_t threads)
{
    if (crew_is_one(crew))
        return 0;
    return crew_leads(crew) ? lead_plan(crew, *seed, threads) : follow_plan(crew, seed);
}


struct comparison {
    struct crew *crew;
    const json_t *ours;
};

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL ? text : "not set";
}

static int log_difference(const struct comparison *c, unsigned rank, const char *what,
                              const json_t *here, const json_t *there)
{
    log_text(LOG_FATAL, "%s is about to make another run than rank 0: %s is %s there, %s here",
             crew_name(c->crew, rank), what, text_of(there), text_of(here));
    return -1;
}

/* Compares each member of `ours` with `theirs`. Returns −1 after logging the first difference. */
static int compare(const struct comparison *c, unsigned rank, const json_t *ours,
                   const json_t *theirs)
{
    const char *key;
    json_t *here;
    json_object_foreach((json_t *)ours, key, here)
    {
        const json_t *there = json_object_get(theirs, key);
        if (json_is_object(here)) {
            if (compare(c, rank, here, there) != 0)
                return -1;
        } else if (!json_equal(here, there)) {
            return log_difference(c, rank, key, here, there);
        }
    }
    return 0;
}

static int take_hello(void *arg, const struct transport_message *message)
{
    const struct comparison *c = arg;
    json_t *theirs = json_of(message);
    int status = compare(c, message->from, c->ours, theirs);
    json_decref(theirs);
    return status;
}

int crew_hello(struct crew *crew, const json_t *card)
{
    struct transport_message message;
    struct comparison comparison = {.crew = crew, .ours = card};
    if (crew_is_one(crew))
        return 0;
    if (crew_leads(crew)) {
        if (crew_collect(crew, CREW_HELLO, take_hello, &comparison) != 0)
            return -1;
        crew_send_all(crew, CREW_GO, NULL, 0);
        return 0;
    }
    send_json(crew, CREW_HELLO, (json_t *)card);
    if (crew_await(crew, CREW_GO, &message) != 0)
        return -1;
    free(message.bytes);
    return 0;
}


/* Makes one batch of round trips. CREW_PINGS carries their number. */
static int ping_batch(struct crew *crew, unsigned rank, int count, struct clock_offset *offset)
{
    struct transport_round round;
    crew_send(crew, rank, CREW_PINGS, &count, sizeof(count));
    for (int i = 0; i < count; i++) {
        if (crew->ops->ping(crew->transport, rank, clock_now_ns() + ROUND_NS, &round) != 0)
            return -1;
        clock_offset_add(offset, round.sent_ns, round.answered_ns, round.back_ns);
    }
    crew->mates[rank].heard_ns = clock_now_ns();
    return 0;
}

/* Sends CREW_ALIVE to all ranks at most once a second, as there may be many ranks. */
static void send_alive(struct crew *crew)
{
    const int64_t now_ns = clock_now_ns();
    if (now_ns - crew->alive_sent_ns < NS_PER_SEC)
        return;
    crew->alive_sent_ns = now_ns;
    crew_send_all(crew, CREW_ALIVE, NULL, 0);
}

/*
 * Measures the clock of one rank. Returns −1 if the rank does not answer (before the run it is then
 * lost), or if the user has sent a signal. On busy machines round trips take long, therefore
 * CREW_ALIVE is sent to the other ranks between batches, and after the run few batches are
 * sufficient.
 */
static int measure_one(struct crew *crew, unsigned rank, bool after, struct clock_offset *offset)
{
    const int64_t began_ns = clock_now_ns(),
                  long_ns = min_i64(LONG_FOR_ONE_NS, LONG_NS / crew->world.ranks);
    *offset = clock_offset_unknown();
    for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
        if (interrupt_signal() != 0)
            return -1;
        if (ping_batch(crew, rank, batches[i], offset) != 0) {
            crew->mates[rank].lost = !after;
            return -1;
        }
        send_alive(crew);
        if (clock_now_ns() - began_ns > long_ns &&
            (after || crew->world.ranks > MANY || offset->rounds >= ENOUGH))
            break;
    }
    return 0;
}

void crew_answer(struct crew *crew, const struct transport_message *message)
{
    int count = 0;
    if (message->size == sizeof(count))
        memcpy(&count, message->bytes, sizeof(count));
    for (int i = 0; i < count && i < BATCH_MAX; i++)
        if (crew->ops->pong(crew->transport, message->from, clock_now_ns() + ROUND_NS) != 0)
            return;
}

int crew_measure(struct crew *crew, bool after)
{
    for (unsigned r = 1; r < crew->world.ranks; r++) {
        struct crew_mate *mate = &crew->mates[r];
        if (mate->left || mate->lost)
            continue;
        if (measure_one(crew, r, after, after ? &mate->after : &mate->before) != 0) {
            /* A rank that received a signal to end, as this one did, is not reported. */
            if (interrupt_signal() == 0)
                log_text(after ? LOG_WARNING : LOG_FATAL,
                         "%s does not answer: its clock is not known%s", crew_name(crew, r),
                         after ? " after the run" : "");
            return -1;
        }
    }
    return 0;
}


static int lead_start(struct crew *crew, struct crew_start *start)
{
    if (crew_collect(crew, CREW_READY, NULL, NULL) != 0 || crew_measure(crew, false) != 0)
        return -1;
    start->start_ns = clock_now_ns() + LEAD_NS + crew->world.ranks * LEAD_PER_RANK_NS;
    for (unsigned r = 1; r < crew->world.ranks; r++) {
        const int64_t theirs_ns = start->start_ns + clock_offset_ns(&crew->mates[r].before);
        crew_send(crew, r, CREW_START, &theirs_ns, sizeof(theirs_ns));
    }
    /* Only calls of receive() make progress with messages being sent. */
    while (crew->ops->unsent(crew->transport) > 0 && clock_now_ns() < start->start_ns) {
        struct transport_message message;
        if (crew_receive(crew, &message))
            free(message.bytes);
    }
    return 0;
}

static int follow_start(struct crew *crew, struct crew_start *start)
{
    struct transport_message message;
    bool told = false;
    crew_send(crew, 0, CREW_READY, NULL, 0);
    while (!told) {
        if (crew_next(crew, &message) != 0)
            return -1;
        told = message.kind == CREW_START && message.size == sizeof(start->start_ns);
        if (told)
            memcpy(&start->start_ns, message.bytes, sizeof(start->start_ns));
        else if (message.kind == CREW_PINGS)
            crew_answer(crew, &message);
        free(message.bytes);
    }
    start->late_ns = max_i64(0, clock_now_ns() - start->start_ns);
    return 0;
}

int crew_agree_on_start(struct crew *crew, struct crew_start *start)
{
    *start = (struct crew_start){0};
    return crew_leads(crew) ? lead_start(crew, start) : follow_start(crew, start);
}


/* Makes progress with messages. Only messages that the crew handles itself are expected here. */
static void make_progress(struct crew *crew)
{
    struct transport_message message;
    while (crew_receive(crew, &message))
        free(message.bytes);
    clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
}

static bool lead_meeting(struct crew *crew)
{
    int left = 0, go_on;
    while (interrupt_signal() == 0 && (left = crew_count_left(crew)) >= 0 &&
           1 + crew->at_gate + (unsigned)left < crew->world.ranks)
        make_progress(crew);
    go_on = left >= 0 && interrupt_signal() == 0;
    crew->at_gate = 0;
    crew_send_all(crew, CREW_OPEN, &go_on, sizeof(go_on));
    /* Send all messages now, because the caller may not call the crew again soon. */
    const int64_t deadline_ns = clock_now_ns() + NS_PER_SEC;
    while (crew->ops->unsent(crew->transport) > 0 && clock_now_ns() < deadline_ns)
        make_progress(crew);
    return go_on;
}

static bool follow_meeting(struct crew *crew)
{
    struct transport_message message;
    int go_on = 0;
    crew_send(crew, 0, CREW_GATE, NULL, 0);
    if (crew_await(crew, CREW_OPEN, &message) != 0)
        return false;
    if (message.size == sizeof(go_on))
        memcpy(&go_on, message.bytes, sizeof(go_on));
    free(message.bytes);
    return go_on;
}

bool crew_meet(struct crew *crew)
{
    return crew_leads(crew) ? lead_meeting(crew) : follow_meeting(crew);
}
