/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the table: a line for each check. */
#include <math.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "tools/selftest/selftest_internal.h"

/* Writes "±0.12", "-0.12 +0.15", "+0.15", or "at least" if there is no upper bound. */
static void print_tolerance(char *buf, size_t bytes, double below, double above)
{
    if (isinf(above))
        snprintf(buf, bytes, "at least");
    else if (below == 0 && above > 0)
        snprintf(buf, bytes, "+%.4g", above);
    else if (below == above)
        snprintf(buf, bytes, "±%.4g", below);
    else
        snprintf(buf, bytes, "-%.4g +%.4g", below, above);
}

void selftest_check(struct selftest *t, const char *what, double expected, double measured,
                    double below, double above)
{
    char tolerance[64];
    if (interrupt_signal() != 0)
        return; /* an interrupted run proves nothing */
    /* Written so that NaN fails. */
    bool pass = measured >= expected - below && measured <= expected + above;
    print_tolerance(tolerance, sizeof(tolerance), below, above);
    *(pass ? &t->passed : &t->failed) += 1;
    printf("%-16s  %-34s %10.5g %10.5g   %-18s %s\n", t->name, what, expected, measured, tolerance,
           pass ? "pass" : "FAIL");
    log_flush_stdout();
}

/*
 * The replayed figure is a lower bound of the reported one, except for 0.1 % because of the
 * histogram and another 0.1 % for requests that two workers, woken at the same time, take in the
 * opposite order.
 */
void selftest_check_figure(struct selftest *t, const struct figure *f, double below, double above)
{
    char what[64];
    snprintf(what, sizeof(what), "%s, replayed", f->name);
    selftest_check(t, what, f->replayed, f->reported, 2e-3 * f->replayed, INFINITY);
    snprintf(what, sizeof(what), "%s, formula", f->name);
    selftest_check(t, what, f->formula, f->reported, below,
                   above + fmax(0, f->reported - f->replayed));
}
