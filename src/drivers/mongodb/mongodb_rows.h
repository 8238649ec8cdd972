/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option table of the MongoDB driver, which is also compiled into the program itself. */
#ifndef MONGODB_ROWS_H
#define MONGODB_ROWS_H

#include "options/options.h"

#define MONGODB_OPTIONS 16
extern const struct option_spec mongodb_option_rows[MONGODB_OPTIONS];

#endif
