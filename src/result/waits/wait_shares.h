/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait events of requests: their shares of the response time, for all requests and for those
 * above some percentiles. docs/why.md derives the estimates and their errors.
 */
#ifndef WAIT_SHARES_H
#define WAIT_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "result/waits/wait_names.h"
#include "stats/waits.h"

/* All requests, and those above three percentiles. */
enum { WAIT_COLUMN_ALL, WAIT_COLUMN_P50, WAIT_COLUMN_P95, WAIT_COLUMN_P99, WAIT_COLUMNS };

/* Returns the percentile of a column in millionths of a percent; 0 for all requests. */
int64_t wait_column_percentile(unsigned column);

#define WAIT_PARTS 8
/* Largest number of notes, and the size of a note in bytes. */
#define WAIT_NOTES 4
#define WAIT_NOTE_BYTES 512

/* Smallest number of samples, and smallest effective number of requests with samples, with which
 * the service time of a column is divided. */
#define WAIT_SAMPLES_MIN 30
#define WAIT_REQUESTS_MIN 5

/* A share of the response time, from 0 to 1, and half of its 95 % confidence interval. */
struct wait_share {
    double share, error;
};

/* A detail of a row: a table, the session that blocks, or both. */
struct wait_part {
    char object[64]; /* "" if not known */
    unsigned blocker;
    double share; /* of the row */
};

struct wait_row {
    char event[WAIT_EVENT_BYTES];
    bool fixed; /* true if the label is not a name of the server */
    bool exact; /* measured by the driver in all columns, also in those that are not divided */
    struct wait_share in[WAIT_COLUMNS];
    unsigned parts;
    struct wait_part part[WAIT_PARTS]; /* of the requests in wait_shares.main, the largest first;
                                          for all locks, there is one part per blocker */
};

struct wait_column {
    int64_t percentile; /* in millionths of a percent; 0 for all requests */
    uint64_t requests;
    uint64_t samples; /* of these requests */
    double effective; /* number of requests with equal weights that would be as informative */
    /* Shares of the response time before the service, which are exact, and of the service. */
    double late, queued, service;
    double locked;   /* share of waits for a lock that the driver has measured, within `service` */
    bool divided;    /* there are enough samples to divide the service */
    double enough_s; /* length of a run that would have enough samples, if this one does not */
};

struct wait_shares {
    double per_second;    /* samples per second that were asked for */
    uint64_t taken;       /* samples of sessions while a request was in service */
    uint64_t near;        /* those of them that may belong to another request */
    uint64_t unmatched;   /* samples whose request could not be found */
    uint64_t statements;  /* samples taken from servers, each of all sessions */
    double round_trip_ms; /* mean time of a statement */
    unsigned notes;       /* reasons why samples are missing or lack something */
    char note[WAIT_NOTES][WAIT_NOTE_BYTES];
    struct wait_column column[WAIT_COLUMNS];
    unsigned main;         /* the column with the highest percentile that is divided */
    struct wait_row locks; /* all waits for locks together */
    unsigned rows;
    struct wait_row row[WAIT_LABELS]; /* those with the largest shares in the main column first */
    struct wait_names names;
};

/* The cause of most of the time of the requests above p99. */
struct wait_cause {
    const char *event; /* NULL if no cause has more than half of the time for certain */
    struct wait_share share;
    const struct wait_row *row; /* NULL if the time is before the service */
};

/* Returns the shares in new memory, to be freed by the caller. `elapsed_s` is the length of the
 * measured part. */
struct wait_shares *wait_shares_of(const struct wait_totals *totals, const struct wait_names *names,
                                   double elapsed_s);
struct wait_cause wait_shares_cause(const struct wait_shares *shares);

#endif
