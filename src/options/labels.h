/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of runs in an archive: NAME=VALUE. */
#ifndef LABELS_H
#define LABELS_H

/* NULL, or what is allowed: a name of letters, digits and _ . -, then = and a text without control
 * characters, not empty. */
const char *label_check(const char *text);

#endif
