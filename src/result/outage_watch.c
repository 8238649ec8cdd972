/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/outage_watch.h"

#include <string.h>

#include "base/util.h"
#include "result/outage_limit.h"
#include "result/recovery.h"

/* If a place has fewer than this number of noted silences, its silences are noted from a length of
 * OUTAGE_FLOOR_NS on, otherwise only from OUTAGE_LONG_NS on. */
#define NOTED_MAX 500

/* A silence that may be an outage, in the list of its place. */
struct noted {
    struct outage outage;
    struct recovery_watch watch;
    uint64_t waiting; /* number of requests that were pending at its end */
    /* Length of the shortest outage, computed from the median response time when the silence was
     * noted; INT64_MAX if the median was not known. */
    int64_t threshold_ns;
    struct noted *next; /* the next older outage of the same place */
};

struct place {
    struct recovery *recovery; /* recovery of response times; NULL before the first window */
    int64_t median_ns;         /* median of its responses up to now; 0 if it is not known */
    /* Smallest length, of at least OUTAGE_LONG_NS, that an outage had to have at any time of the
     * run; INT64_MAX while no median is known. */
    int64_t lowest_ns;
    char host[TARGET_NAME_BYTES];
    uint64_t completed, lost; /* numbers of requests at the end of the previous window */
    uint64_t pending;         /* number of requests that were pending then */
    /*
     * Beginning of the current silence, in which requests are pending and none is completed; −1 if
     * there is no silence. lost_before has the requests lost before it. The other two fields have
     * the state of the connections since it began.
     */
    int64_t silent_ns;
    uint64_t lost_before;
    unsigned disconnected;
    int64_t connected_after_ns;
    /* Outage of the current silence; NULL if the silence is not long enough yet. */
    struct noted *open;
    bool unlinked; /* true if connections are still missing after an outage that has ended */
    struct noted *noted;
    unsigned count;
    int64_t quiet_since_ns; /* when the last outage ended */
};

struct outage_watch {
    const struct settings *settings;
    int64_t window_ns;
    int64_t from_ns;  /* beginning of the current window */
    int64_t prior_ns; /* beginning of the previous window */
    int64_t times_ns; /* when times were last drained */
    struct place place[OUTAGE_PLACES];
};

struct outage_watch *outage_watch_create(const struct settings *settings, int64_t window_ns)
{
    struct outage_watch *w = xcalloc(1, sizeof(*w));
    w->settings = settings;
    w->window_ns = window_ns;
    for (unsigned i = 0; i < OUTAGE_PLACES; i++) {
        w->place[i].silent_ns = -1;
        w->place[i].lowest_ns = INT64_MAX;
    }
    w->place[0].recovery = recovery_create(settings, OUTAGE_PERCENTILE);
    return w;
}

void outage_watch_destroy(struct outage_watch *w)
{
    for (unsigned i = 0; w != NULL && i < OUTAGE_PLACES; i++) {
        recovery_destroy(w->place[i].recovery);
        for (struct noted *n = w->place[i].noted, *next; n != NULL; n = next) {
            next = n->next;
            free(n);
        }
    }
    free(w);
}

/* Response times, for the percentiles. */

void outage_watch_collect(struct outage_watch *w, const struct snapshot *recorded)
{
    recovery_add(w->place[0].recovery, &recorded->metric[METRIC_RESPONSE]);
    for (unsigned i = 0; i < recorded->targets->count; i++)
        if (w->place[1 + i].recovery != NULL)
            recovery_add(w->place[1 + i].recovery,
                         &recorded->targets->target[i].metric[METRIC_RESPONSE]);
}

bool outage_watch_wants_times(const struct outage_watch *w, int64_t now_ns)
{
    return now_ns - w->times_ns >= recovery_window_ns(w->place[0].recovery);
}

/* Evaluation of windows. */

static int64_t threshold_of(int64_t floor_ns, int64_t median_ns)
{
    return max_i64(floor_ns, OUTAGE_MEDIANS * median_ns);
}

static void note(struct place *p)
{
    struct noted *n = xcalloc(1, sizeof(*n));
    n->outage = (struct outage){.from_ns = p->silent_ns, .back_after_ns = -1};
    memcpy(n->outage.host, p->host, sizeof(n->outage.host));
    n->threshold_ns = p->median_ns > 0 ? threshold_of(OUTAGE_LONG_NS, p->median_ns) : INT64_MAX;
    n->next = p->noted;
    p->noted = p->open = n;
    p->count++;
    recovery_watch(p->recovery, &n->watch, p->quiet_since_ns, p->silent_ns);
}

