# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a report of schema 1 in the words of schema 2: schema2.py FILE. By another way than the program: by the places of names."""
import json
import re
import sys

PERCENT = ('cpu_busy', 'cpu_steal', 'buffer_hit')
HISTOGRAMS = ('histogram', 'censored', 'sums')


def percentage(name):
    return f'{name[:-4]}_percent' if name.endswith('_pct') and name[:-4] in PERCENT else name


def new_key(key, path):
    """Of the member `key` of what stands at `path`."""
    within = path[-1] if path else ''
    if within in ('percentiles', 'lateness_ms'):
        return f'p{key}'
    if re.fullmatch('intervals|ranks|repeats', within):
        return {'threads': 'workers', 'queue_length': 'queue', 'concurrency': 'busy', 'targets': 'hosts'}.get(key, key)
    if within in ('summary', 'checkpoints'):
        return {'trust': 'audit', 'targets': 'hosts'}.get(key, key)
    if within in HISTOGRAMS and 'histogram' in path:
        return {'lag': 'generator_lag'}.get(key, key)
    if 'effects' in path[-2:]:
        return {'no_ops': 'no_op_writes'}.get(key, key)
    if within == 'probes':
        return {'host': 'machine'}.get(key, key)
    return percentage(key)


def convert(value, path=()):
    if path[:1] == ('config',) or path[:1] == ('server_config',):
        return value
    if isinstance(value, list):
        return [convert(element, path) for element in value]
    if not isinstance(value, dict):
        return value
    result = {new_key(key, path): convert(member, (*path, key)) for key, member in value.items()}
    if path == ('probes', 'sources'):
        result['name'] = {'host': 'machine'}.get(result['name'], result['name'])
    if path == ('probes', 'sources', 'series'):
        result['name'] = percentage(result['name'])
    return result


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        report = json.load(file)
    report = convert(report)
    report['schema'] = 2
    json.dump(report, sys.stdout, separators=(',', ':'))


main()
