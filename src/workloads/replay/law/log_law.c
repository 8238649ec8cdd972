/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/law/log_law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* A variance from fewer windows is too uncertain; more windows take too long. */
#define WINDOWS_FEW 10
#define WINDOWS_MANY 2e7
/* Windows are compared with a curve whose pieces are at least this many windows long. */
#define PIECE_WINDOWS 5
/* The times of a clock that ticks are off by a variance of tick²/12. Up to this many ticks per gap,
 * the CV is off by at most 0.25/6/2 = 2 % at a CV of 1. */
#define TICKS_PER_GAP 0.5

/* Each length of a bin is a multiple of the one before. */
static const double bin_s[] = {1, 10, 60, 600, 3600, 86400};
/* Lengths of the pieces of a curve. */
static const double piece_lengths_s[] = {1,     2,      5,        10,       30,      60,
                                         300,   600,    1800,     3600,     7200,    21600,
                                         86400, 604800, 2.4192e6, 3.1536e7, 3.1536e8};
static const double windows_s[LOG_LAW_SCALES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                                                 1,    2,    5,    10,  20,  60};

/* Makes the bins longer. */
static void widen(struct log_curve *c)
{
    const size_t ratio = (size_t)lround(bin_s[c->step + 1] / bin_s[c->step]);
    for (size_t i = 0; i < LOG_CURVE_BINS; i++) {
        const uint32_t count = c->bins[i];
        c->bins[i] = 0;
        c->bins[i / ratio] += count;
    }
    c->step++;
}

void log_curve_add(struct log_curve *c, double at_s)
{
    while (at_s / bin_s[c->step] >= LOG_CURVE_BINS && c->step + 1 < ARRAY_SIZE(bin_s))
        widen(c);
    const double place = fmin(at_s / bin_s[c->step], LOG_CURVE_BINS - 1);
    c->bins[(size_t)place]++;
    c->count++;
    c->last_s = at_s;
}

static double piece_length(double span_s)
{
    size_t i = 0;
    while (i + 1 < ARRAY_SIZE(piece_lengths_s) && span_s / piece_lengths_s[i] > LOG_CURVE_PIECES)
        i++;
    return piece_lengths_s[i];
}

/* Divides the log into pieces. Bins are at most as long as a piece. */
static void make_pieces(struct log_law *law, const struct log_curve *c)
{
    const double bin = bin_s[c->step];
    law->piece_s = fmax(piece_length(law->span_s), bin);
    law->pieces = (unsigned)fmax(1, fmin(LOG_CURVE_PIECES, floor(law->span_s / law->piece_s)));
    for (unsigned i = 0; i < law->pieces; i++)
        law->piece[i] = (struct log_piece){.from_s = i * law->piece_s, .length_s = law->piece_s};
    struct log_piece *last = &law->piece[law->pieces - 1];
    last->length_s = law->span_s - last->from_s;
    for (size_t i = 0; i < LOG_CURVE_BINS; i++)
        if (c->bins[i] > 0) {
            const double place = ((double)i + 0.5) * bin / law->piece_s;
            law->piece[(unsigned)fmin(place, law->pieces - 1)].count += c->bins[i];
        }
}

static double bounded_rate(double rate)
{
    return fmin(RATE_MAX, fmax(RATE_MIN, rate));
}

/* Writes the curve as a value of --tx-rate, and reads it again, so that the law is that around the
 * rate which a run will have. */
static void make_profile(struct log_law *law)
{
    FILE *out = checked_alloc(fmemopen(law->profile_text, sizeof(law->profile_text), "w"));
    for (unsigned i = 0; i < law->pieces; i++) {
        const struct log_piece *p = &law->piece[i];
        const double at_s = p->from_s + p->length_s / 2;
        fprintf(out, "%s%.10gs:%.6g", i > 0 ? "," : "", at_s,
                bounded_rate((double)p->count / p->length_s));
    }
    fclose(out);
    if (law->pieces > 1 && rate_profile_parse(&law->profile, law->profile_text) == NULL)
        return;
    /* One piece, or times that --tx-rate does not allow: decades. */
    law->pieces = 1;
    law->piece[0] = (struct log_piece){.length_s = law->span_s, .count = law->count};
    snprintf(law->profile_text, sizeof(law->profile_text), "%.9g", bounded_rate(law->mean));
    rate_profile_parse(&law->profile, law->profile_text);
}

/* Returns false if a window of this length cannot be judged by this log. */
static bool is_counted(const struct log_law *law, double window_s)
{
    const double windows = law->span_s / window_s;
    return windows >= WINDOWS_FEW && windows <= WINDOWS_MANY && window_s >= law->tick_s;
}

