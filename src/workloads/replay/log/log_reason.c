/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_reason.h"

#include <stdio.h>
#include <string.h>

const struct log_reason log_too_long = {"statements of more than 64 MB", NULL};
const struct log_reason log_in_part = {"statements where the log was cut off",
                                       "give all files of the log, the oldest first"};
const struct log_reason log_interrupted = {
    "statements that are followed by lines that may belong to them",
    "another program has added lines or removed tabs; use the file that the server wrote"};
const struct log_reason log_end_unknown = {
    "statements whose last semicolon is in a comment or a literal", NULL};
const struct log_reason log_before_start = {"statements that are followed by a start of the server",
                                            NULL};
const struct log_reason log_open = {"statements that end within a literal or a comment", NULL};
const struct log_reason log_last = {
    "writes at the end of a log or before a start of the server, which may be cut off there",
    "let the server write one more statement, such as SELECT 1"};
const struct log_reason log_has_nul = {"statements with a NUL byte", NULL};
const struct log_reason log_foreign_lines = {"lines that are not of the log's format", NULL};
const struct log_reason log_lines_before = {"lines before the first record", NULL};

static void add(struct log_tally *t, const struct log_tally_entry *added)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->entries[i].reason.what, added->reason.what) == 0) {
            t->entries[i].count += added->count;
            return;
        }
    if (t->count < LOG_TALLY_REASONS)
        t->entries[t->count++] = *added;
}

void log_tally_add(struct log_tally *t, const struct log_reason *reason, uint64_t line,
                   const char *file)
{
    struct log_tally_entry added = {.reason = *reason, .count = 1, .line = line};
    snprintf(added.file, sizeof(added.file), "%s", file);
    add(t, &added);
}

void log_tally_merge(struct log_tally *t, const struct log_tally *other)
{
    for (unsigned i = 0; i < other->count; i++)
        add(t, &other->entries[i]);
}
