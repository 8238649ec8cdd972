/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/capacity/capacity_fit.h"

#include <math.h>

#include "stats/noise.h"

/* Error probability of the interval. */
#define DOUBT 0.05

double fit_limit(const struct fit *fit, double share)
{
    return noise_limit((struct noise){share * fit->noise * fit->noise, (double)fit->n - 2}, DOUBT);
}

struct sums {
    /* Means of x and y; sums of products of the deviations from these means. */
    double n, x, y, xx, xy, yy;
};

static struct sums sum_up(const struct fit_point *point, size_t n)
{
    struct sums s = {.n = (double)n};
    for (size_t i = 0; i < n; i++) {
        s.x += point[i].x / s.n;
        s.y += point[i].y / s.n;
    }
    for (size_t i = 0; i < n; i++) {
        double dx = point[i].x - s.x, dy = point[i].y - s.y;
        s.xx += dx * dx;
        s.xy += dx * dy;
        s.yy += dy * dy;
    }
    return s;
}

/*
 * Fieller's confidence set (E. C. Fieller, J. R. Stat. Soc. B 16, 1954): all x at which a t-test
 * does not reject that the line is zero there,
 *
 *     (ȳ + b d)² ≤ t² s² (1/n + d²/Sxx),   d = x − x̄.
 *
 * The set is the span between the two solutions of a quadratic equation if b² > t² s²/Sxx.
 */
static void find_interval(struct fit *f, const struct sums *s)
{
    double limit = fit_limit(f, 1), variance = limit * limit;
    double a = f->slope * f->slope - variance / s->xx, b = s->y * f->slope;
    double c = s->y * s->y - variance / s->n;
    f->bounded = f->slope < 0 && a > 0;
    if (!f->bounded)
        return;
    double width = sqrt(fmax(0, b * b - a * c));
    f->low = s->x + (-b - width) / a;
    f->high = s->x + (-b + width) / a;
}

struct fit fit_line(const struct fit_point *point, size_t n)
{
    struct sums s = sum_up(point, n);
    struct fit f = {.n = n};
    if (n < 2 || !(s.xx > 0))
        return (struct fit){0};
    f.slope = s.xy / s.xx;
    f.at_zero = s.y - f.slope * s.x;
    f.root = f.slope != 0 ? -f.at_zero / f.slope : s.x;
    if (n < 3)
        return f;
    f.noise = sqrt(fmax(0, s.yy - f.slope * s.xy) / (s.n - 2));
    find_interval(&f, &s);
    return f;
}
