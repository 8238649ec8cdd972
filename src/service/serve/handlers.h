/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handlers of routes. Each reads a request from the exchange, then writes the answer into it or
 * calls exchange_fail(). Handlers named api_… answer programs, those named page_… answer people. */
#ifndef HANDLERS_H
#define HANDLERS_H

#include "service/serve/exchange.h"

/* Defined in handle_service.c. */
void api_health(struct exchange *x);
void api_metrics(struct exchange *x);
void api_login(struct exchange *x);
void api_logout(struct exchange *x);

/* Defined in handle_runs.c. */
void api_runs(struct exchange *x);
void api_add_run(struct exchange *x);
void api_run(struct exchange *x);
void api_run_page(struct exchange *x);

/* Defined in handle_judge.c. */
void api_compare(struct exchange *x);
void api_trend(struct exchange *x);
void page_compare(struct exchange *x);
void page_overlay(struct exchange *x);
void page_trend(struct exchange *x);

/* Defined in handle_pages.c. */
void page_runs(struct exchange *x);
void page_run(struct exchange *x);
void page_login(struct exchange *x);

#endif
