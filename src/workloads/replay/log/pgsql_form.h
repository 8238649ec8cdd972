/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the form of the prefix of one line in PostgreSQL's log, for pgsql_guess.c. */
#ifndef PGSQL_FORM_H
#define PGSQL_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/replay/log/pgsql_prefix.h"

#define PGSQL_FORM_BYTES 2048

struct pgsql_number {
    size_t at;       /* index of its escape's letter in the text */
    uint64_t value;  /* in this line */
    int rating;      /* how much its place suggests that it is the number of a process */
    bool after_dash; /* part of "[1234-5]" */
};

struct pgsql_form {
    /* A log_line_prefix that matches the line. All numbers are %l, and values with any text are %a
     * unless a word before them says what they are. */
    char text[PGSQL_FORM_BYTES];
    struct pgsql_number numbers[PGSQL_HEAD_NUMBERS];
    unsigned count;
    bool timed, named; /* it has a time, and an identifier of the session */
};

/* Returns false if the line has no severity or its prefix is too long. */
bool pgsql_form_of(const char *line, struct pgsql_form *form);

#endif
