/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_policies.h"

#include <inttypes.h>

#include "base/clock.h"
#include "report/text/report_text.h"

void report_policies(FILE *out, const struct settings *settings, const struct summary *summary)
{
    const struct snapshot *s = &summary->snapshot;
    const uint64_t *c = s->counter;
    if (!settings->policy.on)
        return;
    const uint64_t good = c[COUNTER_EVENT] - c[COUNTER_LATE];
    fprintf(out, "Clients give up after %g ms:\n", ns_to_ms(settings->policy.timeout_ns));
    fprintf(out, "    %-28s %" PRIu64 " (%.2f per sec.), %" PRIu64 " requests completed late\n",
            "goodput:", good, report_rate(good, s->to_ns - s->from_ns), c[COUNTER_LATE]);
    fprintf(out, "    %-28s %" PRIu64 ", of which %" PRIu64 " were not sent\n",
            "timeouts:", c[COUNTER_TIMEOUT], c[COUNTER_UNSENT]);
    fprintf(out, "    %-28s %.3f s\n\n",
            "time lost in such work:", ns_to_seconds((int64_t)c[COUNTER_LOST_NS]));
}
