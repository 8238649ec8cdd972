/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/wait_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Half of a 95 % interval of a normal distribution, in standard deviations. */
#define Z95 1.96

static const int64_t percentiles[WAIT_COLUMNS] = {
    [WAIT_COLUMN_P50] = 50 * PERCENT,
    [WAIT_COLUMN_P95] = 95 * PERCENT,
    [WAIT_COLUMN_P99] = 99 * PERCENT,
};

int64_t wait_column_percentile(unsigned column)
{
    return percentiles[column];
}

/* Sums over the requests of a column. The bucket that contains the percentile counts in part. */
struct label_sums {
    double weight, squares, products;
};

struct sums {
    double requests, late_ns, queued_ns, service_ns, locked_ns;
    double samples, weight, squares, heaviest_ns;
    struct label_sums label[WAIT_LABELS];
    double detail[WAIT_DETAILS];
};

static void add_bucket(struct sums *to, const struct wait_bucket *b, double part)
{
    to->requests += part * (double)b->requests;
    to->late_ns += part * b->late_ns;
    to->queued_ns += part * b->queued_ns;
    to->service_ns += part * b->service_ns;
    to->locked_ns += part * b->locked_ns;
    to->samples += part * (double)b->samples;
    to->weight += part * b->weight;
    to->squares += part * b->squares;
}

static void add_cells(struct sums *to, const struct wait_totals *t, unsigned bucket, double part)
{
    for (unsigned i = 0; i < WAIT_LABELS; i++) {
        const struct wait_cell *cell = &t->cell[bucket][i];
        to->label[i].weight += part * cell->weight;
        to->label[i].squares += part * cell->squares;
        to->label[i].products += part * cell->products;
    }
    for (unsigned i = 0; i < WAIT_DETAILS; i++)
        to->detail[i] += part * t->detail[bucket][i];
}

/* Adds up the buckets from the slowest requests on, until the share of requests above the
 * percentile is reached. */
static void sum_column(const struct wait_totals *t, int64_t percentile, struct sums *sums)
{
    double all = 0;
    *sums = (struct sums){.heaviest_ns = t->heaviest_ns};
    for (unsigned b = 0; b < WAIT_BUCKETS; b++)
        all += (double)t->bucket[b].requests;
    double left = all * (double)(100 * PERCENT - percentile) / (100.0 * PERCENT);
    for (unsigned b = WAIT_BUCKETS; b-- > 0 && left > 0;) {
        const double requests = (double)t->bucket[b].requests;
        const double part = requests > left ? left / requests : 1;
        if (requests == 0)
            continue;
        add_bucket(sums, &t->bucket[b], part);
        add_cells(sums, t, b, part);
        left -= requests;
    }
}

/*
 * Half of the 95 % interval of the share of a label in the weight of all labels. The share is a
 * ratio of sums over requests, because the samples of one request are not independent, but the
 * requests are (docs/why.md). A label without a sample may have been missed: if 3 samples were to
 * be expected, none is taken with a probability of 5 % (Poisson). Each may have the largest weight.
 * MISSED makes the weight of 3 samples the error of a label without any spread: 1.96 · √2.35 = 3.
 */
