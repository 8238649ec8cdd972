/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the Content-Security-Policy of a page that the service generates. The style sheets and
 * scripts within the page are allowed by their hashes; all others are forbidden. */
#ifndef CSP_H
#define CSP_H

#include <stddef.h>

/* The HTML of a part of a page. */
struct csp_part {
    const char *html;
    size_t bytes;
};

/* Returns the policy of a page that consists of `parts` parts; the caller frees the text. `more` is
 * appended to the policy, for example "; form-action 'self'", or is NULL. */
char *csp_policy(const struct csp_part *part, size_t parts, const char *more);

#endif
