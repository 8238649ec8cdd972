/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that stay at the bottom of the terminal while everything else scrolls above them, whoever
 * prints it. When the process ends, however that happens, kill -9 included, the terminal is as
 * before: a process of its own waits for that. One thread at a time; to be opened before there are
 * others.
 */
#ifndef SCREEN_H
#define SCREEN_H

struct screen;

/* NULL: standard output is no terminal that can do this. `what` would be shown, for messages. */
struct screen *screen_open(const char *what);
/* Gives the lines back and waits until that is done. */
void screen_close(struct screen *screen);

/*
 * Looks how large the window is now and keeps room for `most` lines, or `least` where it is low.
 * Returns which of the two; 0: the window is too small, nothing will be shown. Both are the same in
 * all calls.
 */
unsigned screen_fit(struct screen *screen, unsigned most, unsigned least);
/* After screen_fit(): how many characters have room in a line. */
unsigned screen_columns(const struct screen *screen);

/* Shows as many lines as screen_fit() has promised. UTF-8; what is too long is cut off. */
void screen_show(struct screen *screen, const char *const *line);

#endif
