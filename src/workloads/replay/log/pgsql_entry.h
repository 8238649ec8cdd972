/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An entry of a PostgreSQL log, independent of its format, and its conversion to an event. */
#ifndef PGSQL_ENTRY_H
#define PGSQL_ENTRY_H

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_text.h"
#include "workloads/replay/log/log_time.h"

struct pgsql_entry {
    struct log_time time;
    uint64_t session;
    char database[LOG_EVENT_DATABASE_BYTES];
    char severity[16]; /* for example "LOG" */
    struct log_text message, detail, context, query;
    /* Reason why a part of the texts may be missing; NULL if they are whole. */
    const struct log_reason *missing;
};

/* Texts of more than `most_bytes` bytes will be cut, and the entry then has no statement. */
void pgsql_entry_init(struct pgsql_entry *e, size_t most_bytes);

void pgsql_entry_fini(struct pgsql_entry *e);

/*
 * Converts the entry to an event. A statement of which a part may be missing is left out. The texts
 * of the event belong to the entry or to `text`, in which statements get their parameters.
 */
void pgsql_entry_tell(struct pgsql_entry *e, struct log_text *text, struct log_event *event);

#endif
