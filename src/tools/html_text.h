/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in HTML pages that tools write. */
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

#include <stdio.h>

/* Prints any text with escapes, so that a reader of the page sees the text. Also for an attribute
 * in double quotes. */
void html_text_print(FILE *out, const char *text);

#endif
