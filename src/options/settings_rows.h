/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the program's own options: all except those of drivers, tests and tools. */
#ifndef SETTINGS_ROWS_H
#define SETTINGS_ROWS_H

#include "options/options.h"
#include "options/settings.h"

/* Adds the rows under the headings General, Pseudo-Random Numbers Generator and Log. Returns −1
 * after a logged message. */
int settings_add_options(struct options *set);

/* Copies the values of the rows that name a field of *settings. */
void settings_store(struct settings *settings, const struct options *set);

#endif
