/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log for those who read a format. */
#ifndef LOG_LINES_H
#define LOG_LINES_H

#include "workloads/replay/log/log_source.h"

/* What a statement whose last line is `unended` is left out as. */
#define LOG_IN_PART "statements where the log was cut off"

/* The lines, with one look ahead: a record ends where the next begins. */
struct log_lines {
    struct log_source *source;
    char *line;
    size_t length;
    bool kept;    /* the next line is the one that was read last */
    bool unended; /* the line in hand has no end: more of it may be missing */
    uint64_t malformed, first_malformed;
    char *malformed_file;
};

bool log_lines_next(struct log_lines *l);
/* Gives the line back. */
static inline void log_lines_keep(struct log_lines *l)
{
    l->kept = true;
}
/* The line in hand makes no sense. */
void log_lines_malformed(struct log_lines *l);

#endif
