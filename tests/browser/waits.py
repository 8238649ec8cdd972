# SPDX-License-Identifier: GPL-2.0-or-later
"""
Waits in headless Chromium: the chart with a band per wait, the table and the cause, the waits of outages and injections. The runs use
the null driver, whose statements wait as --null-waits says.
"""
import copy
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import check, check_quiet, load, main, page, steadily, store, sysrate  # noqa: E402

HOSTILE = '</script><img src=x onerror="window.hacked = 1">'
CHART = 'group.charts.find((chart) => chart.figure.id === "waits-chart")'
ROWS = '[...document.querySelectorAll("#waits tr")].map((row) => [...row.cells].map((cell) => cell.textContent))'


def sample(folder, name, waits, *more):
    path = f'{folder}/{name}.json'
    with open(f'{folder}/query.lua', 'w', encoding='utf-8') as out:
        out.write('function thread_init() con = sysbench.sql.driver():connect() end\nfunction event() con:query("SELECT 1") end\n')
    steadily(sysrate, '--db-driver=null', f'--null-waits={waits}', '--tx-rate=100', '--threads=16', '--time=3', '--report-interval=0.5',
             '--wait-events=50', f'--json={path}', '--inject=1s: sh: sleep 0.5', *more, f'{folder}/query.lua', 'run')
    return path


def near(one, other):
    return abs(one - other) <= 0.0002 * max(1, abs(other))  # the page has five digits


def check_chart(browser, report):
    """The bands of an interval lie on each other, and their heights are the shares of the JSON."""
    seen = browser.run(f'''const chart = {CHART};
        return timeline.xs.map((_, i) => chart.spec.series.map((one) => [one.label, one.own(i), one.value(i)]))''')
    wrong = []
    for interval, bands in zip(report['intervals'], seen):
        waits = interval['wait_events']
        expected = {**waits['events'], 'client late': waits['client_late_percent'], 'waiting for a worker': waits['waiting_percent'],
                    'in service, not divided': waits['undivided_percent']}
        below = 0
        for label, own, top in bands:
            if not near(own, expected.pop(label, 0)) or not near(top, below + own):
                wrong.append((label, own, top, below))
            below = top
        if any(value > 0 for value in expected.values()) or not 99.9 < below < 100.1:
            wrong.append((expected, below))
    check('chart: bands are those of the JSON, up to 100 %', len(seen) >= 5 and wrong == [], wrong)
    painted = browser.run(f'''const chart = {CHART}, canvas = chart.plot.querySelector("canvas"), scale = canvas.width / canvas.clientWidth;
        chart.figure.scrollIntoView({{block: "center"}});
        const copy = document.createElement("canvas").getContext("2d", {{willReadFrequently: true}});
        return timeline.xs.flatMap((x, i) => x > 1 && x < 2.2 ? [] : chart.spec.series.filter((one) => one.own(i) > 10).map((one) => {{
            const place = [chart.graph.toDomXCoord(x - 0.1), chart.graph.toDomYCoord(one.value(i) - one.own(i) / 2)].map((at) => Math.round(at * scale));
            copy.clearRect(0, 0, 1, 1);
            copy.drawImage(canvas, -place[0], -place[1]);
            const expected = document.createElement("canvas").getContext("2d", {{willReadFrequently: true}});
            expected.fillStyle = seriesColor(one.color);
            expected.fillRect(0, 0, 1, 1);
            const [own, other] = [copy, expected].map((context) => [...context.getImageData(0, 0, 1, 1).data].join());
            return own === other;
        }}))''')
    check(f'chart: {len(painted)} bands are filled with their colours', len(painted) >= 2 and all(painted), painted)


def cell(share):
    return f'{share["percent"]:.1f}\u00a0% ±\u00a0{max(0.1, share["error"]):.1f}' if share else '–'


def check_table(browser, report):
    waits = report['wait_events']
    rows = browser.run(f'return {ROWS}')
    columns = ('all', 'p95', 'p99')
    check('table: the columns', rows[0] == ['', 'all', 'above p95', 'above p99'], rows[0])
    check('table: the time before the service',
          rows[1] == ['client late', *(f'{waits["requests"][c]["client_late_percent"]:.1f}\u00a0%' for c in columns)], rows[1])
    expected = [[row['event'], *(cell(row[c]) for c in columns)] for row in waits['events']
                if any(row[c] and row[c]['percent'] >= 0.05 for c in columns)]
    check('table: a row per event', len(expected) >= 2 and rows[3:3 + len(expected)] == expected, (rows, expected))


def test_one(browser, folder):
    report = load(sample(folder, 'one', 'IO=2ms:exp,Lock:row=100ms:exp@20,wait/io/net=1ms'))
    browser.open(page(folder, 'one', f'{folder}/one.json'))
    check_chart(browser, report)
    check_table(browser, report)
    text = browser.run('return document.getElementById("injections").textContent')
    largest = max(report['injections'][0]['wait_events']['events'].items(), key=lambda event: event[1])
    check('injection: its waits', f'waits: {largest[0]} {largest[1]:.0f} %' in text, text)
    check_quiet(browser, 'one run')
    browser.devtools('Emulation.setDeviceMetricsOverride', width=390, height=800, deviceScaleFactor=1, mobile=True)
    browser.open(page(folder, 'one', f'{folder}/one.json'))
    width, table = browser.run('return [document.documentElement.scrollWidth, document.querySelector("#waits table").scrollWidth]')
    check('phone: nothing is wider than the window, nor is the table', width <= 390 and table <= 390, (width, table))
    browser.devtools('Emulation.clearDeviceMetricsOverride')


