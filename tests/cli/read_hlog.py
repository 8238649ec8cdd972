# SPDX-License-Identifier: GPL-2.0-or-later
"""
read_hlog.py LOG REPORT.json: decodes an interval log with the Python package hdrhistogram and compares it with the intervals of the
JSON report. Exit code 0: the same; 1: not, with the difference.
"""
import json
import math
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

KINDS = ('response', 'wait', 'service')


def histograms(path):
    reader = HistogramLogReader(path, HdrHistogram(1, 2 ** 47 - 1, 3))
    while (histogram := reader.get_next_interval_histogram()) is not None:
        yield histogram


def compare(histogram, times):
    count = times['count']
    assert histogram.get_total_count() == count, (histogram.get_total_count(), count)
    for p, figure in times['percentiles'].items():
        # That package rounds ranks, the report takes the nearest rank: ask for just that one.
        rank = math.ceil(count * float(p[1:]) / 100)
        seen = histogram.get_value_at_percentile(100 * rank / count) / 1e6
        assert abs(seen - figure['value']) <= figure['value'] * 0.002 + 2e-6, (p, seen, figure)


def main():
    with open(sys.argv[2], encoding='utf-8') as text:
        intervals = json.load(text)['intervals']
    found = list(histograms(sys.argv[1]))
    assert len(found) == len(KINDS) * len(intervals), (len(found), len(intervals))
    for i, histogram in enumerate(found):
        kind, interval = KINDS[i % len(KINDS)], intervals[i // len(KINDS)]
        assert histogram.get_tag() == kind, (histogram.get_tag(), kind)
        compare(histogram, interval[kind + '_ms'])
    print(f'{len(found)} histograms')


main()
