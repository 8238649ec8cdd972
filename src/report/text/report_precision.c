/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 95 % intervals of the mean and the percentiles of the response times. */
#include <inttypes.h>

#include "base/util.h"
#include "report/text/report.h"
#include "report/text/report_text.h"

static void print_figure(FILE *out, const struct precision_figure *figure)
{
    const struct confidence *c = &figure->confidence;
    if (!c->known && c->needs <= 0)
        return;
    fprintf(out, "%12s  ",
            figure->percentile == PRECISION_MEAN
                ? "mean"
                : report_percentile_label(figure->percentile).text);
    if (c->known)
        fprintf(out, " %12.3f to %.3f\n", (double)c->low_ns / NS_PER_MS,
                (double)c->high_ns / NS_PER_MS);
    else
        fprintf(out, "  not known: needs %.0f times as many requests\n", c->needs);
}

void report_precision(FILE *out, const struct precision *precision)
{
    if (precision->batches == 0)
        return;
    fprintf(out, "Precision (ms): 95 %% intervals of the response times, from %u batches\n",
            precision->batches);
    for (unsigned i = 0; i < precision->count; i++)
        print_figure(out, &precision->figure[i]);
    fputc('\n', out);
}
