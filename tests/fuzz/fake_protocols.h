/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What servers speak; each file says what its answers look like. */
#ifndef FAKE_PROTOCOLS_H
#define FAKE_PROTOCOLS_H

#include "fake_server.h"

fake_protocol fake_mysql, fake_pgsql;

#endif
