/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_quality.h"

#include <inttypes.h>

void report_quality_line(FILE *out, double end, const struct quality_totals *qualities)
{
    if (qualities->count == 0)
        return;
    fprintf(out, "[ %.15gs ] quality:", end);
    for (unsigned i = 0; i < qualities->count; i++) {
        const struct quality_total *q = &qualities->quality[i];
        if (q->count > 0)
            fprintf(out, " %s %.4f (of %" PRIu64 ")", q->name, q->mean, q->count);
        else
            fprintf(out, " %s -", q->name);
    }
    fputc('\n', out);
}

static void print_quality(FILE *out, const struct quality_total *q)
{
    double half_width;
    fprintf(out, "    %-36s ", q->name);
    if (q->count == 0)
        fputs("nothing measured", out);
    else
        fprintf(out, "%.4f", q->mean);
    if (quality_half_width(q, &half_width))
        fprintf(out, ", 95 %% interval %.4f to %.4f, of %" PRIu64 " values", q->mean - half_width,
                q->mean + half_width, q->count);
    fputc('\n', out);
}

void report_quality(FILE *out, const struct quality_totals *qualities)
{
    if (qualities->count == 0)
        return;
    fputs("Quality:\n", out);
    for (unsigned i = 0; i < qualities->count; i++)
        print_quality(out, &qualities->quality[i]);
    fputc('\n', out);
}
