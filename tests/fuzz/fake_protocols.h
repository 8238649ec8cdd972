/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocols of fake database servers. The comments in fake_mysql.c and fake_pgsql.c describe
 * the format of answers. */
#ifndef FAKE_PROTOCOLS_H
#define FAKE_PROTOCOLS_H

#include "fake_server.h"

fake_protocol fake_mysql, fake_pgsql;

#endif
