/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Content-Security-Policy of a page that is made here: its own style sheets and scripts are
 * allowed by their hashes, and nothing else. */
#ifndef CSP_H
#define CSP_H

#include <stddef.h>

/* A part of a page: HTML. */
struct csp_part {
    const char *html;
    size_t bytes;
};

/* `more` is added, or NULL: "; form-action 'self'". The caller frees it. */
char *csp_policy(const struct csp_part *part, size_t parts, const char *more);

#endif