def test_text(browser, folder):
    """What the null driver cannot do: blockers, a cause, notes, many events, an outage; and names that look like HTML."""
    report = load(f'{folder}/one.json')
    waits = report['wait_events']
    lock = next(row for row in waits['events'] if row['event'] == 'Lock:row')
    stranger = {'session': 4711, 'program': 'psql', 'user': HOSTILE, 'state': 'idle', 'seconds': 2.0, 'text': HOSTILE}
    lock['blocked_by'] = [{'table': 'accounts', 'blocker': stranger, 'percent': 91.2}, {'table': None, 'blocker': 'run', 'percent': 8.8}]
    waits['cause'] = {'event': 'lock waits', 'percent': 91, 'error': 2, 'sentence': f'p99 is lock waits, {HOSTILE}.'}
    waits['notes'] = ['GRANT PROCESS']
    waits['requests']['p99'].update(divided=False, enough_s=70, samples=3, effective_requests=2.0)
    for row in waits['events']:
        row['p99'] = None
    for i, interval in enumerate(report['intervals']):
        interval['wait_events'].update(events={f'event {k}' if k else HOSTILE: 10 - k for k in range(i % 2 * 5, 10)}, waiting_percent=0,
                                       client_late_percent=0, undivided_percent=0)
    report['outages']['list'] = [{'host': None, 'from_s': 1, 'to_s': 2, 'ended': True, 'lost': 0, 'level_ms': None, 'back_after_s': None,
                                  'disconnected': 0, 'connected_after_s': None,
                                  'wait_events': {'samples': 9, 'events': {'A': 1, HOSTILE: 60, 'C': 39}}}]
    browser.open(page(folder, 'text', store(folder, 'text', report)))
    text = browser.run('return document.getElementById("waits").textContent')
    check('text: the blocker', f'on accounts, blocked by session 4711 (psql, {HOSTILE}, idle, 2.0 s): 91 %{HOSTILE}' in text, text)
    check('text: other workers', 'blocked by this run: 9 %' in text, text)
    check('text: too few samples', 'Requests above p99: 3 samples of 2 requests are too few; a run of 70 s would suffice.' in text, text)
    check('text: not divided', 'in service, not divided' in text, text)
    check('text: the note', 'GRANT PROCESS' in text, text)
    check('text: the cause is next to the verdict', f'p99 is lock waits, {HOSTILE}.' in browser.run('return document.getElementById("verdict").textContent'))
    outage = browser.run('return [...document.querySelectorAll("#outages tr")].map((row) => row.cells[row.cells.length - 1].textContent)')
    check('text: waits of the outage', outage == ['waits', f'{HOSTILE} 60 %, C 39 %, A 1 %'], outage)
    labels = browser.run(f'return {CHART}.spec.series.map((one) => one.label)')
    check('text: eight bands at most', len(labels) == 8 and labels[-1] == '3 others' and HOSTILE in labels, labels)
    last = browser.run(f'return {CHART}.spec.series.at(-1).value(0)')
    check('text: the last band has the rest', near(last, 55), last)
    check('text: nothing is interpreted as HTML', browser.run('return window.hacked === undefined && document.images.length === 0'))
    check_quiet(browser, 'text')


def test_many(browser, folder):
    """Several runs have one table, side by side; a run may lack the waits."""
    report = load(f'{folder}/one.json')
    other = copy.deepcopy(report)
    other['config']['threads'] = 8
    other['wait_events']['events'] = other['wait_events']['events'][:1]
    plain = copy.deepcopy(report)
    plain['config']['threads'] = 4
    del plain['wait_events']
    browser.open(page(folder, 'many', *(store(folder, name, one) for name, one in (('a', report), ('b', other), ('c', plain)))))
    rows = browser.run(f'return {ROWS}')
    slow = report['wait_events']['requests']['p99']['divided']
    check('several runs: a column per run', rows[0] == ['above p99', 'threads=16', 'threads=8', 'threads=4'], rows[0])
    check('several runs: a run without waits', rows[1][0] == 'client late' and rows[1][1] == rows[1][2] != '–' == rows[1][3], rows[1])
    first = report['wait_events']['events'][0]
    check('several runs: shares above p99', [first['event'], cell(first['p99']), cell(first['p99']), '–'] in rows or not slow, rows)
    check('several runs: no chart of waits', browser.run(f'return {CHART} === undefined'))
    check_quiet(browser, 'several runs')


def test_nothing_sampled(browser, folder):
    """The user may not see the sessions: only the note is there."""
    report = load(f'{folder}/one.json')
    report['wait_events'].update(statements=0, samples=0, events=[], cause=None, notes=['GRANT PROCESS'])
    for interval in report['intervals']:
        interval['wait_events'].update(samples=0, events={}, undivided_percent=100, waiting_percent=0, client_late_percent=0)
    browser.open(page(folder, 'none', store(folder, 'none', report)))
    check('nothing sampled: the note', 'GRANT PROCESS' in browser.run('return document.getElementById("waits").textContent'))
    check('nothing sampled: no table', browser.run(f'return {ROWS}') == [])
    check_quiet(browser, 'nothing sampled')


if __name__ == '__main__':
    sys.exit(main(test_one, test_text, test_many, test_nothing_sampled))
