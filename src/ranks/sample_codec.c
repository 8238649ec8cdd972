/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/sample_codec.h"

#include <limits.h>
#include <string.h>

#include "base/util.h"

/* If you add a field to a struct, add it here as well, and to wait_record_merge(),
 * slow_requests_merge() or wait_span_merge(). */
#define KNOWN(type, bytes)                                                                         \
    _Static_assert(sizeof(struct type) == (bytes), "a field that the codec does not know")
KNOWN(wait_bucket, 80);
KNOWN(wait_cell, 32);
KNOWN(wait_detail, 72);
KNOWN(wait_stranger, 304);
KNOWN(wait_blocker, 32);
KNOWN(wait_span, 568);
KNOWN(exemplar_step, 40);
KNOWN(exemplar, 1208);

/* Returns how many entries a list may have that is read: each takes at least one byte, which bounds
 * the memory. */
static size_t most_left(const struct codec *c)
{
    return codec_reads(c) ? (size_t)(c->in.end - c->in.at) : SIZE_MAX;
}

/* Waits. */

static void code_stranger(struct codec *c, struct wait_stranger *s)
{
    codec_u64(c, &s->session);
    codec_chars(c, s->program, sizeof(s->program));
    codec_chars(c, s->user, sizeof(s->user));
    codec_chars(c, s->state, sizeof(s->state));
    codec_real(c, &s->seconds);
    codec_chars(c, s->text, sizeof(s->text));
}

static void code_names(struct codec *c, struct wait_names *names)
{
    codec_unsigned(c, &names->labels, WAIT_LABELS);
    codec_unsigned(c, &names->details, WAIT_DETAILS);
    codec_unsigned(c, &names->strangers, WAIT_STRANGERS);
    for (unsigned i = 0; i < names->labels; i++)
        codec_chars(c, names->event[i], sizeof(names->event[i]));
    for (unsigned i = 0; i < names->details; i++) {
        codec_unsigned(c, &names->detail[i].label, WAIT_LABELS - 1);
        codec_chars(c, names->detail[i].object, sizeof(names->detail[i].object));
        codec_unsigned(c, &names->detail[i].blocker, WAIT_BY_STRANGER + WAIT_STRANGERS - 1);
    }
    for (unsigned i = 0; i < names->strangers; i++)
        code_stranger(c, &names->stranger[i]);
}

static void code_bucket(struct codec *c, struct wait_bucket *b)
{
    codec_u64(c, &b->requests);
    codec_real(c, &b->late_ns);
    codec_real(c, &b->queued_ns);
    codec_real(c, &b->service_ns);
    codec_real(c, &b->locked_ns);
    codec_u64(c, &b->sampled);
    codec_u64(c, &b->samples);
    codec_u64(c, &b->near);
    codec_real(c, &b->weight);
    codec_real(c, &b->squares);
}

static void code_cell(struct codec *c, struct wait_cell *cell)
{
    codec_u64(c, &cell->samples);
    codec_real(c, &cell->weight);
    codec_real(c, &cell->squares);
    codec_real(c, &cell->products);
}

/* A bucket of the matrix. Cells without samples are not encoded. */
static void code_row(struct codec *c, struct wait_totals *t, unsigned b, unsigned labels,
                     unsigned details)
{
    code_bucket(c, &t->bucket[b]);
    for (unsigned i = 0; i < labels && t->bucket[b].sampled > 0; i++) {
        bool used = t->cell[b][i].samples > 0;
        codec_bool(c, &used);
        if (used)
            code_cell(c, &t->cell[b][i]);
    }
    for (unsigned i = 0; i < details && t->bucket[b].sampled > 0; i++)
        codec_real(c, &t->detail[b][i]);
}

static void code_totals(struct codec *c, struct wait_totals *t, unsigned labels, unsigned details)
{
    for (unsigned b = 0; b < WAIT_BUCKETS; b++) {
        bool used = t->bucket[b].requests > 0 || t->bucket[b].sampled > 0;
        codec_bool(c, &used);
        if (used)
            code_row(c, t, b, labels, details);
    }
    codec_real(c, &t->heaviest_ns);
    codec_u64(c, &t->taken);
    codec_u64(c, &t->unmatched);
}

