/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common parts of the service's pages. Untrusted text must be written with site_text(), which
 * escapes it. */
#ifndef SITE_H
#define SITE_H

#include "service/serve/exchange.h"

/* site_init() sets the fields `head`, `tail` and the policies of the service; site_fini() frees
 * them. */
void site_init(struct service *service);
void site_fini(struct service *service);

/* Writes the start of a page. `title` is its title and heading. `place` is the address that the
 * navigation bar marks as current; "" marks none. `style` is an additional style sheet or NULL;
 * service->trend_policy must allow it. */
void site_begin(struct exchange *x, const char *title, const char *place, const char *style);
void site_end(struct exchange *x);

/* Writes text with HTML escapes, also suitable for attributes in double quotes. A long text is cut
 * after 300 bytes. */
void site_text(FILE *out, const char *text);
/* Writes text with the escapes of a value in an address. */
void site_url_text(FILE *out, const char *text);

/* Writes the answer of a failed exchange: x->error as JSON, or as a page. */
void site_print_error(struct exchange *x);

/* Returns the HTML of the navigation bar for pages of runs, which have a style sheet of their own.
 * The caller frees it. */
char *site_places(const struct service *service);

/* Writes the form that filters runs, filled with the current filter. `action` is the address that
 * the form opens. With `verdict` the form has a field for the verdict. */
void site_filter_form(struct exchange *x, const char *action, bool verdict);

/* Writes the form with the field for a token. */
void site_login_form(struct exchange *x);

#endif
