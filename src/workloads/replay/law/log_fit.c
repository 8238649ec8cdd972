/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/law/log_fit.h"

#include <math.h>
#include <stdio.h>

#include "base/util.h"

/* Fewer windows are not used for a decision. */
#define WINDOWS_LEAST 20
/* An index must exceed that of independent gaps by this factor and this many standard errors. */
#define GROWTH 1.5
#define ERRORS 4
/* A CV that differs from 1 by less than this is that of exponential gaps. */
#define CV_NEAR 0.03
/* Bounds of gamma(CV). */
#define CV_LEAST 0.1
#define CV_MOST 5
/* Arrivals in a window from which on the index of independent gaps is near CV². */
#define MANY 10
/* Normal quantile for 0.1 %. */
#define QUANTILE 3.09
#define STATE_LEAST_S 1e-3
#define CURVES 400
/* A rate whose memory, 1/c, is longer than a piece is imitated by the curve. */
#define SWITCHES 1
/* If the rate is forgotten within a piece, neighbouring pieces have a correlation of at most 0.54,
 * and a roughness of at least 0.9 on average. */
#define ROUGHNESS_LEAST 0.5

double log_fit_index(const struct log_fit *fit, const struct log_law *law,
                     const struct log_scale *scale)
{
    (void)law;
    return fit->curve ? scale->curve_index : scale->index;
}

static bool is_useful(const struct log_fit *fit, const struct log_law *law,
                      const struct log_scale *scale)
{
    return scale->windows >= WINDOWS_LEAST && !isnan(log_fit_index(fit, law, scale));
}

/* Standard error of an index, relative to it, if the numbers are nearly normal. */
static double relative_error(const struct log_scale *scale)
{
    return sqrt(2 / (double)scale->windows);
}

/* Returns the index of dispersion of the numbers of arrivals in the pieces of the curve. */
static double index_of_pieces(const struct log_law *law)
{
    double sum = 0;
    for (unsigned i = 0; i < law->pieces; i++) {
        const double expected = law->mean * law->piece[i].length_s;
        const double off = (double)law->piece[i].count - expected;
        sum += off * off / expected;
    }
    return sum / (law->pieces - 1);
}

/* Upper 0.1 % quantile of chi²/n with n degrees of freedom (E. B. Wilson, M. M. Hilferty, 1931). */
static double chi_square_bound(double n)
{
    const double part = 2 / (9 * n);
    return pow(1 - part + QUANTILE * sqrt(part), 3);
}

/* Returns true if the rate changes by more than the variation around the curve explains. */
static bool rate_changes(const struct log_law *law)
{
    double within = NAN;
    if (law->pieces < 2)
        return false;
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++)
        if (law->scale[i].windows >= WINDOWS_LEAST && !isnan(law->scale[i].curve_index))
            within = law->scale[i].curve_index;
    return !isnan(within) &&
           index_of_pieces(law) > fmax(within, 0.01) * chi_square_bound(law->pieces - 1);
}

/* Sets the CV; from the index of a window if the clock of the log is too coarse for gaps. Returns
 * its standard error: that of n gamma gaps is about CV √((1 + 3 CV²/2)/n). */
static double find_cv(struct log_fit *fit, const struct log_law *law)
{
    fit->cv = fit->curve ? law->curve_cv : law->cv;
    if (!isnan(fit->cv))
        return fit->cv * sqrt((1 + 1.5 * fit->cv * fit->cv) / (double)law->count);
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *scale = &law->scale[i];
        if (!is_useful(fit, law, scale) || law->mean * scale->window_s < MANY)
            continue;
        fit->cv_window_s = scale->window_s;
        fit->cv = sqrt(log_fit_index(fit, law, scale));
        return fit->cv * relative_error(scale) / 2;
    }
    return NAN;
}

static bool has_states(const struct log_fit *fit, const struct log_law *law)
{
    const double independent = fmax(1, fit->cv * fit->cv);
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *scale = &law->scale[i];
        if (!is_useful(fit, law, scale))
            continue;
        const double index = log_fit_index(fit, law, scale);
        if (index > GROWTH * independent &&
            index - independent > ERRORS * index * relative_error(scale))
            return true;
    }
    return false;
}

/* The part of A that windows of length x/c see. */
static double seen_part(double x)
{
    return x < 1e-4 ? x / 2 : 1 + expm1(-x) / x;
}

/* Fits A for a given c by weighted least squares. Returns the sum of squared, weighted errors. */
static double fit_height(const struct log_fit *fit, const struct log_law *law, double c,
                         double *height)
{
    double cross = 0, square = 0, error = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
            const struct log_scale *scale = &law->scale[i];
            if (!is_useful(fit, law, scale))
                continue;
            const double index = fmax(1e-3, log_fit_index(fit, law, scale));
            const double weight = (double)scale->windows / (index * index);
            const double part = seen_part(c * scale->window_s);
            cross += pass == 0 ? weight * part * (index - 1) : 0;
            square += pass == 0 ? weight * part * part : 0;
            const double off = index - 1 - *height * part;
            error += pass == 1 ? weight * off * off : 0;
        }
        *height = cross / square;
    }
    return error;
}