static void code_key(struct codec *c, struct wait_key *key)
{
    codec_u64(c, &key->session);
    codec_unsigned(c, &key->host, UINT_MAX);
}

static void code_sessions(struct codec *c, struct wait_record *r)
{
    codec_size(c, &r->owned, most_left(c));
    codec_size(c, &r->blockers, most_left(c));
    if (codec_reads(c)) {
        r->own_room = r->owned;
        r->blocker_room = r->blockers;
        r->own = xcalloc(r->owned + 1, sizeof(*r->own));
        r->blocker = xcalloc(r->blockers + 1, sizeof(*r->blocker));
    }
    for (size_t i = 0; i < r->owned; i++)
        code_key(c, &r->own[i]);
    for (size_t i = 0; i < r->blockers; i++) {
        codec_unsigned(c, &r->blocker[i].stranger, WAIT_STRANGERS - 1);
        code_key(c, &r->blocker[i].key);
        codec_real(c, &r->blocker[i].weight_ns);
    }
}

void codec_wait_record(struct codec *c, struct wait_record **record)
{
    bool any = *record != NULL;
    codec_bool(c, &any);
    if (!any)
        return;
    if (codec_reads(c))
        *record = wait_record_create();
    struct wait_record *r = *record;
    codec_real(c, &r->per_second);
    codec_real(c, &r->elapsed_s);
    codec_u64(c, &r->statements);
    codec_real(c, &r->round_trips_ns);
    codec_unsigned(c, &r->notes, WAIT_NOTES);
    for (unsigned i = 0; i < r->notes; i++)
        codec_chars(c, r->note[i], sizeof(r->note[i]));
    code_names(c, &r->names);
    code_totals(c, &r->totals, r->names.labels, r->names.details);
    code_sessions(c, r);
}

/* Shares of a span. */

/* Returns the label that the event has in `names`. A fixed label is found by its number, because
 * one of them has another name in runs with a pool of connections. */
static unsigned name_label(struct wait_names *names, unsigned number, const char *event)
{
    if (number == WAIT_LABELS_FIXED)
        return wait_names_label(names, event);
    memcpy(names->event[number], event, WAIT_EVENT_BYTES);
    return number;
}

/* Encodes the share of one label. Reading adds the share, because several events are one label if
 * there are too many. */
static void code_share(struct codec *c, struct wait_span *span, unsigned label,
                       struct wait_names *names)
{
    char event[WAIT_EVENT_BYTES] = "";
    unsigned number = min_u32(label, WAIT_LABELS_FIXED);
    double share = span->share[label];
    if (!codec_reads(c))
        memcpy(event, span->names->event[label], sizeof(event));
    codec_unsigned(c, &number, WAIT_LABELS_FIXED);
    codec_chars(c, event, sizeof(event));
    codec_real(c, &share);
    if (codec_reads(c) && !c->failed && names != NULL)
        span->share[name_label(names, number, event)] += share;
}

static void code_shares(struct codec *c, struct wait_span *span, struct wait_names *names)
{
    unsigned count = 0;
    for (unsigned i = 0; i < span->labels; i++)
        count += span->share[i] > 0;
    codec_unsigned(c, &count, WAIT_LABELS);
    if (codec_reads(c))
        for (; count > 0; count--)
            code_share(c, span, 0, names);
    for (unsigned i = 0; i < span->labels; i++)
        if (span->share[i] > 0)
            code_share(c, span, i, names);
}

void codec_wait_span(struct codec *c, struct wait_span *span, struct wait_names *names)
{
    bool any = span->names != NULL;
    codec_bool(c, &any);
    if (!any)
        return;
    codec_u64(c, &span->samples);
    codec_real(c, &span->time_ns);
    codec_real(c, &span->late);
    codec_real(c, &span->queued);
    codec_real(c, &span->undivided);
    code_shares(c, span, names);
    if (!codec_reads(c))
        return;
    span->names = names;
    span->labels = names != NULL ? names->labels : 0;
}

/* Slow requests. */

