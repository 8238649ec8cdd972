/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of runs in an archive, written as NAME=VALUE. */
#ifndef LABELS_H
#define LABELS_H

/*
 * Check function for option rows. Returns NULL if `text` is a name of letters, digits and _ . -,
 * then = and a text that is not empty and has no control characters. Otherwise returns what is
 * allowed.
 */
const char *label_check(const char *text);

#endif
