/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL writes that changed nothing, and the rate of writes without them. */
#include "report/text/report.h"

#include "report/text/report_text.h"

static void print_kind(FILE *out, const struct effects *e, enum write_kind kind)
{
    const uint64_t writes = effects_writes(e, kind), no_ops = effects_no_ops(e, kind);
    char label[16];

    if (no_ops == 0)
        return;
    snprintf(label, sizeof(label), "%s:", write_kind_name(kind));
    report_count_note(out, label, no_ops,
                      "%.2f%% of %" PRIu64 "; found nothing: %" PRIu64 ", left as it was: %" PRIu64,
                      effects_no_op_percent(e, kind), writes, e->count[kind][EFFECT_UNMATCHED],
                      e->count[kind][EFFECT_UNCHANGED]);
}

void report_effects(FILE *out, const struct summary *summary)
{
    const struct effects *e = &summary->snapshot.effects;
    const uint64_t writes = effects_writes(e, WRITE_KINDS), no_ops = effects_no_ops(e, WRITE_KINDS);

    if (no_ops == 0)
        return;
    fputs("Writes that changed nothing:\n", out);
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        print_kind(out, e, kind);
    report_count_note(out, "effective writes:", writes - no_ops, "%.2f per sec. of %.2f",
                      report_rate(writes - no_ops, summary->elapsed_ns),
                      report_rate(writes, summary->elapsed_ns));
    if (summary->no_op_cause != NULL)
        fprintf(out, "    likely cause: %s\n", summary->no_op_cause);
    fputc('\n', out);
}
