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
/* The test itself knows its rate: as if --tx-rate had said so. −1 after a logged message. */
int settings_take_rate(struct settings *settings, struct options *set, double rate);
/*
 * Makes the settings of a whole run those of rank `number` of `count`: divides workers, queue and
 * arrivals; only the first rank injects. Once, before anything is made from them. --events stays
 * that of all. −1 after a logged message: there are fewer workers than ranks.
 */
int settings_divide(struct settings *settings, unsigned number, unsigned count);
/* Does so as --node says, for the commands that ranks share (run and prepare). */
int settings_take_part(struct settings *settings, const char *command);
/* Whether --node says that another rank executes this command, wholly. */
bool settings_leave_command(const struct settings *settings, const char *command);
void settings_fini(struct settings *settings);

#endif
