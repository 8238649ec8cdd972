# SPDX-License-Identifier: GPL-2.0-or-later
"""
Reports of made-up runs, a day between one and the next, as sysrate would write them with --json.

make_history.py FOLDER story writes the history that docs/trend.md shows: an outlier, runs that are not valid, a step, a changed setting, a
drift. make_history.py FOLDER COUNT [NAME=VALUE]... writes FOLDER/0001.json and so on. VALUEs are JSON; NAMEs: mean (of the response time, ms),
spread (of the logarithm of the mean, from run to run), seed; any other is an option of the runs.
make_history.py FOLDER searches writes results of capacity searches, with a step behind the 25th, one that was not precise (7th) and one that found
nothing (30th), and from the 41st on other objectives.
"""
import datetime
import json
import math
import random
import sys

FIRST = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone.utc)
REQUESTS, SECONDS = 3000, 30
SUB_BITS = 10  # of the program's histogram: buckets of 0.1 %


def lower_ns(value):
    """Where the bucket of a value begins."""
    shift = max(0, int(value).bit_length() - SUB_BITS)
    return int(value) >> shift << shift


def report(number, mean_ms, throughput=REQUESTS / SECONDS, findings=(), config=None, labels=(), server=None):
    """Of exponential response times: exact percentiles within the buckets."""
    values = [-mean_ms * 1e6 * math.log(1 - (i + 0.5) / 300) for i in range(300)]
    buckets = {}
    for value in values:
        buckets[lower_ns(value)] = buckets.get(lower_ns(value), 0) + REQUESTS // 300
    sums = {'count': REQUESTS, 'sum_ns': int(sum(values)) * (REQUESTS // 300), 'min_ns': int(values[0]), 'max_ns': int(values[-1]),
            'censored': 0, 'censored_sum_ns': 0, 'censored_max_ns': 0}
    started = FIRST + datetime.timedelta(days=number)
    elapsed_s = REQUESTS / throughput
    head = {'schema': 2, 'tool': {'name': 'sysrate', 'version': '1'}, 'test': 'made_up', 'command': 'run',
            'started': started.strftime('%Y-%m-%dT%H:%M:%S.000Z'), 'client': {'host': 'made', 'kernel': 'up', 'processors': 2},
            'config': {'threads': 4, 'rate': 0, 'time': SECONDS, 'label': list(labels), **(config or {})}, 'intervals': [], 'checkpoints': []}
    if server:
        head['server_config'] = server
    counters = {'events': REQUESTS, 'reads': 0, 'writes': 0, 'other': 0}
    summary = {'end': 'time', 'exit_code': 0, 'from_s': 0, 'to_s': elapsed_s, 'elapsed_s': elapsed_s,
               'requests': {'offered': REQUESTS, 'completed': REQUESTS, 'failed': 0, 'dropped': 0, 'queued': 0, 'in_service': 0},
               'completed_per_s': throughput, 'counters': counters, 'response_ms': {'count': REQUESTS, 'percentiles': {}},
               'histogram': {'response': sorted(map(list, buckets.items())), 'censored': {}, 'sums': {'response': sums}},
               'audit': {'verdict': {'valid': not findings, 'findings': [{'name': f, 'figure': '', 'advice': ''} for f in findings]}}}
    return {**head, 'summary': summary}


def story(folder):
    draw = random.Random(3)
    for number in range(75):
        mean = 2 * math.exp(draw.gauss(0, 0.03))
        if number >= 25:
            mean *= 1.15
        if number == 10:
            mean *= 2
        if number >= 45:
            mean *= 1 + 0.004 * (number - 45)
        with open(f'{folder}/{number + 1:04}.json', 'w', encoding='utf-8') as out:
            json.dump(report(number, mean, 100 * math.exp(draw.gauss(0, 0.01)), ['CLIENT-LIMITED'] if number in (5, 30) else [],
                             {'table_size': 1000 if number < 45 else 2000}, [f'commit={number * 7919:x}']), out)


def search(number, rate, outcome='found', slo='p99<20ms', precise=True):
    """What `sysrate capacity` keeps of a search, as far as others read it."""
    found = outcome == 'found'
    probe = {'phase': 'edge', 'rate_per_s': rate, 'seed': 1, 'end': 'time', 'seconds': 10, 'completed_per_s': rate, 'met': True, 'trusted': True,
             'counts': True, 'margin': 0.02, 'figures': {slo: {'value': 19.6, 'unit': 'ms', 'censored': False, 'met': True}}, 'file': 'probe-001.json'}
    settings = {'tool': {'name': 'sysrate', 'version': '1'}, 'test': 'made_up', 'client': {'host': 'made', 'kernel': 'up', 'processors': 2},
                'config': {'threads': 4, 'slo': slo, 'probe_time': 10}}
    result = {'outcome': outcome, 'precise': precise, 'cut_short': None, 'rate_per_s': rate if found else None, 'low_per_s': rate * 0.97,
              'high_per_s': rate * 1.03, 'slope': -2.5 if found else None, 'probes_used': 12, 'margin_from_below': None, 'margin_from_above': None,
              'hysteresis': None}
    started = FIRST + datetime.timedelta(days=number)
    return {'capacity_schema': 1, 'version': '1', 'test': 'made_up', 'started': started.strftime('%Y-%m-%dT%H:%M:%S.000Z'), 'slo': [slo], 'seed': 1,
            'min_rate': 10, 'max_rate': 1e6, 'precision': 0.05, 'probe_s': 10, 'pause_s': 0.5, 'time_limit_s': 1800, 'pairs': 0,
            'label': [f'commit={number * 7919:x}'], 'settings': settings, 'result': result, 'probes': [probe]}


def searches(folder):
    draw = random.Random(5)
    for number in range(53):
        rate = 1700 * math.exp(draw.gauss(0, 0.02)) * (0.88 if number >= 25 else 1)
        made = search(number, rate, 'unknown' if number == 29 else 'found', 'p99<20ms' if number < 40 else 'p99<50ms', number != 6)
        with open(f'{folder}/{number + 1:04}.json', 'w', encoding='utf-8') as out:
            json.dump(made, out)


def main():
    folder = sys.argv[1]
    if sys.argv[2] == 'searches':
        searches(folder)
        return
    if sys.argv[2] == 'story':
        story(folder)
        return
    count = int(sys.argv[2])
    options = {name: json.loads(value) for name, value in (word.split('=', 1) for word in sys.argv[3:])}
    mean, spread, draw = options.pop('mean', 2.0), options.pop('spread', 0.03), random.Random(options.pop('seed', 1))
    for number in range(count):
        with open(f'{folder}/{number + 1:04}.json', 'w', encoding='utf-8') as out:
            json.dump(report(number, mean * math.exp(draw.gauss(0, spread)), config=options), out)


if __name__ == '__main__':
    main()
