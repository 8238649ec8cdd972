/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defines the options --server-stats, --replica and --server-config (used by sql_watch.c). */
#ifndef SQL_WATCH_OPTIONS_H
#define SQL_WATCH_OPTIONS_H

#include "options/options.h"

int sql_watch_add_options(struct options *set);

#endif
