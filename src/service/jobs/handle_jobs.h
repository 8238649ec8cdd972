/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handlers of routes about jobs (service/serve/route.h), for programs and for people. */
#ifndef HANDLE_JOBS_H
#define HANDLE_JOBS_H

#include "service/serve/exchange.h"

/* Defined in handle_jobs.c. */
void api_targets(struct exchange *x);
void api_tests(struct exchange *x);
void api_jobs(struct exchange *x);
void api_add_job(struct exchange *x);
void api_job(struct exchange *x);
void api_cancel_job(struct exchange *x);

/* Defined in page_jobs.c. */
void page_jobs(struct exchange *x);
void page_job(struct exchange *x);

/* Defined in page_new_job.c. */
void page_new_job(struct exchange *x);

#endif
