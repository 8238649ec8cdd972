/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes how far a probe is from the edge, where the objectives are just met. */
#include <math.h>

#include "tools/capacity/capacity_internal.h"

static double margin_of(const struct slo_objective *o, const struct slo_figure *f)
{
    bool unknown = !f->known || (f->lower_bound && f->value < o->limit);
    if (unknown)
        return -CAPACITY_MARGIN_MAX;
    return o->kind == SLO_ERRORS ? 1 - f->value / o->limit : o->limit / fmax(f->value, 1e-6) - 1;
}

/* A maximum does not converge with the length of a run. The share of errors has no bias. */
static bool depends_on_length(const struct slo_objective *o)
{
    return o->kind == SLO_PERCENTILE || o->kind == SLO_MEAN;
}

/*
 * Parts in which nothing was measured cannot be used for a correction. Runs with censored response
 * times cannot either, because the last part has all of them and checkpoints have no such times.
 */
static bool are_comparable(const struct slo_objective *o, const struct snapshot *part, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        const struct distribution *response = slo_responses(o, &part[i]);
        if (response == NULL || response->count == 0 || response->censored > 0)
            return false;
    }
    return parts > 1;
}

static double mean_margin(const struct slo *slo, unsigned objective, const struct snapshot *part,
                          size_t parts)
{
    struct slo_judgement j;
    double sum = 0;
    for (size_t i = 0; i < parts; i++) {
        slo_judge(&j, slo, &part[i], NS_PER_SEC);
        sum += margin_of(&slo->objective[objective], &j.figure[objective]);
    }
    return sum / (double)parts;
}

/*
 * The margin of a short run has a bias of about β/length (docs/capacity.md): β/T for the whole run
 * and k β/T for each of its k parts. This removes the bias (jackknife; M. H. Quenouille, Biometrika
 * 43, 1956).
 */
static double corrected(double whole, double parts_mean, size_t k)
{
    return whole - (parts_mean - whole) / (double)(k - 1);
}

double capacity_margin(const struct slo_judgement *j, const struct snapshot *part, size_t parts)
{
    double smallest = CAPACITY_MARGIN_MAX;
    for (unsigned i = 0; i < j->slo->count; i++) {
        const struct slo_objective *o = &j->slo->objective[i];
        if (j->figure[i].none)
            continue;
        double margin = margin_of(o, &j->figure[i]);
        if (depends_on_length(o) && are_comparable(o, part, parts))
            margin = corrected(margin, mean_margin(j->slo, i, part, parts), parts);
        smallest = fmin(smallest, margin);
    }
    return fmax(smallest, -CAPACITY_MARGIN_MAX);
}
