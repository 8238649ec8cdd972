/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/histogram_text.h"

#include <inttypes.h>
#include <math.h>

enum { BAR_WIDTH = 40 };

void histogram_text_rows(FILE *out, const double *values, const uint64_t *counts, unsigned n)
{
    static const char bar[] = "****************************************";
    uint64_t largest = 0;

    for (unsigned i = 0; i < n; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    if (largest == 0)
        return;
    fputs("       value  ------------- distribution ------------- count\n", out);
    for (unsigned i = 0; i < n; i++) {
        if (counts[i] == 0)
            continue;
        int length = (int)floor((double)counts[i] / (double)largest * BAR_WIDTH + 0.5);
        fprintf(out, "%12.3f |%-40.*s %" PRIu64 "\n", values[i], length, bar, counts[i]);
    }
}
