/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says of its own worth. */
#include "report/report.h"

#include <math.h>

static void print_share(FILE *out, const char *name, double share, const char *of)
{
    char text[64] = "unknown";
    if (share >= 0)
        snprintf(text, sizeof(text), "%.1f %% of %s", 100 * share, of);
    fprintf(out, "    %-36s %s\n", name, text);
}

static void print_fit(FILE *out, const struct trust *trust)
{
    if (trust->verdict.ks_critical > 0)
        fprintf(out, "    %-36s %.4f (Kolmogorov-Smirnov; chance alone: below %.4f)\n",
                "distance of gaps from exponential:", trust->evidence.goodness,
                trust->verdict.ks_critical);
    else
        fprintf(out, "    %-36s %.4f of the mean gap\n",
                "deviation of gaps:", trust->evidence.goodness);
}

static void print_little(FILE *out, const struct little *little)
{
    double gap = fabs(little->in_system - little->by_law);
    fprintf(out, "    %-36s %.3f in the system, %.3f by throughput x response time%s\n",
            "Little's law:", little->in_system, little->by_law,
            gap > little->error ? " (they differ)" : "");
}

static void print_verdict(FILE *out, const struct verdict *verdict)
{
    fputs("Verdict: ", out);
    for (unsigned i = 0; i < verdict->count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", verdict->finding[i].name);
    fprintf(out, "%s\n", verdict->count == 0 ? "VALID" : "");
    for (unsigned i = 0; i < verdict->count; i++)
        fprintf(out, "    %s: %s.\n        %s\n", verdict->finding[i].name,
                verdict->finding[i].figure, verdict->finding[i].advice);
    fputc('\n', out);
}

void report_trust(FILE *out, const struct trust *trust)
{
    fputs("Audit:\n", out);
    print_share(out, "generator CPU:", trust->evidence.generator_cpu, "one processor");
    print_share(out, "standby CPU:", trust->evidence.standby_cpu, "one processor");
    print_share(out, "client CPU without these:", trust->evidence.client_cpu, "the machine");
    print_share(out, "stolen by the hypervisor:", trust->evidence.steal, "the machine");
    print_fit(out, trust);
    print_little(out, &trust->little);
    fputc('\n', out);
    print_verdict(out, &trust->verdict);
}
