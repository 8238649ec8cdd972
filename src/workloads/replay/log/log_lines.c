/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_lines.h"

bool log_lines_next(struct log_lines *l)
{
    if (l->kept) {
        l->kept = false;
        return true;
    }
    const bool there = log_source_line(l->source, &l->line, &l->length);
    l->cut = there && log_source_cut(l->source);
    l->missing = NULL;
    if (l->cut)
        l->missing = &log_too_long;
    else if (there ? log_source_unended(l->source) : log_source_failed(l->source))
        l->missing = &log_in_part;
    return there;
}

void log_lines_begin(struct log_lines *l)
{
    l->record_line = log_source_number(l->source);
    l->record_file = log_source_file(l->source);
}

void log_lines_skip(struct log_lines *l, const struct log_reason *reason)
{
    log_tally_add(&l->skipped, reason, log_source_number(l->source), log_source_file(l->source));
}
