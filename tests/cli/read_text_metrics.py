# SPDX-License-Identifier: GPL-2.0-or-later
"""
read_text_metrics.py FILE: parses metrics in Prometheus' text format 0.0.4 as strictly as node_exporter does, which refuses a
whole file for one line: known types only, each family declared once and before its samples, all of its lines together, nothing
that only OpenMetrics knows. Prints completed requests and observed response times.
"""
import re
import sys

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
COMMENT = re.compile(r'# (HELP|TYPE) (%s) (.+)' % NAME)
SAMPLE = re.compile(r'(%s)(?:\{(%s(?:,%s)*),?\})? (\S+)' % (NAME, LABEL, LABEL))
TYPES = ('counter', 'gauge', 'histogram', 'summary', 'untyped')
PARTS = {'histogram': ('_bucket', '_sum', '_count')}


class Family:
    def __init__(self, name):
        self.name = name
        self.words = {}  # HELP, TYPE
        self.samples = {}

    def takes(self, sample):
        return sample in [self.name + part for part in PARTS.get(self.words.get('TYPE'), ('',))]


def declare(families, word, name, rest):
    if not families or families[-1].name != name:
        assert name not in [family.name for family in families], 'twice: ' + name
        families.append(Family(name))
    words = families[-1].words
    assert word not in words and not families[-1].samples, 'twice or late: %s %s' % (word, name)
    assert word != 'TYPE' or rest in TYPES, 'unknown metric type "%s"' % rest
    words[word] = rest


def add_sample(families, name, labels, value):
    assert families and families[-1].takes(name), 'not of the family above: ' + name
    samples = families[-1].samples
    assert (name, labels) not in samples, 'twice: %s %s' % (name, labels)
    samples[name, labels] = float(value)


def parse(text):
    assert text.endswith('\n'), 'no newline at the end'
    families = []
    for line in text[:-1].split('\n'):
        comment, sample = COMMENT.fullmatch(line), SAMPLE.fullmatch(line)
        assert comment or sample, 'not in this format: ' + line
        if comment:
            declare(families, *comment.groups())
        else:
            add_sample(families, *sample.groups())
    return families


def labels_but_bound(labels):
    return ','.join(label for label in re.findall(LABEL, labels or '') if not label.startswith('le='))


def check_histogram(family):
    """Bounds ascend to +Inf, counts do not fall, and the last one is the count, for each set of labels."""
    series = {}
    for (name, labels), value in family.samples.items():
        if name.endswith('_bucket'):
            bound = float(re.search(r'\ble="([^"]+)"', labels).group(1))
            series.setdefault(labels_but_bound(labels), []).append((bound, value))
    assert series, family.name
    for labels, buckets in series.items():
        bounds, counts = zip(*buckets)
        assert list(bounds) == sorted(set(bounds)) and bounds[-1] == float('inf'), (family.name, bounds)
        assert list(counts) == sorted(counts), (family.name, counts)
        assert counts[-1] == family.samples[family.name + '_count', labels or None], family.name
        assert (family.name + '_sum', labels or None) in family.samples, family.name


def main():
    with open(sys.argv[1], encoding='utf-8', newline='') as file:
        families = {family.name: family for family in parse(file.read())}
    for family in families.values():
        kind = family.words['TYPE']
        assert family.samples, 'no sample: ' + family.name
        assert family.name.endswith('_total') == (kind == 'counter'), (family.name, kind)
        if kind == 'histogram':
            check_histogram(family)
    print(int(families['sysrate_requests_completed_total'].samples['sysrate_requests_completed_total', None]),
          int(families['sysrate_response_seconds'].samples['sysrate_response_seconds_count', None]))


main()
