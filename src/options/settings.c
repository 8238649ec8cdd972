/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/settings.h"

#include "base/util.h"

double settings_arrivals_asked(const struct settings *settings, int64_t until_ns)
{
    if (settings->time_ns > 0)
        until_ns = min_i64(until_ns, settings->warmup_ns + settings->time_ns);
    return arrival_plan_count(&settings->arrivals, until_ns);
}
