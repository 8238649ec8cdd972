/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read your writes (--read-your-writes): after a share of its events, a worker changes a row of its
 * own in the marker table of --staleness, and reads the row at a replica at once. A read that does
 * not return the change is a miss; the worker then reads again until the change is visible, for up
 * to a second. Both are recorded as quality figures: own_write_missed (0 or 1, so that the mean is
 * the share of misses) and own_write_visible_ms (from the acknowledgement of the change to the
 * beginning of the first read that returned it).
 *
 * Each worker uses two connections of its own, which are not counted as part of the load.
 */
#ifndef OWN_WRITES_H
#define OWN_WRITES_H

#include "sql/sql.h"

/* Call in a worker before its script is loaded: returns true if the option is on. */
bool own_writes_enter(struct sql *sql, struct stats_thread *stats, unsigned thread);
/* Call in the worker at its end: closes the connections. */
void own_writes_leave(void);

#endif
