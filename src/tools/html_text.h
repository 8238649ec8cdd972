/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in pages that tools write. */
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

#include <stdio.h>

/* Writes a text, whatever it holds, as what a reader of the page sees, also in an attribute between
 * double quotes. */
void html_text_print(FILE *out, const char *text);

#endif
