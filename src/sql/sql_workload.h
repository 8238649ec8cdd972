/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What any workload on databases has in common: its servers are watched, and --inject has sessions
 * on them. The `server` of these groups is the workload's struct sql. */
#ifndef SQL_WORKLOAD_H
#define SQL_WORKLOAD_H

#include "engine/workload.h"

extern const struct workload_watch sql_workload_watch;
extern const struct workload_sessions sql_workload_sessions;

#endif
