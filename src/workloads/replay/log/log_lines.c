/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_lines.h"

#include "base/util.h"

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
        l->missing = LOG_TOO_LONG;
    else if (there ? log_source_unended(l->source) : log_source_failed(l->source))
        l->missing = LOG_IN_PART;
    return there;
}

void log_lines_malformed(struct log_lines *l)
{
    if (l->malformed++ > 0)
        return;
    l->first_malformed = log_source_number(l->source);
    l->malformed_file = xstrdup(log_source_file(l->source));
}