#define MISSED 2.35
static double error_of(const struct sums *s, const struct label_sums *l)
{
    const double p = l->weight / s->weight;
    const double effective = s->weight * s->weight / s->squares;
    const double spread = l->squares - 2 * p * l->products + p * p * s->squares;
    const double few = effective > 1 ? effective / (effective - 1) : 1;
    const double missed = MISSED * s->heaviest_ns * s->heaviest_ns;
    const double variance = (few * fmax(0, spread) + missed) / (s->weight * s->weight);
    return fmin(1, Z95 * sqrt(variance));
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Returns the length of a run that would have enough samples. If there are no samples, this is a
 * guess of ten times the length, and a lower limit: with a probability of 95 %, at most 3 samples
 * are to be expected in a run of the present length. */
static double enough_s(const struct wait_column *c, double elapsed_s)
{
    const double by_samples = WAIT_SAMPLES_MIN / fmax(3, (double)c->samples);
    const double by_requests = c->samples > 0 ? WAIT_REQUESTS_MIN / fmax(1, c->effective) : 0;
    return elapsed_s * fmax(fmax(by_samples, by_requests), 1.1);
}

static void fill_column(struct wait_column *c, int64_t percentile, const struct sums *s,
                        double elapsed_s)
{
    const double response_ns = s->late_ns + s->queued_ns + s->service_ns;
    *c = (struct wait_column){.percentile = percentile,
                              .requests = (uint64_t)(s->requests + 0.5),
                              .samples = (uint64_t)(s->samples + 0.5),
                              .effective = share_of(s->weight * s->weight, s->squares),
                              .late = share_of(s->late_ns, response_ns),
                              .queued = share_of(s->queued_ns, response_ns),
                              .service = share_of(s->service_ns, response_ns),
                              .locked = share_of(s->locked_ns, response_ns)};
    c->divided = s->samples >= WAIT_SAMPLES_MIN && c->effective >= WAIT_REQUESTS_MIN;
    if (!c->divided)
        c->enough_s = enough_s(c, elapsed_s);
}

/* Rows, and their details. */

static int by_part(const void *a, const void *b)
{
    const struct wait_part *x = a, *y = b;
    return x->share < y->share ? 1 : x->share > y->share ? -1 : 0;
}

/* Adds a part to its row. If there are too many parts, the smallest one is dropped. */
static void add_part(struct wait_row *row, const struct wait_part *part)
{
    if (row->parts == WAIT_PARTS && row->part[WAIT_PARTS - 1].share >= part->share)
        return;
    row->parts -= row->parts == WAIT_PARTS;
    row->part[row->parts++] = *part;
    qsort(row->part, row->parts, sizeof(row->part[0]), by_part);
}

static void fill_parts(struct wait_shares *shares, unsigned label, const struct sums *s)
{
    for (unsigned i = 1; i < shares->names.details; i++) {
        const struct wait_detail *detail = &shares->names.detail[i];
        if (detail->label != label || !(s->detail[i] > 0))
            continue;
        struct wait_part part = {.blocker = detail->blocker,
                                 .share = s->detail[i] / s->label[label].weight};
        memcpy(part.object, detail->object, sizeof(part.object));
        add_part(&shares->row[label], &part);
    }
}

/* Adds a detail to the part of its blocker. The part has the table of the largest detail that names
 * a table. Details are added in any order, so *most keeps the share of this detail. */
static void add_to_blocker(struct wait_part *part, const struct wait_detail *detail, double share,
                           double *most)
{
    part->blocker = detail->blocker;
    part->share += share;
    if (detail->object[0] == '\0' || share <= *most)
        return;
    *most = share;
    memcpy(part->object, detail->object, sizeof(part->object));
}

/* Fills in the blockers of all locks. */
static void fill_lock_parts(struct wait_shares *shares, const struct sums *s)
{
    struct wait_part part[WAIT_BY_STRANGER + WAIT_STRANGERS];
    double most[ARRAY_SIZE(part)] = {0};
    memset(part, 0, sizeof(part));
    struct wait_row *row = &shares->row[WAIT_LABEL_LOCKS];
    for (unsigned i = 1; i < shares->names.details; i++) {
        const struct wait_detail *detail = &shares->names.detail[i];
        if (s->detail[i] > 0 &&
            wait_names_group(shares->names.event[detail->label]) == WAIT_LABEL_LOCKS)
            add_to_blocker(&part[detail->blocker], detail,
                           s->detail[i] / s->label[WAIT_LABEL_LOCKS].weight,
                           &most[detail->blocker]);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i].share > 0)
            add_part(row, &part[i]);
    shares->locks = *row;
}

/* Divides the service without the part that the driver has measured, by the samples without those
 * of its label. The error is that of the share in all samples, an upper limit: for independent
 * samples p (1 - p) / n is reduced to p (1 - p / (1 - q)) / n if the share q is known. If all
 * samples are of the measured label, the rest is work. */
static void fill_shares(struct wait_shares *shares, unsigned column, const struct sums *s,
                        unsigned locked)
{
    const struct wait_column *c = &shares->column[column];
    const double measured = locked < WAIT_LABELS ? s->label[locked].weight : 0;
    const double weight = s->weight - measured, rest = c->service - c->locked;
    const bool sampled = weight > 1e-9 * s->weight;
    for (unsigned i = 0; i < shares->rows; i++) {
        const double part = sampled ? s->label[i].weight / weight : i == WAIT_LABEL_CPU;
        const double error = sampled ? c->service * error_of(s, &s->label[i]) : rest;
        shares->row[i].in[column] = (struct wait_share){rest * part, error};
    }
}

/* Returns the label of the waits that the driver has measured; WAIT_LABELS if there are none. */
static unsigned locked_label(const struct wait_totals *t, struct wait_names *names)
{
    for (unsigned b = 0; b < WAIT_BUCKETS; b++)
        if (t->bucket[b].locked_ns > 0) {
            const unsigned label = wait_names_label(names, WAIT_LOCKED_EVENT);
            return label == WAIT_LABEL_OTHER ? WAIT_LABELS : label;
        }
    return WAIT_LABELS;
}

