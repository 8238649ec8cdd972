/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script as the workload of a run: each worker has its own Lua state. */
#ifndef SCRIPT_WORKLOAD_H
#define SCRIPT_WORKLOAD_H

#include "engine/workload.h"
#include "sql/sql.h"
#include "workloads/script/script.h"
#include "workloads/script/script_tables.h"

struct script_workload {
    const struct script_source *source;
    const struct settings *settings;
    struct sql *sql;
    struct script *script; /* state of the controlling thread, used for report hooks */
    /* Written by the first worker before the run. */
    struct script_tables_found found;
};

/* Returns the operations of the workload. Valid as long as `script`. */
struct workload script_workload(struct script_workload *script);

#endif
