# SPDX-License-Identifier: GPL-2.0-or-later
"""
check_dashboard.py [--hosts] [--server=URL] DASHBOARD PAGE: is the dashboard one that Grafana takes, and does the page of metrics
have all that its queries name? Prints what is wrong, a line each; exit code 1 when anything is.

The form is that of Grafana's "classic" JSON model, as far as a dashboard of ours uses it: a field that is not listed here is an
error, and so is a panel that would lie on another one. Series of hosts are in the page of a run on several only: --hosts.
--server executes the queries on a Prometheus that has scraped the page, and each must have an answer.
"""
import json
import re
import sys
import urllib.parse
import urllib.request

COLUMNS = 24  # Grafana's grid
UNITS = {'reqps', 's', 'short', 'cps', 'ops'}
PANELS = {'stat', 'timeseries', 'heatmap', 'row'}
ADDED_BY_PROMETHEUS = {'instance', 'job'}
SOURCE = {'type': 'prometheus', 'uid': '${datasource}'}

# What each kind of object may have; those with an asterisk it must have.
DASHBOARD = {'*id': type(None), '*uid': str, '*title': str, 'description': str, '*tags': list, 'timezone': str, 'editable': bool,
             'graphTooltip': int, 'refresh': str, '*schemaVersion': int, '*version': int, '*time': dict, 'timepicker': dict,
             'links': list, 'annotations': dict, '*templating': dict, '*panels': list}
PANEL = {'*id': int, '*type': str, '*title': str, 'description': str, '*datasource': dict, '*gridPos': dict, '*fieldConfig': dict,
         '*options': dict, '*targets': list}
ROW = {'*id': int, '*type': str, '*title': str, '*collapsed': bool, '*panels': list, '*gridPos': dict}
PLACE = {'*x': int, '*y': int, '*w': int, '*h': int}
FIELDS = {'*defaults': dict, '*overrides': list}
DEFAULTS = {'*unit': str, 'min': int, 'custom': dict}
TARGET = {'*refId': str, '*datasource': dict, '*expr': str, 'legendFormat': str, 'range': bool, 'format': str}
VARIABLE = {'*name': str, 'label': str, '*type': str, '*query': (str, dict), 'datasource': dict, 'refresh': int,
            'sort': int, 'multi': bool, 'includeAll': bool, 'allValue': str, 'current': dict}

wrong = []


def require(condition, message):
    if not condition:
        wrong.append(message)


def form(where, found, fields):
    """Names and types of an object's fields."""
    known = {name.lstrip('*'): kind for name, kind in fields.items()}
    for name in [name[1:] for name in fields if name[0] == '*']:
        require(name in found, f'{where}: no "{name}"')
    for name, value in found.items():
        require(name in known, f'{where}: "{name}" is not known')
        kind = known.get(name, object)
        right = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
        require(right, f'{where}: "{name}" has the wrong type')


def without_twins(pairs):
    require(len(dict(pairs)) == len(pairs), f'a field twice: {[name for name, _ in pairs]}')
    return dict(pairs)


def exported(path):
    """Names of the page's series, each with its labels."""
    series = {}
    with open(path, encoding='utf-8') as page:
        for line in page:
            match = re.match(r'(sysrate_\w+)(?:\{(.*)\})? \S+$', line)
            if match:
                series.setdefault(match[1], set()).update(re.findall(r'(\w+)="', match[2] or ''))
    return series


def check_query(where, query, series, variables):
    for opening, closing in ('()', '[]', '{}'):
        require(query.count(opening) == query.count(closing), f'{where}: {opening} and {closing} are not as many')
    names = re.findall(r'\bsysrate_\w+', query)
    require(names, f'{where}: no metric')
    labels = set(ADDED_BY_PROMETHEUS)
    for name in names:
        require(name in series, f'{where}: {name} is not exported')
        labels |= series.get(name, set())
    named = re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', query)
    for group in re.findall(r'\bby \(([^)]*)\)', query):
        named += re.findall(r'\w+', group)
    for label in named:
        require(label in labels, f'{where}: no label {label}')
    for variable in re.findall(r'\$(\w+)', query):
        require(variable in variables or variable == '__rate_interval', f'{where}: no variable ${variable}')


