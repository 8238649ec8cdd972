/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps lines at the bottom of the terminal while all other output scrolls above them, including
 * output of other programs. However the process ends, even by kill -9, the terminal is restored: a
 * child process waits for the end and restores it. Only one thread at a time may use a screen.
 * screen_open() must be called before threads are started, because it forks.
 */
#ifndef SCREEN_H
#define SCREEN_H

struct screen;

/* Starts the child process. Returns NULL if standard output is not a terminal that can keep
 * lines, or after a logged message. `what` names in messages what would be shown. */
struct screen *screen_open(const char *what);
/* Restores the terminal and waits until this is done. */
void screen_close(struct screen *screen);

/*
 * Reads the size of the window and reserves `most` lines, or `least` if the window is low. Returns
 * the number of reserved lines; 0 if the window is too small, in which case nothing will be shown.
 * Both arguments must be the same in all calls.
 */
unsigned screen_fit(struct screen *screen, unsigned most, unsigned least);
/* After screen_fit(): returns the number of characters that fit into a line. */
unsigned screen_columns(const struct screen *screen);

/* Shows as many lines as screen_fit() has returned. The text is UTF-8; lines that are too long
 * are cut. */
void screen_show(struct screen *screen, const char *const *line);

#endif
