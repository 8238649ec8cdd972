/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The style sheet and the script of the service's pages. scripts/embed_text.lua generates
 * embedded_site.c from the files in src/service/serve/html. */
#ifndef EMBEDDED_SITE_H
#define EMBEDDED_SITE_H

/* Zero-terminated texts. */
extern const char embedded_site_css[], embedded_site_js[];

#endif
