/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bundled scripts that are tests: what there is, and a sentence about each. */
#ifndef BUNDLED_H
#define BUNDLED_H

/* A sentence without a full stop, from the comment at the head of the script. */
typedef void bundled_visit(void *arg, const char *name, const char *sentence);

/*
 * Visits the scripts of a folder that begin with "#!", sorted by name; others are modules. Name and
 * sentence are good until `visit` returns. None where the folder cannot be read.
 */
void bundled_each(const char *folder, bundled_visit *visit, void *arg);

#endif
