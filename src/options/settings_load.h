/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to the settings of a run, checked against each other. */
#ifndef SETTINGS_LOAD_H
#define SETTINGS_LOAD_H

#include "options/options.h"
#include "options/settings.h"

/*
 * Fills *settings from the set, whose strings it points to. Sets the log's verbosity. −1 after a
 * logged message when options contradict each other; settings_fini() is due in either case.
 */
int settings_load(struct settings *settings, const struct options *set);
void settings_fini(struct settings *settings);

#endif