/* Replaces the shares of the waits that the driver has measured. They are the only locks. */
static void fill_locked(struct wait_shares *shares, unsigned column, unsigned locked)
{
    if (locked == WAIT_LABELS)
        return;
    struct wait_row *const rows[] = {&shares->row[locked], &shares->row[WAIT_LABEL_LOCKS]};
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        rows[i]->exact = true;
        rows[i]->in[column] = (struct wait_share){shares->column[column].locked, 0};
    }
}

static void swap(struct wait_row *a, struct wait_row *b)
{
    const struct wait_row other = *a;
    *a = *b;
    *b = other;
}

/* Sorts the few rows by their shares in a column. */
static void sort_rows(struct wait_shares *shares, unsigned column)
{
    for (unsigned i = 0; i < shares->rows; i++)
        for (unsigned k = i + 1; k < shares->rows; k++)
            if (shares->row[k].in[column].share > shares->row[i].in[column].share)
                swap(&shares->row[i], &shares->row[k]);
}

/* Removes rows without samples, and the row of all locks, which the other rows contain. */
static void remove_empty(struct wait_shares *shares)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < shares->rows; i++)
        if (shares->row[i].in[WAIT_COLUMN_ALL].share > 0 && i != WAIT_LABEL_LOCKS)
            shares->row[kept++] = shares->row[i];
    shares->rows = kept;
}

static void name_rows(struct wait_shares *shares)
{
    shares->rows = shares->names.labels;
    for (unsigned i = 0; i < shares->rows; i++) {
        memcpy(shares->row[i].event, shares->names.event[i], sizeof(shares->row[i].event));
        shares->row[i].fixed = i < WAIT_LABELS_FIXED;
    }
}

static uint64_t near_of(const struct wait_totals *t)
{
    uint64_t near = 0;
    for (unsigned b = 0; b < WAIT_BUCKETS; b++)
        near += t->bucket[b].near;
    return near;
}

static uint64_t samples_of(const struct wait_totals *t)
{
    uint64_t samples = 0;
    for (unsigned b = 0; b < WAIT_BUCKETS; b++)
        samples += t->bucket[b].samples;
    return samples;
}

struct wait_shares *wait_shares_of(const struct wait_totals *totals, const struct wait_names *names,
                                   double elapsed_s)
{
    struct wait_shares *shares = xcalloc(1, sizeof(*shares));
    struct sums sums;
    shares->names = *names;
    shares->taken = samples_of(totals);
    shares->near = near_of(totals);
    shares->unmatched = totals->unmatched;
    const unsigned locked = locked_label(totals, &shares->names);
    name_rows(shares);
    for (unsigned c = 0; c < WAIT_COLUMNS; c++) {
        sum_column(totals, percentiles[c], &sums);
        fill_column(&shares->column[c], percentiles[c], &sums, elapsed_s);
        if (shares->column[c].divided) {
            shares->main = c;
            fill_shares(shares, c, &sums, locked);
        }
        fill_locked(shares, c, locked);
    }
    sum_column(totals, percentiles[shares->main], &sums);
    for (unsigned i = 0; i < shares->rows; i++)
        fill_parts(shares, i, &sums);
    fill_lock_parts(shares, &sums);
    remove_empty(shares);
    sort_rows(shares, shares->main);
    return shares;
}

static bool is_most(struct wait_share share)
{
    return share.share - share.error > 0.5;
}

struct wait_cause wait_shares_cause(const struct wait_shares *shares)
{
    const struct wait_column *c = &shares->column[WAIT_COLUMN_P99];
    const struct wait_row *row = shares->rows > 0 ? &shares->row[0] : NULL;
    if (c->late > 0.5)
        return (struct wait_cause){"client late", {c->late, 0}, NULL};
    if (c->queued > 0.5)
        return (struct wait_cause){"waiting for a worker", {c->queued, 0}, NULL};
    if ((c->divided || shares->locks.exact) && is_most(shares->locks.in[WAIT_COLUMN_P99]))
        return (struct wait_cause){"lock waits", shares->locks.in[WAIT_COLUMN_P99], &shares->locks};
    if (c->divided && row != NULL && is_most(row->in[WAIT_COLUMN_P99]))
        return (struct wait_cause){row->event, row->in[WAIT_COLUMN_P99], row};
    return (struct wait_cause){NULL, {0, 0}, NULL};
}
