/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log for those who read a format. */
#ifndef LOG_LINES_H
#define LOG_LINES_H

#include "replay/log/log_source.h"

/* The lines, with one look ahead: a record ends where the next begins. */
/* What its record is left out as. */
#define LOG_IN_PART "statements where the log was cut off"

struct log_lines {
    struct log_source *source;
    char *line;
    size_t length;
    bool kept;    /* the next line is the one that was read last */
    bool unended; /* what follows in the line in hand was cut off, perhaps */
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