/* Notes missing connections during a silence. */
static void look_at_connections(struct place *p, int64_t now_ns, unsigned missing)
{
    if (missing > p->disconnected)
        p->disconnected = missing;
    if (missing > 0)
        p->connected_after_ns = -1;
    else if (p->disconnected > 0 && p->connected_after_ns < 0)
        p->connected_after_ns = now_ns - p->silent_ns;
}

static bool is_unlinked(const struct outage *o)
{
    return o->disconnected > 0 && o->connected_after_ns < 0;
}

/* Notes for all outages, except the current one, that no connection is missing now. */
static void link_again(struct place *p, int64_t now_ns)
{
    for (struct noted *n = p->noted; n != NULL; n = n->next)
        if (n != p->open && is_unlinked(&n->outage))
            n->outage.connected_after_ns = now_ns - n->outage.from_ns;
    p->unlinked = false;
}

static void begin_silence(struct outage_watch *w, struct place *p, int64_t last_end_ns)
{
    /* The last event ended at some time in the previous window. */
    p->silent_ns = max_i64(w->prior_ns, min_i64(last_end_ns, w->from_ns));
    p->lost_before = p->lost;
    p->disconnected = 0;
    p->connected_after_ns = -1;
}

static void end_outage(struct place *p, int64_t to_ns, bool ended)
{
    struct outage *o = &p->open->outage;
    o->to_ns = to_ns;
    o->ended = ended;
    o->lost = p->lost - p->lost_before;
    p->open->watch.after_ns = to_ns;
    p->open->waiting = p->pending;
    o->disconnected = p->disconnected;
    o->connected_after_ns = p->connected_after_ns;
    p->unlinked = p->unlinked || is_unlinked(o);
    /* Shorter silences may be chance: then the times before them are as good as those after them.
     */
    if (to_ns - o->from_ns >= OUTAGE_LONG_NS)
        p->quiet_since_ns = to_ns;
    p->open = NULL;
}

static void end_silence(struct outage_watch *w, struct place *p)
{
    if (p->open != NULL)
        end_outage(p, w->from_ns, true);
    p->silent_ns = -1;
}

static void look_into_silence(struct outage_watch *w, struct place *p, int64_t now_ns,
                              const struct outage_state *state)
{
    if (p->silent_ns < 0)
        begin_silence(w, p, state->last_end_ns);
    look_at_connections(p, now_ns, state->disconnected);
    const int64_t floor_ns = p->count < NOTED_MAX ? OUTAGE_FLOOR_NS : OUTAGE_LONG_NS;
    if (p->open == NULL && now_ns - p->silent_ns >= threshold_of(floor_ns, p->median_ns))
        note(p);
}

/* Returns true if the reporter, and so the client, has stalled: nothing is known of this time. */
static bool is_blind(const struct outage_watch *w, int64_t now_ns)
{
    return now_ns - w->from_ns > 2 * w->window_ns + NS_PER_SEC / 2;
}

static void open_place(struct outage_watch *w, struct place *p, const char *host)
{
    if (p->recovery != NULL)
        return;
    p->recovery = recovery_create(w->settings, OUTAGE_PERCENTILE);
    snprintf(p->host, sizeof(p->host), "%s", host);
}

void outage_watch_look(struct outage_watch *w, int64_t now_ns, unsigned place,
                       const struct outage_state *state)
{
    struct place *p = &w->place[place];
    open_place(w, p, state->host);
    if (state->completed == p->completed && p->pending > 0 && !is_blind(w, now_ns)) {
        look_into_silence(w, p, now_ns, state);
    } else {
        p->lost = state->lost; /* requests that fail when answers arrive again count as lost, too */
        end_silence(w, p);
    }
    if (p->unlinked && state->disconnected == 0)
        link_again(p, now_ns);
    p->completed = state->completed;
    p->lost = state->lost;
    p->pending = state->pending;
}

