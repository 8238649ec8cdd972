# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a report of a made-up run, as sysrate would with --json: make_report.py FILE [NAME=VALUE]...

Response times are exponential, so that percentiles are known; intervals scatter by 1 % (scatter, 0.01) and are independent.
NAMEs: mean (ms), scatter, seed, intervals, requests and errors (completed and failed ones per interval of a second), no_ops (updates among
100 per interval that change nothing), bound (true: the 99th percentile is a lower
bound), server.X for a setting of the server; any other is an option of the run. VALUEs are JSON.
"""
import json
import math
import random
import sys


def times(count, mean, bound=False):
    percentiles = {f'p{p}': {'value': -mean * math.log(1 - p / 100), 'censored': bound and p == 99} for p in (50, 95, 99)}
    return {'count': count, 'censored': 0, 'mean': mean, 'mean_censored': False, 'percentiles': percentiles}


def counters(events, failed):
    return {'events': events, 'failed': failed, 'errors': 0}


def effects(options, seconds=1):
    if options['no_ops'] is None:
        return {}
    unmatched = options['no_ops'] * seconds
    return {'effects': {'update': {'count': 100 * seconds, 'no_op_writes': unmatched, 'unmatched': unmatched, 'unchanged': 0}}}


def interval(options):
    mean = options['mean'] * max(0.01, options['random'].gauss(1, options['scatter']))
    count, failed = options['requests'], options['errors']
    return {'warmup': False, 'seconds': 1, 'dropped': 0, 'counters': counters(count, failed), 'response_ms': times(count, mean),
            'wait_ms': times(count, mean / 2), 'service_ms': times(count, mean / 2), **effects(options)}


def histogram(count, mean):
    """Ten values each."""
    return [[int(-mean * 1e6 * math.log(1 - (i + 5) / count)), 10] for i in range(0, count, 10)]


def report(options):
    seconds = max(1, options['intervals'])
    intervals = [interval(options) for _ in range(options['intervals'])]
    mean = sum(i['response_ms']['mean'] for i in intervals) / seconds if intervals else options['mean']
    count = options['requests'] * seconds
    summary = {'elapsed_s': seconds, 'requests': {'dropped': 0}, 'counters': counters(count, options['errors'] * seconds),
               'response_ms': times(count, mean, options['bound']), 'wait_ms': times(count, mean / 2),
               'service_ms': times(count, mean / 2), 'audit': {'verdict': {'valid': True, 'findings': []}},
               **effects(options, seconds), 'histogram': {'response': histogram(count, mean), 'sums': {'response': {'max_ns': int(mean * 1e7)}}}}
    result = {'schema': 2, 'tool': {'name': 'sysrate', 'version': '0'}, 'test': 'made_up', 'config': options['config'],
              'intervals': intervals, 'checkpoints': [], 'summary': summary}
    if options['server']:
        result['server_config'] = options['server']
    return result


def main():
    options = {'mean': 2.0, 'scatter': 0.01, 'seed': 1, 'intervals': 30, 'requests': 1000, 'errors': 0, 'no_ops': None, 'bound': False, 'config': {'threads': 4, 'json': sys.argv[1]},
               'server': {}}
    for word in sys.argv[2:]:
        name, value = word.split('=', 1)
        value = json.loads(value)
        if name in options:
            options[name] = value
        elif name.startswith('server.'):
            options['server'][name[7:]] = value
        else:
            options['config'][name] = value
    options['random'] = random.Random(options['seed'])
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        json.dump(report(options), file)


main()
