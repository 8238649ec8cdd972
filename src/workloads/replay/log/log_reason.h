/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reasons why a part of a log is not replayed, and how often each of them applied. */
#ifndef LOG_REASON_H
#define LOG_REASON_H

#include <stdint.h>

struct log_reason {
    const char *what; /* a noun in the plural: "statements without a connection id" */
    /* How to avoid it next time, for example a setting of the server that wrote the log. NULL if
     * nothing would help. */
    const char *advice;
};

/*
 * Reasons to leave out a statement of which the reader may have only a part. A part of a statement
 * may do something else than the whole, so no reader returns one.
 */
extern const struct log_reason log_too_long, log_in_part, log_interrupted, log_end_unknown,
    log_before_start, log_open, log_last, log_has_nul;
/* Lines that are skipped: in general, and before the first record of a log. */
extern const struct log_reason log_foreign_lines, log_lines_before;

/* More reasons than all readers and the timeline have together. */
#define LOG_TALLY_REASONS 64

struct log_tally_entry {
    struct log_reason reason;
    uint64_t count;
    uint64_t line;  /* number of the first line with this reason, from 1 on */
    char file[100]; /* file that contains this line */
};

struct log_tally {
    struct log_tally_entry entries[LOG_TALLY_REASONS];
    unsigned count;
};

/* Counts the reason. `line` and `file` are kept if it is the first time. Reasons with the same noun
 * are counted together. */
void log_tally_add(struct log_tally *t, const struct log_reason *reason, uint64_t line,
                   const char *file);
/* Adds the counts of another tally. */
void log_tally_merge(struct log_tally *t, const struct log_tally *other);

#endif
