/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/lateness.h"

#include "base/util.h"

#define SHARE 10 /* lateness is reported above 1/SHARE of the response time */

int64_t lateness_ns(const struct snapshot *s, int64_t percentile)
{
    int64_t lag_ns = distribution_percentile(&s->lag, percentile).ns;
    int64_t response_ns = distribution_percentile(&s->metric[METRIC_RESPONSE], percentile).ns;
    int64_t service_ns = distribution_percentile(&s->metric[METRIC_SERVICE], percentile).ns;
    return max_i64(0, min_i64(lag_ns, response_ns - service_ns));
}

bool lateness_matters(const struct snapshot *s, int64_t percentile)
{
    int64_t response_ns = distribution_percentile(&s->metric[METRIC_RESPONSE], percentile).ns;
    return lateness_ns(s, percentile) > response_ns / SHARE;
}
