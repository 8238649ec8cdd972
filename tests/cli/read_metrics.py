# SPDX-License-Identifier: GPL-2.0-or-later
"""
read_metrics.py PAGE...: parses pages of metrics with the strict parser of Prometheus' client library, each later than the one before:
no counter may fall. Prints completed requests and observed response times of each.
"""
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def counters(path):
    with open(path, encoding='utf-8') as text:
        families = list(text_string_to_metric_families(text.read()))
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in families if family.type in ('counter', 'histogram') for sample in family.samples}


def main():
    before = {}
    for path in sys.argv[1:]:
        now = counters(path)
        fallen = [key for key, value in before.items() if now.get(key, -1) < value]
        assert not fallen, fallen
        print(int(now[('sysrate_requests_completed_total', ())]), int(now[('sysrate_response_seconds_count', ())]))
        before = now


main()
