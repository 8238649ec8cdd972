/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/user_sessions.h"

#include <math.h>

#include "base/clock.h"
#include "base/rand_stream.h"
#include "engine/arrival.h"
#include "options/quantity.h"

#define NO_SLOT UINT32_MAX
/* A geometric length beyond this multiple of its mean has a probability of e^−100. */
#define LONGEST_LENGTH 100

struct session {
    struct rand_stream stream;
    int64_t begun_ns; /* 0 if the slot is free */
    uint64_t number;
    uint64_t length; /* number of requests; 0 if unlimited */
    uint64_t ended;  /* number of requests that have ended */
    uint32_t next_free;
};

struct user_sessions {
    const struct settings *settings;
    const struct session_plan *plan;
    struct arrival arrivals;
    int64_t start_ns, measure_ns;
    int64_t next_ns;
    struct session *slot;
    uint32_t slots, used, free; /* allocated; ever used; first of the list of free ones */
    size_t in_progress;
    int64_t unserved; /* number of sessions whose first request was not served yet */
    bool overflowed;
    struct session_counts counts;
};

uint64_t session_length_draw(const struct session_length *law, struct rand_stream *stream)
{
    if (law->kind == LENGTH_UNLIMITED)
        return 0;
    if (law->kind == LENGTH_CONSTANT)
        return (uint64_t)law->mean;
    /* The integer part of an exponential variable is geometric, here with P(0) = 1 / mean. */
    const double more = rand_stream_exponential(stream) / -log1p(-1 / law->mean);
    return 1 + (uint64_t)fmin(more, LONGEST_LENGTH * law->mean);
}

static double draw_lognormal(const struct think_law *law, struct rand_stream *stream)
{
    const double variance = log1p(law->cv * law->cv);
    const double radius = sqrt(2 * rand_stream_exponential(stream));
    const double normal = radius * cos(2 * M_PI * rand_stream_double(stream));
    return law->mean_s * exp(sqrt(variance) * normal - variance / 2);
}

double think_draw(const struct think_law *law, struct rand_stream *stream)
{
    double s = law->mean_s;
    if (law->kind == THINK_EXPONENTIAL)
        s *= rand_stream_exponential(stream);
    else if (law->kind == THINK_LOGNORMAL)
        s = draw_lognormal(law, stream);
    return fmin(s, TIME_MAX_S);
}

struct user_sessions *user_sessions_create(const struct settings *settings)
{
    struct user_sessions *s = xcalloc(1, sizeof(*s));
    s->settings = settings;
    s->plan = &settings->sessions;
    s->next_ns = INT64_MAX;
    s->free = NO_SLOT;
    arrival_init_plan(&s->arrivals, &s->plan->arrivals, settings);
    return s;
}

void user_sessions_destroy(struct user_sessions *s)
{
    if (s == NULL)
        return;
    free(s->slot);
    free(s);
}

/* All ranks draw the same schedule, so all stop at the same session. */
static void draw_next(struct user_sessions *s)
{
    const int64_t at_ns = arrival_next(&s->arrivals);
    const bool none = s->plan->most > 0 && s->arrivals.number > (uint64_t)s->plan->most;
    s->next_ns = at_ns == INT64_MAX || none ? INT64_MAX : clock_after_ns(s->start_ns, at_ns);
}

void user_sessions_start(struct user_sessions *s, int64_t start_ns, int64_t measure_ns)
{
    s->start_ns = start_ns;
    s->measure_ns = measure_ns;
    draw_next(s);
}

int64_t user_sessions_next_ns(const struct user_sessions *s)
{
    return s->next_ns;
}

static unsigned take_slot(struct user_sessions *s)
{
    const uint32_t freed = s->free;
    if (freed != NO_SLOT) {
        s->free = s->slot[freed].next_free;
        return freed;
    }
    if (s->used == s->slots) {
        s->slots = s->slots == 0 ? 64 : 2 * s->slots;
        s->slot = xrealloc(s->slot, s->slots * sizeof(*s->slot));
    }
    return s->used++;
}

unsigned user_sessions_begin(struct user_sessions *s)
{
    const unsigned slot = take_slot(s);
    struct session *session = &s->slot[slot];
    *session = (struct session){.begun_ns = s->next_ns, .number = s->arrivals.number};
    rand_stream_init(&session->stream, s->settings->rand.seed, RAND_SESSION,
                     (unsigned)session->number);
    session->length = session_length_draw(&s->plan->length, &session->stream);
    s->counts.begun += s->next_ns >= s->measure_ns;
    s->in_progress++;
    s->overflowed = ++s->unserved > s->settings->queue_size;
    if (s->overflowed)
        s->next_ns = INT64_MAX;
    else
        draw_next(s);
    return slot;
}

struct session_request user_sessions_serve(struct user_sessions *s, unsigned slot)
{
    const struct session *session = &s->slot[slot];
    s->unserved -= session->ended == 0;
    return (struct session_request){.number = session->number,
                                    .index = session->ended + 1,
                                    .last = session->ended + 1 == session->length};
}

static void end_session(struct user_sessions *s, unsigned slot, int64_t now_ns)
{
    struct session *session = &s->slot[slot];
    s->counts.ended_ns += (double)max_i64(0, now_ns - max_i64(session->begun_ns, s->measure_ns));
    session->begun_ns = 0;
    session->next_free = s->free;
    s->free = slot;
    s->in_progress--;
}

bool user_sessions_end_request(struct user_sessions *s, unsigned slot, int64_t now_ns,
                               int64_t *at_ns)
{
    struct session *session = &s->slot[slot];
    if (++session->ended == session->length) {
        *at_ns = session->begun_ns;
        end_session(s, slot, now_ns);
        return false;
    }
    *at_ns = clock_after_ns(now_ns, seconds_to_ns(think_draw(&s->plan->think, &session->stream)));
    return true;
}

bool user_sessions_are_over(const struct user_sessions *s)
{
    return s->in_progress == 0 && s->plan->most > 0 && s->next_ns == INT64_MAX;
}

bool user_sessions_overflowed(const struct user_sessions *s)
{
    return s->overflowed;
}

size_t user_sessions_in_progress(const struct user_sessions *s)
{
    return s->in_progress;
}

void user_sessions_list(const struct user_sessions *s, struct sessions_left *left)
{
    *left = (struct sessions_left){.begun_ns = xcalloc(s->in_progress + 1, sizeof(int64_t)),
                                   .counts = s->counts};
    for (uint32_t i = 0; i < s->used; i++)
        if (s->slot[i].begun_ns != 0)
            left->begun_ns[left->count++] = s->slot[i].begun_ns;
}
