/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of --server-stats, --replica and --server-config, which sql_watch.c obeys. */
#ifndef SQL_WATCH_OPTIONS_H
#define SQL_WATCH_OPTIONS_H

#include "options/options.h"

int sql_watch_add_options(struct options *set);

#endif
