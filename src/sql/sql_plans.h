/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans of the statements of a run (--explain): a thread with a connection of its own lets the
 * server explain one statement of each class when the class is seen first, and again at the end. */
#ifndef SQL_PLANS_H
#define SQL_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/sql_api.h"

struct plans;
struct sql_plans;

/* `drv` must outlive the plans. */
struct sql_plans *sql_plans_create(const sql_driver *drv);
/* Ends the thread. NULL is allowed. */
void sql_plans_destroy(struct sql_plans *plans);

/* Keeps `text`, a statement with literals, as the example of its class, unless the class has one.
 * Any thread may call it. `name` is the name of the class. */
void sql_plans_note(struct sql_plans *plans, unsigned class, const char *name, const char *text,
                    size_t length);
/* Returns true if the class has an example, so that no text need be made. */
bool sql_plans_has(struct sql_plans *plans, unsigned class);

/* Returns the number of statements that were sent to explain others; 0 if `plans` is NULL. */
uint64_t sql_plans_asked(const struct sql_plans *plans);

/* Lets the server explain the examples again and returns all plans, in new memory. Waits for the
 * server, at most ten seconds for each answer, and gives up after the first that does not come. */
struct plans *sql_plans_finish(struct sql_plans *plans);

#endif