def check_place(where, panel, taken):
    place = panel['gridPos']
    form(where, place, PLACE)
    require(place['x'] >= 0 and place['w'] > 0 and place['x'] + place['w'] <= COLUMNS, f'{where}: wider than the grid')
    cells = {(x, y) for x in range(place['x'], place['x'] + place['w']) for y in range(place['y'], place['y'] + place['h'])}
    require(cells and not cells & taken, f'{where}: lies on another panel')
    taken |= cells


def check_panel(panel, series, variables, hosts):
    """Returns the queries."""
    where = panel['title']
    form(where, panel, PANEL)
    form(where, panel['fieldConfig'], FIELDS)
    defaults = panel['fieldConfig']['defaults']
    form(where, defaults, DEFAULTS)
    require(defaults['unit'] in UNITS, f'{where}: unit {defaults["unit"]}')
    require(panel['datasource'] == SOURCE, f'{where}: another data source')
    refs = [target['refId'] for target in panel['targets']]
    require(refs and len(set(refs)) == len(refs), f'{where}: each target needs a refId of its own')
    queries = []
    for target in panel['targets']:
        form(where, target, TARGET)
        require(target['datasource'] == SOURCE, f'{where}: another data source')
        for label in re.findall(r'\{\{(\w+)\}\}', target.get('legendFormat', '')):
            require(re.search(rf'\bby \([^)]*\b{label}\b', target['expr']), f'{where}: the legend names {label}, the query does not')
        if hosts or 'sysrate_host_' not in target['expr']:
            check_query(where, target['expr'], series, variables)
            queries.append((where, target['expr']))
    return queries


def check_variables(dashboard, series):
    names = set()
    for variable in dashboard['templating']['list']:
        form(variable['name'], variable, VARIABLE)
        names.add(variable['name'])
        for name in re.findall(r'sysrate_\w+', variable.get('definition', '')):
            require(name in series, f'variable {variable["name"]}: {name} is not exported')
    require('datasource' in names, 'no variable "datasource"')
    return names


def execute(server, where, query):
    query = query.replace('$__rate_interval', '4s').replace('$instance', '.*')
    with urllib.request.urlopen(f'{server}/api/v1/query?' + urllib.parse.urlencode({'query': query}), timeout=10) as answer:
        require(json.load(answer)['data']['result'], f'{where}: no answer: {query}')


def main():
    options = [word for word in sys.argv[1:] if word.startswith('--')]
    path, page = [word for word in sys.argv[1:] if not word.startswith('--')]
    with open(path, encoding='utf-8') as text:
        dashboard = json.load(text, object_pairs_hook=without_twins)
    series = exported(page)
    form('dashboard', dashboard, DASHBOARD)
    if wrong:
        print('\n'.join(wrong))
        return 1
    require(re.fullmatch(r'[\w-]{1,40}', dashboard['uid']), 'uid')
    require(dashboard['schemaVersion'] >= 36, 'schemaVersion: data sources are objects since 36')
    require(set(dashboard['time']) == {'from', 'to'}, 'time has from and to')
    variables = check_variables(dashboard, series)
    ids = [panel['id'] for panel in dashboard['panels']]
    require(len(set(ids)) == len(ids), 'two panels have one id')
    taken, queries = set(), []
    for panel in dashboard['panels']:
        require(panel['type'] in PANELS, f'{panel["title"]}: type {panel["type"]}')
        check_place(panel['title'], panel, taken)
        if panel['type'] == 'row':
            form(panel['title'], panel, ROW)
        else:
            queries += check_panel(panel, series, variables, '--hosts' in options)
    for server in [option.split('=', 1)[1] for option in options if option.startswith('--server=')]:
        for where, query in queries:
            execute(server, where, query)
    print('\n'.join(wrong) or f'{len(ids)} panels, {len(queries)} queries')
    return 1 if wrong else 0


sys.exit(main())
