/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the objectives of a run. */
#include "report/text/report.h"

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
