/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_policies.h"

#include <inttypes.h>

#include "base/clock.h"
#include "report/text/report_text.h"

static void print_attempts(FILE *out, const uint64_t counter[COUNTER_TYPES])
{
    const uint64_t ended = counter[COUNTER_EVENT] + counter[COUNTER_FAILED];
    const uint64_t attempts = ended + counter[COUNTER_RETRY];
    const double requests = (double)(ended > 0 ? ended : 1);
    fprintf(out, "    %-28s %.3f, %.3f of them sent\n",
            "attempts per request:", (double)attempts / requests,
            (double)(attempts - counter[COUNTER_UNSENT]) / requests);
    fprintf(out, "    %-28s %" PRIu64 ", and %" PRIu64 " that the budget did not allow\n",
            "retries:", counter[COUNTER_RETRY], counter[COUNTER_NO_BUDGET]);
}

void report_policies(FILE *out, const struct settings *settings, const struct summary *summary)
{
    const struct snapshot *s = &summary->snapshot;
    const uint64_t *c = s->counter;
    if (!settings->policy.on)
        return;
    const uint64_t good = counter_good(c);
    if (settings->policy.timeout_ns > 0)
        fprintf(out, "Clients give up after %g ms:\n", ns_to_ms(settings->policy.timeout_ns));
    else
        fputs("Clients repeat failed requests:\n", out);
    fprintf(out, "    %-28s %" PRIu64 " (%.2f per sec.), %" PRIu64 " requests completed late\n",
            "goodput:", good, report_rate(good, summary->elapsed_ns), c[COUNTER_LATE]);
    fprintf(out, "    %-28s %" PRIu64 ", of which %" PRIu64 " were not sent\n",
            "timeouts:", c[COUNTER_TIMEOUT], c[COUNTER_UNSENT]);
    if (settings->policy.retry.attempts > 0)
        print_attempts(out, c);
    fprintf(out, "    %-28s %.3f s\n\n",
            "time lost in such work:", ns_to_seconds((int64_t)c[COUNTER_LOST_NS]));
}
