/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_lines.h"

static bool open_lines(struct log_lines *l, const char *files,
                       struct log_source *(*open)(const char *files))
{
    *l = (struct log_lines){.files = files, .source = log_source_open_to_look(files)};
    if (l->source == NULL)
        return false;
    log_unwrap_look(&l->unwrap, l->source);
    log_source_close(l->source);
    l->source = open(files);
    if (l->source != NULL)
        log_lines_begin(l);
    return l->source != NULL;
}

bool log_lines_open(struct log_lines *l, const char *files)
{
    return open_lines(l, files, log_source_open);
}

bool log_lines_open_to_look(struct log_lines *l, const char *files)
{
    return open_lines(l, files, log_source_open_to_look);
}

void log_lines_close(struct log_lines *l)
{
    log_unwrap_fini(&l->unwrap);
    log_source_close(l->source);
}

/* Skips the current line if it is of another host, container … than the log. */
static bool skip_other(struct log_lines *l)
{
    static const struct log_reason others = {
        "lines of another host, container or stream than that of the log's first record",
        "give one log of each"};
    if (l->looks_like == NULL || l->carrier.foreign ||
        (l->has_source && l->carrier.source == l->log_source))
        return false;
    if (!l->has_source && (l->carrier.source == 0 || l->looks_like(l->line, NULL))) {
        l->has_source = true;
        l->log_source = l->carrier.source;
        return false;
    }
    log_lines_skip(l, l->has_source ? &others : &log_lines_before);
    return true;
}

static const struct log_reason long_in_syslog = {
    "statements of a length at which syslog cuts messages",
    "let the server write a file of its own, with log_destination=stderr or csvlog"};

bool log_lines_next(struct log_lines *l)
{
    if (l->kept) {
        l->kept = l->at_border = false;
        return true;
    }
    bool unended, there;
    do {
        unended = false;
        there = log_unwrap_line(&l->unwrap, l->source, &l->line, &l->length, &l->carrier, &l->cut,
                                &unended);
    } while (there && skip_other(l));
    l->missing = NULL;
    l->at_border = !there && log_source_at_border(l->source);
    if (l->cut)
        l->missing = &log_too_long;
    else if (there ? unended : log_source_failed(l->source))
        l->missing = &log_in_part;
    else if (there && l->carrier.foreign)
        l->missing = &log_interrupted;
    else if (there && l->carrier.may_be_cut)
        l->missing = &long_in_syslog;
    if (there && l->carrier.foreign)
        log_lines_skip(l, &log_foreign_lines);
    return there;
}

bool log_lines_peek(struct log_lines *l)
{
    if (!l->at_border || (!l->kept && !log_lines_next(l)))
        return false;
    l->kept = l->at_border = true;
    return true;
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
