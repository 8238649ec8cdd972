/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A setting of a database server that tools change for a run and restore afterwards
 * (struct driver_settings in driver.h).
 */
#ifndef SERVER_SETTING_H
#define SERVER_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_NAME_BYTES 128

/* State of a setting. Owns its texts. */
struct server_setting {
    char name[SETTING_NAME_BYTES]; /* letters, digits, '_' and '.' */
    char *value;                   /* value for new sessions, as the server prints it */
    /* Place where the value is stored: "global" (a running MySQL or MariaDB server), "system"
     * (postgresql.auto.conf) or "database" (PostgreSQL's catalogue). A static string. */
    const char *scope;
    /* Text that is stored in this place; NULL if none is stored. Storing it again restores the
     * state. */
    char *kept;
    /* Place from which the server took the value, if that is another one than `scope`, such as
     * "command line"; otherwise NULL. */
    char *source;
    bool pending; /* the stored value is in effect only after a restart of the server */
};

/* Result of an attempt to store a value. */
enum setting_result {
    SETTING_STORED,
    SETTING_REFUSED,     /* conn->error says why */
    SETTING_RESTART,     /* the server reads this setting only when it starts */
    SETTING_REPLICATION, /* refused while replication is running; conn->error says why */
};

/* Returns true if the name has only letters, digits, '_' and '.', and fits. */
bool setting_name_is_valid(const char *name);
void setting_fini(struct server_setting *setting);

#endif
