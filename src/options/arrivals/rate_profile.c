/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/arrivals/rate_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

static const char BAD_RATE[] =
    "a rate from 0.000001 to 10000000000 per second, or 0 for a closed loop; "
    "TIME:RATE,TIME:RATE,... or sine(MEAN,AMPLITUDE,PERIOD) for a rate that changes";
static const char BAD_POINT[] =
    "points TIME:RATE with rates from 0 to 10000000000 and times (ms, s, m or h) "
    "that do not decrease";
static const char BAD_SINE[] =
    "sine(MEAN,AMPLITUDE,PERIOD) with 0 <= AMPLITUDE <= MEAN and PERIOD > 0";
static const char ALL_ZERO[] = "at least one rate above 0";

static bool read_rate(const char **text, double min, double max, double *rate)
{
    return quantity_read_count(text, rate) && *rate >= min && *rate <= max;
}

static bool skip(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

static const char *parse_sine(struct rate_profile *profile, const char *text)
{
    struct rate_profile p = {0};
    bool good = read_rate(&text, RATE_MIN, RATE_MAX, &p.mean) && skip(&text, ',') &&
                read_rate(&text, 0, p.mean, &p.amplitude) && skip(&text, ',') &&
                quantity_read_time(&text, &p.period_s) && p.period_s > 0 && skip(&text, ')') &&
                *text == '\0';
    if (!good)
        return BAD_SINE;
    *profile = p;
    return NULL;
}

/* Computes the integral up to each point. The rate is linear between points, so each part is a
 * trapezoid. */
static void integrate(struct rate_point *points, unsigned count)
{
    points[0].arrivals = points[0].rate * points[0].at_s;
    for (unsigned i = 1; i < count; i++) {
        double mean_rate = (points[i - 1].rate + points[i].rate) / 2;
        points[i].arrivals =
            points[i - 1].arrivals + mean_rate * (points[i].at_s - points[i - 1].at_s);
    }
}

static bool read_point(const char **text, struct rate_point *point)
{
    return quantity_read_time(text, &point->at_s) && skip(text, ':') &&
           read_rate(text, 0, RATE_MAX, &point->rate);
}

static const char *parse_points(struct rate_profile *profile, const char *text)
{
    struct rate_point *points = NULL;
    unsigned count = 0;
    double sum = 0, last_s = 0;
    do {
        points = xrealloc(points, (count + 2) * sizeof(*points));
        struct rate_point *point = &points[count + 1];
        if (!read_point(&text, point) || point->at_s < last_s) {
            free(points);
            return BAD_POINT;
        }
        last_s = point->at_s;
        sum += point->rate;
        count++;
    } while (skip(&text, ','));
    if (*text != '\0' || sum < RATE_MIN) {
        free(points);
        return *text != '\0' ? BAD_POINT : ALL_ZERO;
    }
    points[0] = (struct rate_point){.at_s = 0, .rate = points[1].rate};
    integrate(points, count + 1);
    *profile = (struct rate_profile){.points = points, .count = count + 1};
    return NULL;
}

static const char *parse_constant(struct rate_profile *profile, const char *text)
{
    double rate;
    if (!read_rate(&text, 0, RATE_MAX, &rate) || *text != '\0' || (rate > 0 && rate < RATE_MIN))
        return BAD_RATE;
    struct rate_point *point = xcalloc(1, sizeof(*point));
    point->rate = rate;
    *profile = (struct rate_profile){.points = point, .count = 1};
    return NULL;
}

const char *rate_profile_parse(struct rate_profile *profile, const char *text)
{
    static const char sine[] = "sine(";
    if (strncmp(text, sine, sizeof(sine) - 1) == 0)
        return parse_sine(profile, text + sizeof(sine) - 1);
    return strchr(text, ':') != NULL ? parse_points(profile, text) : parse_constant(profile, text);
}

const char *rate_profile_check(const char *text)
{
    struct rate_profile profile = {0};
    const char *allowed = rate_profile_parse(&profile, text);
    rate_profile_fini(&profile);
    return allowed;
}

void rate_profile_fini(struct rate_profile *profile)
{
    free(profile->points);
    *profile = (struct rate_profile){0};
}

bool rate_profile_is_constant(const struct rate_profile *profile)
{
    return profile->count == 1;
}

double rate_profile_highest(const struct rate_profile *profile)
{
    double highest = profile->mean + profile->amplitude;
    for (unsigned i = 0; i < profile->count; i++)
        highest = fmax(highest, profile->points[i].rate);
    return highest;
}

static double sine_arrivals(const struct rate_profile *p, double at_s)
{
    double w = 2 * M_PI / p->period_s;
    return p->mean * at_s + p->amplitude / w * (1 - cos(w * at_s));
}

/* The wave adds between 0 and 2·amplitude/w arrivals to mean · t, which brackets the root.
 * Bisection down to the precision of a double always ends. */
static double sine_time(const struct rate_profile *p, double arrivals)
{
    double w = 2 * M_PI / p->period_s;
    double low = fmax(0, (arrivals - 2 * p->amplitude / w) / p->mean), high = arrivals / p->mean;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (sine_arrivals(p, middle) < arrivals)
            low = middle;
        else
            high = middle;
    }
}

/* Returns the change of the rate per second after point i. The last rate stays constant. */
static double slope(const struct rate_profile *p, unsigned i)
{
    if (i + 1 == p->count)
        return 0;
    double span_s = p->points[i + 1].at_s - p->points[i].at_s;
    return span_s > 0 ? (p->points[i + 1].rate - p->points[i].rate) / span_s : 0;
}

double rate_profile_arrivals(const struct rate_profile *p, double at_s)
{
    if (p->count == 1)
        return at_s * p->points[0].rate;
    if (p->points == NULL)
        return sine_arrivals(p, at_s);
    unsigned i = p->count - 1;
    while (i > 0 && p->points[i].at_s > at_s)
        i--;
    double x = at_s - p->points[i].at_s;
    return p->points[i].arrivals + x * (p->points[i].rate + slope(p, i) * x / 2);
}

double rate_profile_time(const struct rate_profile *p, double arrivals)
{
    if (p->count == 1)
        return arrivals / p->points[0].rate;
    if (p->points == NULL)
        return sine_time(p, arrivals);
    unsigned i = p->count - 1;
    while (i > 0 && p->points[i].arrivals > arrivals)
        i--;
    /* Solves rate·x + slope·x²/2 = n in a form that loses no digits if the slope is near 0. */
    double n = arrivals - p->points[i].arrivals, rate = p->points[i].rate;
    double root = sqrt(fmax(0, rate * rate + 2 * slope(p, i) * n));
    return n > 0 ? p->points[i].at_s + 2 * n / (rate + root) : p->points[i].at_s;
}