/* Finds the sum of the rates of switching, per second. */
static double find_switching(const struct log_fit *fit, const struct log_law *law, double *height)
{
    double best = INFINITY, found = NAN;
    const double least = 1 / fmax(60, law->span_s), most = 2e3;
    for (int i = 0; i <= CURVES; i++) {
        const double c = least * pow(most / least, (double)i / CURVES);
        double a = 0;
        const double error = fit_height(fit, law, c, &a);
        if (error < best && a > 0) {
            best = error;
            found = c;
            *height = a;
        }
    }
    return found;
}

/* Returns the skewness of the rate, from windows that are about as long as the rate remembers. */
static double rate_skewness(const struct log_fit *fit, const struct log_law *law, double c,
                            double variance)
{
    const struct log_scale *best = NULL;
    for (unsigned i = 0; i < LOG_LAW_SCALES; i++) {
        const struct log_scale *scale = &law->scale[i];
        if (is_useful(fit, law, scale) &&
            (best == NULL || fabs(log(c * scale->window_s)) < fabs(log(c * best->window_s))))
            best = scale;
    }
    if (best == NULL)
        return 0;
    const double w = best->window_s, x = c * w;
    const double g2 = 1 - exp(-x) * (1 + x), g3 = 2 - exp(-x) * (x * x + 2 * x + 2);
    const double part = x < 1e-2 ? 1 : 6 * (g2 / (x * x) - g3 / (x * x * x));
    return best->third[fit->curve] / (part * w * w * w) / pow(variance, 1.5);
}

/* Writes a time without needless digits, such as "200ms". */
static int write_time(char *text, size_t bytes, double s)
{
    s = fmax(s, STATE_LEAST_S);
    return s < 1 ? snprintf(text, bytes, "%.3gms", s * 1e3)
                 : snprintf(text, bytes, s < 100 ? "%.3gs" : "%.0fs", s);
}

static void write_mmpp(struct log_fit *fit, double low, double high, double low_s, double high_s)
{
    char times[2][32];
    write_time(times[0], sizeof(times[0]), low_s);
    write_time(times[1], sizeof(times[1]), high_s);
    snprintf(fit->arrival, sizeof(fit->arrival), "mmpp(%.4g,%.4g,%s,%s)", low, high, times[0],
             times[1]);
}

static void fit_states(struct log_fit *fit, const struct log_law *law)
{
    double height = 0;
    const double c = find_switching(fit, law, &height);
    fit->kind = "mmpp";
    fit->remark = NULL;
    if (isnan(c))
        return;
    const double mean = law->mean, variance = height * mean * c / 2;
    const double skew = rate_skewness(fit, law, c, variance);
    double p = (1 - skew / sqrt(4 + skew * skew)) / 2;
    p = fmin(0.999, fmax(0.001, p));
    double low = mean - p * sqrt(variance / (p * (1 - p)));
    double high = mean + (1 - p) * sqrt(variance / (p * (1 - p)));
    if (low < 0) { /* keeps mean and variance, and gives up the third moment */
        p = mean * mean / (mean * mean + variance);
        low = 0;
        high = mean / p;
    }
    write_mmpp(fit, low, high, 1 / (c * p), 1 / (c * (1 - p)));
}

static void fit_gaps(struct log_fit *fit, double error)
{
    if (fabs(fit->cv - 1) < fmax(CV_NEAR, ERRORS * error))
        fit->kind = "poisson";
    else
        fit->kind = fit->cv < CV_LEAST ? "constant" : "gamma";
    if (fit->cv > CV_MOST)
        fit->remark = "the gaps vary more than those of gamma(5), the largest CV";
    if (fit->kind[0] == 'g')
        snprintf(fit->arrival, sizeof(fit->arrival), "gamma(%.3g)", fmin(CV_MOST, fit->cv));
    else
        snprintf(fit->arrival, sizeof(fit->arrival), "%s", fit->kind);
}

/* Returns the mean square of the differences between neighbouring pieces over their variance (J. von
 * Neumann, 1941): about 2 if the pieces are independent, and near 0 if the rate changes slowly. The
 * last piece, which may be longer, is left out. */
static double roughness(const struct log_law *law)
{
    double differences = 0, squares = 0;
    for (unsigned i = 0; i + 1 < law->pieces; i++) {
        const double off = (double)law->piece[i].count - law->mean * law->piece_s;
        squares += off * off;
        if (i > 0)
            differences += pow((double)law->piece[i].count - (double)law->piece[i - 1].count, 2);
    }
    return squares > 0 ? differences / squares : 0;
}

/* Returns true if a rate with two states, which changes often within each piece of the curve,
 * explains how much the pieces differ. */
static bool is_stationary(const struct log_law *law)
{
    struct log_fit flat = {.curve = false};
    double height = 0;
    if (roughness(law) < ROUGHNESS_LEAST || isnan(find_cv(&flat, law)) || !has_states(&flat, law))
        return false;
    const double x = find_switching(&flat, law, &height) * law->piece_s;
    return x >= SWITCHES && index_of_pieces(law) <= (1 + height * seen_part(x)) *
                                                       chi_square_bound(law->pieces - 1);
}

void log_fit(struct log_fit *fit, const struct log_law *law)
{
    *fit = (struct log_fit){.curve = rate_changes(law) && !is_stationary(law)};
    const double error = find_cv(fit, law);
    if (isnan(fit->cv))
        fit->remark = "the log is too short for its law";
    else if (has_states(fit, law))
        fit_states(fit, law);
    else
        fit_gaps(fit, error);
}
