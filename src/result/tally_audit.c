/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/tally_audit.h"

#include <math.h>

#define Z 4.0

static void wilson(struct remark_audit *a, double n)
{
    const double p = a->mean, z2 = Z * Z / n;
    const double middle = (p + z2 / 2) / (1 + z2);
    const double half = Z * sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2);
    a->from = fmax(0, middle - half);
    a->to = fmin(1, middle + half);
}

static void normal(struct remark_audit *a, double n, double squares)
{
    const double half = Z * sqrt(fmax(0, squares / n - a->mean * a->mean) / n);
    a->from = a->mean - half;
    a->to = a->mean + half;
}

static enum audit_state state_of(const struct remark_audit *a)
{
    if (a->mean >= a->low && a->mean <= a->high)
        return AUDIT_HOLDS;
    return a->to >= a->low && a->from <= a->high ? AUDIT_BY_CHANCE : AUDIT_FAILS;
}

static void audit_one(struct remark_audit *a, const struct tally_total *t)
{
    a->state = AUDIT_EMPTY;
    a->count = t != NULL ? t->count : 0;
    if (a->count == 0)
        return;
    const double n = (double)t->count;
    a->mean = (double)t->sum / n;
    if (a->share)
        wilson(a, n);
    else
        normal(a, n, (double)t->squares);
    a->state = state_of(a);
}

void tally_audit(struct remarks *remarks, const struct tally_totals *tallies)
{
    for (unsigned i = 0; i < remarks->audits; i++)
        audit_one(&remarks->audit[i], tally_totals_named(tallies, remarks->audit[i].tally));
}

unsigned tally_audit_failures(const struct remarks *remarks)
{
    unsigned failures = 0;
    for (unsigned i = 0; i < remarks->audits; i++)
        failures += remarks->audit[i].state == AUDIT_FAILS;
    return failures;
}
