/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit of the measurement itself, the verdict, and the objectives. */
#include "report/text/report.h"

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
                trust->evidence.dispersion[0] > 0 ? "distance of gaps from their law:"
                                                  : "distance of gaps from exponential:",
                trust->evidence.goodness, trust->verdict.ks_critical);
    else
        fprintf(out, "    %-36s %.4f of the mean gap\n",
                "deviation of gaps:", trust->evidence.goodness);
}

static void print_dispersion(FILE *out, const double *dispersion)
{
    static const char *const scale[] = {"0.1 s", "1 s", "10 s"};
    if (dispersion[0] == 0)
        return;
    fprintf(out, "    %-36s", "index of dispersion of arrivals:");
    for (unsigned i = 0; i < 3 && dispersion[i] > 0; i++)
        fprintf(out, "%s %.2f in %s", i > 0 ? "," : "", dispersion[i], scale[i]);
    fputs(" (Poisson: 1)\n", out);
}

static void print_little(FILE *out, const struct little *little)
{
    double gap = fabs(little->in_system - little->by_law);
    fprintf(out, "    %-36s %.3f in the system, %.3f by throughput x response time%s\n",
            "Little's law:", little->in_system, little->by_law,
            gap > little->error ? " (they differ: some times are not known)" : "");
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
    if (verdict->remark[0] != '\0')
        fprintf(out, "    Overload: %s.\n", verdict->remark);
    if (verdict->plans[0] != '\0')
        fprintf(out, "    Plans: %s.\n", verdict->plans);
    fputc('\n', out);
}

static void print_arrivals(FILE *out, const struct trust *trust)
{
    if (trust->evidence.spins_beside)
        fprintf(out, "    %-36s %s\n", "spinning for arrivals:",
                "on the server's machine, which may slow the server: see --arrival-wait");
    print_fit(out, trust);
    print_dispersion(out, trust->evidence.dispersion);
    print_little(out, &trust->little);
}

static void print_audit(FILE *out, const struct settings *settings, const struct trust *trust)
{
    const bool timed = settings->rate > 0;
    const struct evidence *e = &trust->evidence;
    fputs("Audit:\n", out);
    if (timed) {
        print_share(out, "generator CPU:", e->generator_cpu, "one processor");
        print_share(out, "standby CPU:", e->standby_cpu, "one processor");
    }
    print_share(out, timed ? "client CPU without these:" : "client CPU:", e->client_cpu,
                "the machine");
    print_share(out, "stolen by the hypervisor:", e->steal, "the machine");
    if (timed)
        print_arrivals(out, trust);
    fputc('\n', out);
}

void report_trust(FILE *out, const struct settings *settings, const struct trust *trust)
{
    print_audit(out, settings, trust);
    print_verdict(out, &trust->verdict);
}

/* Returns true for doubts that are part of the audit but not of the verdict: a spinning
 * generator that shares the machine with the server, or a violation of Little's law. */
static bool has_doubts(const struct trust *trust)
{
    return trust->evidence.spins_beside ||
           fabs(trust->little.in_system - trust->little.by_law) > trust->little.error;
}

void report_trust_once(FILE *out, const struct settings *settings, const struct trust *trust,
                       bool brief)
{
    const unsigned findings = trust->verdict.count;
    if (findings == 0 && !has_doubts(trust))
        fputs("Audit: all passed\n\n", out);
    else if (!brief || has_doubts(trust))
        print_audit(out, settings, trust);
    if (findings > 1) /* the headline prints the first finding */
        print_verdict(out, &trust->verdict);
}

static void print_objective(FILE *out, const struct slo_objective *objective,
                            const struct slo_figure *figure)
{
    struct slo_text text = slo_figure_text(objective, figure);
    fprintf(out, "    %-36s %-18s %s\n", objective->text,
            figure->known ? text.text : "nothing measured", figure->met ? "met" : "MISSED");
}

void report_slo(FILE *out, const struct slo_judgement *judgement)
{
    fprintf(out, "Objectives: %s\n", judgement->met ? "met" : "MISSED");
    for (unsigned i = 0; i < judgement->slo->count; i++)
        print_objective(out, &judgement->slo->objective[i], &judgement->figure[i]);
    fputc('\n', out);
}
