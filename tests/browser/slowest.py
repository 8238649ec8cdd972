# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of slow requests and of plans on a page, and the requests of a cell of the heat map, in headless Chromium."""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import check, check_quiet, load, main, page, place_in_chart, steadily, store, sysrate  # noqa: E402

ROWS = 'return [...document.querySelectorAll(arguments[0] + " tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText))'


def measure_slow(folder):
    """Runs sysrate with slow requests. Returns the report."""
    script = f'{folder}/slow.lua'
    with open(script, 'w', encoding='utf-8') as out:
        out.write('function thread_init() con = sysbench.sql.driver():connect() end\n'
                  'function event() con:query("SELECT c FROM accounts") con:query("COMMIT") end\n')
    steadily(sysrate, '--db-driver=null', '--null-waits=IO=2ms,Lock:row=50ms@5', '--tx-rate=100', '--threads=16', '--time=3',
             '--wait-events=50', '--slowest=12', '--report-interval=0.5', '--rand-seed=1', f'--json={folder}/slow.json', script, 'run')
    return load(f'{folder}/slow.json')


def cell_of(report, request):
    """Returns the cell of a request: (its interval, the lowest and the highest response time of its bucket in ms)."""
    interval = next(i for i in report['intervals'] if i['to_s'] >= request['ended_s'])
    low = max(lower for lower, _ in interval['response_histogram'] if lower <= request['response_ms'] * 1e6)
    scale = 2 ** max(0, low.bit_length() - 3)   # each power of two has four buckets
    return interval, low / 1e6, (low + scale) / 1e6


def kept_in(report, cell):
    """Returns the requests that were kept in a cell, the slowest first."""
    interval, low, high = cell
    kept = report['slowest']['requests'] + report['slowest']['others']
    inside = [r for r in kept if interval['from_s'] < r['ended_s'] <= interval['to_s'] and low <= r['response_ms'] < high]
    return sorted(inside, key=lambda r: -r['response_ms'])


def click_on(browser, cell):
    """Clicks in the middle of a cell. The place of a request may be less than a pixel away from the next cell."""
    interval, low, high = cell
    browser.click_at(*place_in_chart(browser, 'heat-0', (interval['from_s'] + interval['to_s']) / 2, (low + high) / 2))


def check_table(report, rows):
    requests = report['slowest']['requests']
    check('table: a row per request', len(rows) == len(requests) == 12, len(rows))
    slow = next(i for i, r in enumerate(requests) if any(s['ms'] > 50 for s in r['statements']))
    row, statements = rows[slow], requests[slow]['statements']
    check('table: response time', abs(float(row[0]) - requests[slow]['response_ms']) < 0.006, (row, requests[slow]))
    check('table: statements', [line.split(': ')[1].split(',')[0] for line in row[8].split('\n')] == [s['class'] for s in statements], row)
    check('table: durations', all(f"{s['ms']:.2f} ms" in row[8] for s in statements), (row, statements))
    check('table: waits', all(wait['event'] in row[9] for wait in requests[slow]['waits']), row)


def test_slowest(browser, folder):
    report = measure_slow(folder)
    browser.open(page(folder, 'slow', f'{folder}/slow.json'))
    check_table(report, browser.run(ROWS, '#slowest'))
    for what, request in (('the slowest request', report['slowest']['requests'][0]),
                          ('an ordinary request', min(report['slowest']['others'], key=lambda r: r['response_ms']))):
        cell = cell_of(report, request)
        expected = [f"{r['response_ms']:.2f}" for r in kept_in(report, cell)]
        click_on(browser, cell)
        seen = [row[0] for row in browser.run(ROWS, '#heat-0 .cell')]
        check(f'cell of {what}: its requests', seen == expected and f"{request['response_ms']:.2f}" in seen, (seen, expected))
    said = browser.run('return document.getElementById("said").textContent')
    check('cell: the number is said', said.endswith(f', {len(expected)} kept'), said)
    check_quiet(browser, 'slow requests')


def test_keys(browser, folder):
    """The key Enter shows the requests of the cell that is being read."""
    browser.run('document.querySelector("#heat-0 .plot").focus()')
    browser.press('Right', 'Right', 'Up', 'Enter')
    said = browser.run('return document.getElementById("said").textContent')
    check('keys: Enter shows the cell', ' kept' in said, said)


def test_hostile(browser, folder):
    """Texts that come from the server are never interpreted as HTML. Requests without waits have empty cells."""
    report = load(f'{folder}/slow.json')
    request = report['slowest']['requests'][0]
    request['blocked_by'] = [{'event': 'Lock', 'table': '<b>t</b>', 'percent': 100, 'blocker': {
        'session': 1, 'program': '<img src=x onerror=alert(1)>', 'user': None, 'state': None, 'seconds': 1, 'text': '<script>1</script>'}}]
    request['statements'][0].update(ms=None, rows=None)
    request['statements'][1].update(error={'code': 1213, 'state': '40001'})
    del report['slowest']['requests'][1]['waits'], report['slowest']['requests'][1]['blocked_by']
    browser.open(page(folder, 'hostile', store(folder, 'hostile', report)))
    rows = browser.run(ROWS, '#slowest')
    check('hostile: text stays text', rows[0][10] == 'blocked by session 1 (<img src=x onerror=alert(1)>, 1.0 s), on <b>t</b>: <script>1</script>', rows[0][10])
    check('hostile: a statement that has not finished', 'not finished' in rows[0][8] and 'error 1213 (40001)' in rows[0][8], rows[0][8])
    check('hostile: without waits', rows[1][9:] == ['', ''], rows[1])
    check_quiet(browser, 'hostile texts')


def test_none(browser, folder):
    browser.open(page(folder, 'none', f'{folder}/threads4.json'))
    check('none: no table', browser.run('return document.getElementById("slowest").hidden'))
    browser.run('document.querySelector("#heat-0 .plot").scrollIntoView({block: "center"})')
    browser.click('#heat-0 .plot')
    check('none: a click shows nothing', browser.run('return document.querySelectorAll(".cell").length') == 0)
    check_quiet(browser, 'none')


def test_plans(browser, folder):
    """The table has all classes, those whose plan changed first; the shapes are never interpreted as HTML."""
    report = load(f'{folder}/threads4.json')
    shape = {'hash': '0', 'shape': 'Seq Scan <b>t</b>'}
    report['plans'] = [{'class': 'select t', 'changed': False, 'first': shape, 'last': shape},
                       {'class': 'update t', 'changed': True, 'first': shape, 'last': {'hash': '1', 'shape': 'Index Scan'}},
                       {'class': 'delete t', 'changed': False, 'first': None, 'last': None, 'failure': 'no right'}]
    browser.open(page(folder, 'plans', store(folder, 'plans', report)))
    rows = browser.run(ROWS, '#plans')
    check('plans: a row per class', rows == [
        ['update t', 'changed', 'Seq Scan <b>t</b>', 'Index Scan'], ['select t', 'as before', 'Seq Scan <b>t</b>', ''],
        ['delete t', 'not explained: no right', '–', '']], rows)
    check_quiet(browser, 'plans')


if __name__ == '__main__':
    sys.exit(main(test_slowest, test_keys, test_hostile, test_none, test_plans))
