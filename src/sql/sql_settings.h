/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads, changes and restores settings of a server, for tools that vary them. Uses a connection of
 * its own, with the options of the sql that the calling thread is bound to. Messages are single
 * lines. */
#ifndef SQL_SETTINGS_H
#define SQL_SETTINGS_H

#include "drivers/server_setting.h"
#include "sql/sql.h"

/* Settings of one server, and the change that is asked for. */
struct setting_change {
    const char *host; /* "HOST[:PORT]" or a socket path; NULL: the server in the options */
    struct server_setting *setting;
    size_t count;
    /* wanted[i]: value to be set for setting[i]; NULL if the states in `setting` shall be restored
     */
    char **wanted;
    bool *restart; /* result: setting[i] has its value only after a restart of the server */
    /* Statements that start replication which was running when the settings were read, owned. */
    char **start;
    size_t starts;
    bool restarted;  /* result: replication was stopped and started */
    char where[300]; /* result: the server, for messages */
};

/* Reads the states of the settings whose names are in `setting`, and the running replication.
 * Returns −1 after a logged message. */
int sql_settings_read(struct setting_change *change);

/*
 * Sets or restores the settings. Then reads them in a new session to check that the server uses the
 * values, unless a restart is needed. Returns −1 after a logged message; some of the settings may
 * be changed then.
 */
int sql_settings_change(struct setting_change *change);

#endif
