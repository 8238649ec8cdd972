/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An entry of a log of PostgreSQL, in whatever format, and what it tells. */
#ifndef PGSQL_ENTRY_H
#define PGSQL_ENTRY_H

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"

struct pgsql_entry {
    struct log_time time;
    uint64_t session;
    char database[LOG_EVENT_DATABASE_BYTES];
    char severity[16]; /* "LOG" */
    struct log_text message, detail, query;
};

void pgsql_entry_fini(struct pgsql_entry *e);

/*
 * What the entry tells. The texts of the event are those of the entry or of `text`, which takes
 * statements with their parameters put in.
 */
void pgsql_entry_tell(struct pgsql_entry *e, struct log_text *text, struct log_event *event);

#endif
