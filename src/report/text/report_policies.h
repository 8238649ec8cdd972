/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects of the policy of the clients as text. */
#ifndef REPORT_POLICIES_H
#define REPORT_POLICIES_H

#include <stdio.h>

#include "options/settings.h"
#include "result/summary.h"

/* Writes a section, or nothing if clients have no policy. */
void report_policies(FILE *out, const struct settings *settings, const struct summary *summary);

#endif
