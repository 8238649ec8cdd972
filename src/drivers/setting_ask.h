/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements by which drivers read and change settings of the server. */
#ifndef SETTING_ASK_H
#define SETTING_ASK_H

#include "drivers/driver.h"

/*
 * Executes a query and copies the columns of its first row: cell[i] is NULL if it is SQL NULL or
 * there is no row. The caller frees the texts. Returns the number of rows, or −1 with conn->error
 * set.
 */
int setting_ask(struct driver_conn *conn, const char *text, char **cell, unsigned columns);

/* Returns `text` between quotes, as a literal of the connection; the caller frees it. */
char *setting_literal(struct driver_conn *conn, const char *text);

#endif