static void code_slow_names(struct codec *c, struct slow_names *names)
{
    size_t count = names->count;
    codec_size(c, &count, codec_reads(c) ? most_left(c) : UINT16_MAX);
    if (codec_reads(c)) {
        names->name = xcalloc(count + 1, sizeof(*names->name));
        names->count = (unsigned)count;
    }
    for (unsigned i = 0; i < names->count; i++) {
        codec_text(c, &names->name[i]);
        if (names->name[i] == NULL)
            names->name[i] = xstrdup("");
    }
}

/* The number of a name, or `none`. */
static void code_number(struct codec *c, uint16_t *number, uint16_t none, unsigned names)
{
    unsigned n = *number == none ? 0 : *number + 1U;
    codec_unsigned(c, &n, names);
    *number = n == 0 ? none : (uint16_t)(n - 1);
}

static void code_step(struct codec *c, struct slow_requests *slow, struct exemplar_step *step)
{
    codec_i64(c, &step->start_ns);
    codec_i64(c, &step->duration_ns);
    codec_u64(c, &step->rows);
    codec_int(c, &step->code);
    code_number(c, &step->class, EXEMPLAR_NO_CLASS, slow->classes.count);
    code_number(c, &step->target, EXEMPLAR_NO_TARGET, slow->hosts.count);
    codec_chars(c, step->state, sizeof(step->state));
    codec_bool(c, &step->failed);
}

static void code_wait(struct codec *c, struct exemplar_wait *wait, unsigned numbers)
{
    codec_unsigned(c, &wait->number, numbers - 1);
    codec_unsigned(c, &wait->samples, UINT_MAX);
    codec_real(c, &wait->weight_ns);
}

static void code_request(struct codec *c, struct slow_requests *slow, struct exemplar *e)
{
    unsigned outcome = e->outcome, type = (unsigned)(e->type + 1);
    codec_i64(c, &e->arrival_ns);
    codec_i64(c, &e->start_ns);
    codec_i64(c, &e->end_ns);
    codec_i64(c, &e->late_ns);
    codec_i64(c, &e->queued_ns);
    codec_i64(c, &e->connection_wait_ns);
    codec_unsigned(c, &outcome, EXEMPLAR_UNFINISHED);
    e->outcome = (enum exemplar_outcome)outcome;
    codec_unsigned(c, &e->worker, UINT_MAX);
    codec_unsigned(c, &type, slow->types.count);
    e->type = (int)type - 1;
    codec_unsigned(c, &e->retries, UINT_MAX);
    codec_unsigned(c, &e->steps, EXEMPLAR_STEPS);
    codec_unsigned(c, &e->left_out, UINT_MAX);
    for (unsigned i = 0; i < e->steps; i++)
        code_step(c, slow, &e->step[i]);
    codec_real(c, &e->weight_ns);
    codec_unsigned(c, &e->waits, EXEMPLAR_WAITS);
    codec_unsigned(c, &e->details, EXEMPLAR_DETAILS);
    for (unsigned i = 0; i < e->waits; i++)
        code_wait(c, &e->wait[i], WAIT_LABELS);
    for (unsigned i = 0; i < e->details; i++)
        code_wait(c, &e->detail[i], WAIT_DETAILS);
}

static void code_requests(struct codec *c, struct slow_requests *slow)
{
    struct exemplar_list *kept = &slow->kept;
    codec_i64(c, &kept->span_ns);
    codec_unsigned(c, &kept->slowest, EXEMPLARS_MAX);
    codec_unsigned(c, &kept->others, EXEMPLAR_SPANS * (1 + EXEMPLARS_DRAWN));
    const unsigned count = kept->slowest + kept->others;
    if (codec_reads(c))
        kept->list = xcalloc(count + 1, sizeof(*kept->list));
    for (unsigned i = 0; i < count; i++)
        code_request(c, slow, &kept->list[i]);
}

void codec_slow_requests(struct codec *c, struct slow_requests **slow)
{
    bool any = *slow != NULL;
    codec_bool(c, &any);
    if (!any)
        return;
    if (codec_reads(c))
        *slow = xcalloc(1, sizeof(**slow));
    codec_unsigned(c, &(*slow)->asked, EXEMPLARS_MAX);
    codec_any_i64(c, &(*slow)->run_start_ns);
    code_slow_names(c, &(*slow)->types);
    code_slow_names(c, &(*slow)->classes);
    code_slow_names(c, &(*slow)->hosts);
    code_requests(c, *slow);
}