void log_law_init(struct log_law *law, const struct log_curve *curve, double tick_s)
{
    *law = (struct log_law){.count = curve->count, .span_s = curve->last_s, .tick_s = tick_s};
    law->mean = law->span_s > 0 ? (double)law->count / law->span_s : 0;
    law->last_s = -1;
    if (law->span_s > 0) {
        make_pieces(law, curve);
        make_profile(law);
    }
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        struct log_scale *scale = &law->scale[i];
        *scale = (struct log_scale){
            .window_s = windows_s[i], .index = NAN, .curve_index = NAN, .third = {NAN, NAN}};
        if (law->span_s > 0 && is_counted(law, windows_s[i]))
            scale->windows = (uint64_t)floor(law->span_s / windows_s[i]);
    }
}

void log_law_fini(struct log_law *law)
{
    rate_profile_fini(&law->profile);
}

/* Ends the current window of a scale. */
static void end_window(const struct log_law *law, const struct log_scale *scale,
                       struct log_window *w)
{
    const double until_s = (double)(w->next + 1) * scale->window_s;
    const double expected = rate_profile_arrivals(&law->profile, until_s);
    const double off[2] = {(double)w->arrivals - law->mean * scale->window_s,
                           (double)w->arrivals - (expected - w->expected)};
    for (unsigned k = 0; k < 2; k++) {
        w->sum[k][0] += off[k];
        w->sum[k][1] += off[k] * off[k];
        w->sum[k][2] += off[k] * off[k] * off[k];
    }
    w->expected = expected;
    w->arrivals = 0;
    w->next++;
}

static void add_gap(struct log_gaps *g, double gap)
{
    const double off = gap - g->mean;
    g->count++;
    g->mean += off / (double)g->count;
    g->square += off * (gap - g->mean);
}

void log_law_add(struct log_law *law, double at_s)
{
    if (law->span_s <= 0)
        return;
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *scale = &law->scale[i];
        struct log_window *w = &law->window[i];
        if (w->next >= scale->windows)
            continue;
        while (w->next < scale->windows && at_s >= (double)(w->next + 1) * scale->window_s)
            end_window(law, scale, w);
        w->arrivals += w->next < scale->windows;
    }
    const double expected = rate_profile_arrivals(&law->profile, at_s);
    if (law->last_s >= 0) {
        add_gap(&law->gaps[0], at_s - law->last_s);
        add_gap(&law->gaps[1], expected - law->last_expected);
    }
    law->last_s = at_s;
    law->last_expected = expected;
}

/* Sets the figures of a scale from the sums of deviations `k`. The number of degrees of freedom
 * that the estimated rate takes from the variance is `taken`. Returns the index. */
static double index_of(struct log_scale *scale, const struct log_window *w, unsigned k,
                       double taken)
{
    const double n = (double)scale->windows, mean_off = w->sum[k][0] / n;
    const double square = w->sum[k][1] / n - mean_off * mean_off;
    const double cube =
        w->sum[k][2] / n - 3 * mean_off * w->sum[k][1] / n + 2 * mean_off * mean_off * mean_off;
    const double variance = square / (1 - taken / n), mean = scale->third[k];
    scale->third[k] = cube - 3 * variance + 2 * mean;
    return variance / mean;
}

bool log_law_curve_is_coarse(const struct log_law *law, const struct log_scale *scale)
{
    return law->pieces > 1 && scale->window_s * PIECE_WINDOWS <= law->piece_s * (1 + 1e-9);
}

/*
 * The curve takes some variance away, because it follows the random number of arrivals in each
 * piece. It is linear between the middles of pieces, so each point has a mean weight of 3/4 for its
 * own piece, and a mean sum of squared weights of 2/3. If the windows are independent, 1 − (2 · 3/4
 * − 2/3)/m of the variance is left, where m is the number of windows per piece.
 */
#define CURVE_TAKES (2 * 0.75 - 2.0 / 3)

static void end_scale(const struct log_law *law, struct log_scale *scale, struct log_window *w)
{
    while (w->next < scale->windows)
        end_window(law, scale, w);
    if (scale->windows == 0)
        return;
    scale->third[0] = scale->third[1] = law->mean * scale->window_s;
    scale->index = index_of(scale, w, 0, 1);
    if (log_law_curve_is_coarse(law, scale))
        scale->curve_index = index_of(scale, w, 1, CURVE_TAKES * law->pieces);
}

static double cv_of(const struct log_law *law, const struct log_gaps *g)
{
    if (g->count < WINDOWS_FEW || law->tick_s * law->mean > TICKS_PER_GAP || g->mean <= 0)
        return NAN;
    return sqrt(g->square / (double)(g->count - 1)) / g->mean;
}

void log_law_end(struct log_law *law)
{
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++)
        end_scale(law, &law->scale[i], &law->window[i]);
    law->cv = cv_of(law, &law->gaps[0]);
    law->curve_cv = cv_of(law, &law->gaps[1]);
}
