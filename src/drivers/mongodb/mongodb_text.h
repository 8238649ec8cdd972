/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of MongoDB statements: commands as extended JSON. */
#ifndef MONGODB_TEXT_H
#define MONGODB_TEXT_H

#include "drivers/driver.h"

extern const struct driver_language mongodb_language;

#endif
