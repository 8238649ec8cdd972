/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts options to the settings of a run and checks them against each other. */
#ifndef SETTINGS_LOAD_H
#define SETTINGS_LOAD_H

#include "options/options.h"
#include "options/settings.h"

/*
 * Fills *settings from the options of `set`, and points to their strings. Sets the verbosity of the
 * log. Returns −1 after a logged message if options contradict each other. The caller must call
 * settings_fini() in either case.
 */
int settings_load(struct settings *settings, const struct options *set);
/* Logs a warning for each output that needs --report-interval and does not have it. Call it once,
 * when the settings are final. */
void settings_warn(const struct settings *settings);
/* Sets the arrival rate that a test determined itself, as if --tx-rate had been given. Returns
 * −1 after a logged message. */
int settings_take_rate(struct settings *settings, struct options *set, double rate);
/*
 * Converts the settings of a whole run to those of rank `number` of `count`: divides workers, queue
 * and arrivals, and leaves injections to the first rank. --events stays the total of all ranks.
 * Call once, before the settings are used. Returns −1 after a logged message if there are fewer
 * workers than ranks.
 */
int settings_divide(struct settings *settings, unsigned number, unsigned count);
/* Calls settings_divide() as --node says, for the commands that ranks share (run and prepare). */
int settings_take_part(struct settings *settings, const char *command);
/* Returns true if, by --node, another rank executes the whole of this command. */
bool settings_leave_command(const struct settings *settings, const char *command);
void settings_fini(struct settings *settings);

#endif
