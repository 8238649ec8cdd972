/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the pages of the service have in common. Texts of others only come in by site_text(). */
#ifndef SITE_H
#define SITE_H

#include "service/serve/exchange.h"

/* Sets what of the service is the same for all pages, and frees it. */
void site_init(struct service *service);
void site_fini(struct service *service);

/* Begins a page with that title and heading; `place` is the address in the bar of links that it is.
 * `style`: a style sheet more, or NULL; the exchange's policy must allow it. */
void site_begin(struct exchange *x, const char *title, const char *place, const char *style);
void site_end(struct exchange *x);

/* A text of whoever, as what a reader sees, also in an attribute between double quotes; the
 * beginning of a long one. */
void site_text(FILE *out, const char *text);
/* A value in an address. */
void site_url_text(FILE *out, const char *text);

/* The answer to what went wrong: x->error as JSON, or as a page. */
void site_print_error(struct exchange *x);

/* HTML: links from a page of a run to those of the service. */
const char *site_way_back(void);

/* The form that chooses runs, with what was chosen in it; it leads to `action`. With `verdict`,
 * also by that. */
void site_filter_form(struct exchange *x, const char *action, bool verdict);

/* Writes the form in which to type a token. */
void site_login_form(struct exchange *x);

#endif
