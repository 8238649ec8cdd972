/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives PostgreSQL's log_line_prefix from the lines of a log. The server writes any text before
 * the severity of a message. Times, identifiers of sessions, numbers and names are recognized by
 * their form, by the words before them ("user=") and by how they change from line to line.
 */
#ifndef PGSQL_GUESS_H
#define PGSQL_GUESS_H

#include <stdbool.h>
#include <stddef.h>

/* Messages of sessions, of other processes, and of a server whose settings were changed may have
 * different prefixes. */
#define PGSQL_PREFIXES 4

struct pgsql_prefixes {
    char *text[PGSQL_PREFIXES];
    unsigned count;
};

void pgsql_prefixes_fini(struct pgsql_prefixes *p);

struct pgsql_sample;

struct pgsql_sample *pgsql_sample_create(void);
void pgsql_sample_free(struct pgsql_sample *s);
/* Adds a line. `timed` and `named`: the time and the session of the line are already known from
 * another source, such as syslog. Ignores lines without a severity. */
void pgsql_sample_add(struct pgsql_sample *s, const char *line, bool timed, bool named);

/* Derives the prefixes. If lines were found and no prefix has a time and a session, *p is empty;
 * *first is then a line and *guess the prefix that matches it ("" if none does), for a message;
 * both are valid until the sample is freed. *first is NULL if there were no lines. */
void pgsql_sample_guess(struct pgsql_sample *s, struct pgsql_prefixes *p, const char **first,
                        const char **guess);

#endif