void outage_watch_end_window(struct outage_watch *w, int64_t now_ns, const int64_t *median_ns)
{
    w->prior_ns = w->from_ns;
    w->from_ns = now_ns;
    for (unsigned i = 0; i < OUTAGE_PLACES; i++) {
        struct place *p = &w->place[i];
        p->median_ns = median_ns[i];
        if (p->median_ns > 0)
            p->lowest_ns = min_i64(p->lowest_ns, threshold_of(OUTAGE_LONG_NS, p->median_ns));
    }
    if (!outage_watch_wants_times(w, now_ns))
        return;
    w->times_ns = now_ns;
    for (unsigned i = 0; i < OUTAGE_PLACES; i++)
        if (w->place[i].recovery != NULL)
            recovery_end_window(w->place[i].recovery, now_ns);
}

/* The end of the run. */

static int by_beginning(const void *a, const void *b)
{
    const struct outage *x = a, *y = b;
    if (x->from_ns == y->from_ns)
        return strcmp(x->host, y->host);
    return x->from_ns > y->from_ns ? 1 : -1;
}

/*
 * The requests that waited for the end of an outage may be most of the run and inflate its final
 * median. An outage that was found while a median was known is therefore not judged again by the
 * final median.
 */
static void add_place(struct outages *all, const struct place *p, int64_t last_threshold_ns)
{
    for (const struct noted *n = p->noted; n != NULL; n = n->next) {
        struct outage *o = &all->list[all->count];
        const int64_t length_ns = n->outage.to_ns - n->outage.from_ns;
        *o = n->outage;
        o->level_ns = n->watch.level_ns;
        o->back_after_ns = n->watch.back_ns >= 0 ? n->watch.back_ns - o->from_ns : -1;
        all->count += length_ns >= n->threshold_ns || length_ns >= last_threshold_ns;
    }
}

/* Returns the length from which chance does not explain a silence of the place. `response` has
 * its response times after the warm-up, so only the silences after it are taken into account. */
static int64_t sure_ns(const struct place *p, int64_t median_ns, int64_t warmup_ns,
                       const struct distribution *response)
{
    struct silence *silence = xcalloc(p->count + 1, sizeof(*silence));
    unsigned count = 0;
    for (const struct noted *n = p->noted; n != NULL; n = n->next)
        if (n->outage.to_ns > warmup_ns)
            silence[count++] =
                (struct silence){n->outage.to_ns - n->outage.from_ns, n->waiting + n->outage.lost};
    const int64_t limit_ns = outage_limit_ns(response, median_ns, silence, count);
    free(silence);
    return limit_ns;
}

/* Returns the response times of a place. */
static const struct distribution *response_of(const struct snapshot *measured, unsigned place)
{
    return place == 0 ? &measured->metric[METRIC_RESPONSE]
                      : &measured->targets->target[place - 1].metric[METRIC_RESPONSE];
}

/* Adds the outages of a place, each judged by the response times there. */
static void finish_place(struct outages *all, const struct outage_watch *w, unsigned place,
                         int64_t median_ns, const struct snapshot *measured)
{
    const struct place *p = &w->place[place];
    const int64_t sure =
        place > measured->targets->count
            ? -1
            : sure_ns(p, median_ns, w->settings->warmup_ns, response_of(measured, place));
    int64_t last_ns = threshold_of(OUTAGE_LONG_NS, median_ns);
    if (sure >= 0)
        last_ns = min_i64(last_ns, sure);
    if (place == 0)
        all->sure_ns = sure;
    all->threshold_ns = min_i64(all->threshold_ns, min_i64(p->lowest_ns, last_ns));
    add_place(all, p, last_ns);
}

struct outages outage_watch_finish(struct outage_watch *w, int64_t now_ns, const int64_t *median_ns,
                                   const struct snapshot *measured, const uint64_t *lost)
{
    unsigned room = 1;
    for (unsigned i = 0; i < OUTAGE_PLACES; i++) {
        w->place[i].lost = lost[i];
        if (w->place[i].open != NULL)
            end_outage(&w->place[i], now_ns, false);
        room += w->place[i].count;
    }
    struct outages all = {.threshold_ns = INT64_MAX,
                          .window_ns = w->window_ns,
                          .list = xcalloc(room, sizeof(*all.list))};
    for (unsigned i = 0; i < OUTAGE_PLACES; i++)
        if (w->place[i].recovery != NULL)
            finish_place(&all, w, i, median_ns[i], measured);
    qsort(all.list, all.count, sizeof(*all.list), by_beginning);
    return all;
}
