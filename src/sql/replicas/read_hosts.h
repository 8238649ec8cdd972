/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replicas: options, and connections that read from the hosts of --read-hosts (readers).
 *
 * In statistics per server, the read hosts follow the servers of the driver's options: server i of
 * the options has number i, and read host i has the number sql_servers() + i.
 */
#ifndef READ_HOSTS_H
#define READ_HOSTS_H

#include "sql/sql_internal.h"

extern const struct option_spec sql_replica_rows[];
extern const unsigned sql_replica_row_count;

/* Reads --read-hosts for a driver that is being opened. Returns 0, or −1 after a logged message if
 * the driver has no servers. */
int read_hosts_open(sql_driver *drv, const struct options *options);

/* Returns the number of hosts to which the connection may go: servers or read hosts. */
unsigned read_hosts_choice(const sql_connection *con);
/* Returns the number in the statistics of the connection's current server. */
unsigned read_hosts_server(const sql_connection *con);
/* Returns the number of servers in the statistics. */
unsigned read_hosts_all(const sql_driver *drv);
/* Writes the name of a server in the statistics. */
void read_hosts_name(const sql_driver *drv, unsigned server, char *name, size_t bytes);
/* Call before a connect: sets the address of a reader. */
void read_hosts_aim(sql_connection *con);
/* Logs a warning if --read-hosts was given and no connection has used it. */
void read_hosts_warn_unused(const sql_driver *drv);

#endif
