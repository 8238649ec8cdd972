/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples the wait events of the sessions of the database servers (--wait-events). */
#ifndef SQL_SAMPLER_H
#define SQL_SAMPLER_H

#include "stats/wait_source.h"

/* The `server` of its operations is a struct sql. */
extern const struct wait_source sql_wait_source;

#endif
