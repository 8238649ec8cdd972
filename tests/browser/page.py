# SPDX-License-Identifier: GPL-2.0-or-later
"""
Pages of runs in headless Chromium: charts drawn, zoom linked, no message on the console, nothing fetched, strings of users shown
as text, figures equal to those of the JSON, a day of one-second intervals.
"""
import base64
import copy
import glob
import json
import os
import sys
from statistics import median

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import (CHARTS_OF_ONE, DAY_S, at, check, check_drawn, check_lines, check_quiet, day_page, drawn_as, load, main, measure,  # noqa: E402
                      page, store, sysrate)

CHARTS_OF_MANY = ['varied', 'heat-0', 'heat-1', 'heat-2', 'response', 'throughput', 'queue', 'busy', 'wait', 'service', 'distribution']
HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">\u2028\u2029&amp;"\'<!--'
MARKUP = '<img src=x onerror="window.hacked=3">'
ROWS_LIMIT = 10_000  # three lines have 4202 rows: up to two for each line in each of 700 spans
SIZE_LIMIT = 30_000_000  # bytes


def check_summary(browser, what, reports):
    rows = browser.run('''return [...document.querySelectorAll("#summary tr[data-key]")].map((row) =>
        [row.dataset.key, ...[...row.cells].slice(1).map((cell) => [cell.dataset.value ?? null, cell.textContent])])''')
    wrong = []
    for key, *cells in rows:
        for (value, text), report in zip(cells, reports):
            figure = at(report['summary'], key)
            exact = value == figure if isinstance(figure, str) else figure is None and value is None or float(value) == figure
            shown = not isinstance(figure, (int, float)) or abs(float(text.lstrip('>')) - figure) <= 0.005 * abs(figure)
            if not (exact and shown):
                wrong.append((key, value, text, figure))
    check(f'{what}: {len(rows)} rows of the summary are those of the JSON', len(rows) > 25 and wrong == [], wrong)

def check_distribution(browser, report):
    for p, entry in report['summary']['response_ms']['percentiles'].items():
        shown = browser.run('''const curve = group.charts.find((chart) => chart.figure.id === "distribution");
            return curve.spec.series[0].value(Math.round(tailOfPercentile(arguments[0]) / TAIL_STEP))''', float(p[1:]))
        # The curve has a point every hundredth of a power of ten, so its nearest point is off the percentile by up to 0.5 % of the tail.
        check(f'one run: the distribution at {p}', abs(shown - entry['value']) <= 0.1 * entry['value'], (shown, entry))
    exact = browser.run('return tailCurve(distributionOf(runs[0], "response"))[100]')
    histogram = report['summary']['histogram']
    values = sorted(v for pair in histogram['response'] + histogram['censored']['response'] for v in [pair[0]] * pair[1])
    rank = -(-len(values) * 9 // 10)
    check('one run: the distribution at 90 % exactly', abs(exact * 1e6 - values[rank - 1]) <= values[rank - 1] / 500, (exact, values[rank - 1]))


def check_zoom(browser):
    box = browser.run('const box = document.querySelector("#throughput .plot").getBoundingClientRect();'
                      'return [box.left, box.top, box.width, box.height]')
    left, top, width, height = box
    if top + height > browser.run('return innerHeight'):
        browser.run('document.querySelector("#throughput").scrollIntoView({block: "center"})')
        left, top, width, height = browser.run('const box = document.querySelector("#throughput .plot").getBoundingClientRect();'
                                               'return [box.left, box.top, box.width, box.height]')
    browser.drag(left + width * 0.4, left + width * 0.7, top + height / 2)
    windows = browser.run('return group.charts.filter((chart) => chart.spec.overTime).map((chart) => chart.graph.xAxisRange())')
    low, high = windows[0]
    check('zoom: a drag narrows the window', 0.3 < low < 1.3 and 1.2 < high < 2.2 and high - low < 1.2, windows)
    check('zoom: all charts over time follow', all(window == windows[0] for window in windows), windows)
    check('zoom: there is a way back', not browser.run('return document.getElementById("reset").disabled'))
    browser.run('document.getElementById("reset").click()')
    check('zoom: the way back', browser.run('return group.charts[1].graph.xAxisRange()') == [0, browser.run('return timeline.xs.at(-1)')],
          browser.run('return group.charts[1].graph.xAxisRange()'))


def check_log(browser):
    for state in (True, False):
        browser.run('const log = document.getElementById("log"); if (log.checked !== arguments[0]) log.click()', state)
        check(f'log switch {state}', browser.run('return group.charts[1].graph.attributes_.getForAxis("logscale", 0)') is state)


def check_themes(browser):
    for scheme in ('dark', 'light'):
        browser.devtools('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        colors = browser.run('return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]')
        back, text = (sum(map(int, color[4:-1].split(', '))) for color in colors)
        check(f'{scheme}: text stands out', (text - back if scheme == 'dark' else back - text) > 400, colors)
        check(f'{scheme}: the lines are drawn in its colours',
              browser.run('const same = () => group.charts[1].graph.getColors()[0] === seriesColor(group.charts[1].spec.series[0].color);'
                          'return new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(same()), 50)))'))


def check_cards(browser, what):
    """On a phone each row of the first table is a card, which is entirely within the window, including the verdict."""
    browser.devtools('Emulation.setDeviceMetricsOverride', width=360, height=740, deviceScaleFactor=2, mobile=True)
    seen = browser.run('''const box = document.getElementById("glance-box"), rights = [...document.querySelectorAll("#glance tbody :is(th, td)")]
        .map((cell) => cell.getBoundingClientRect().right);
        return [box.scrollWidth, box.clientWidth, Math.max(...rights), rights.length]''')
    check(f'{what}, phone: the first table is within the window', seen[0] <= seen[1] and seen[2] <= 360 and seen[3] > 10, seen)
    above = browser.run('''return [...document.querySelectorAll("#glance tbody tr")].every((row) =>
        row.cells[8].getBoundingClientRect().bottom <= row.cells[1].getBoundingClientRect().top)''')
    check(f'{what}, phone: the verdict is the first item', above)
    browser.devtools('Emulation.clearDeviceMetricsOverride')


def check_filled(browser, what):
    """Charts next to each other fill the width of the page: no row has a gap."""
    rows = browser.run('''const main = document.getElementById("charts").getBoundingClientRect(), ends = new Map();
        for (const figure of document.querySelectorAll("#charts figure")) {
          const { top, right } = figure.getBoundingClientRect();
          ends.set(Math.round(top), Math.max(right, ends.get(Math.round(top)) || 0));
        }
        return [...ends.values()].map((right) => Math.round(main.right - right))''')
    check(f'{what}: no gap next to a chart', len(rows) > 3 and max(rows) <= 1, rows)


def check_phone(browser):
    browser.devtools('Emulation.setDeviceMetricsOverride', width=360, height=740, deviceScaleFactor=2, mobile=True)
    # The charts adapt to the size of the window a little later.
    width = browser.run('return new Promise((done) => { const look = (left) => { const width = document.documentElement.scrollWidth; '
                        'if (width <= 360 || left === 0) done(width); else setTimeout(() => look(left - 1), 50); }; look(100); })')
    check('phone: nothing is wider than the window', width <= 360, width)
    browser.devtools('Emulation.clearDeviceMetricsOverride')


def test_varying_rate(browser, folder):
    """A tile with a rate that varies breaks lines between the points of the profile only."""
    report = load(f'{folder}/threads4.json')
    report['config']['rate'] = '0s:100,14s:300,14s:3000,16s:3000,16s:300,30s:300'
    browser.open(page(folder, 'varying', store(folder, 'varying', report)))
    note = browser.run('return document.querySelector("#tiles [data-key=asked] .note").textContent')
    check('varying rate: blanks in the tile', note == '0s:100, 14s:300, 14s:3000, 16s:3000, 16s:300, 30s:300', note)
    lines = browser.run('''const text = document.querySelector("#tiles [data-key=asked] .note").firstChild, tops = new Map();
        for (let i = 0; i < text.length; i++) {
          const range = document.createRange();
          range.setStart(text, i);
          range.setEnd(text, i + 1);
          const top = Math.round(range.getBoundingClientRect().top);
          tops.set(top, (tops.get(top) || "") + text.data[i]);
        }
        return [...tops.values()].map((line) => line.trim()).filter(Boolean)''')
    check('varying rate: no line ends within a number', len(lines) > 1 and all(line.endswith(',') for line in lines[:-1]), lines)


def check_steps(browser):
    """
    Each value is drawn from the start to the end of its interval, where the heat map has the interval's column. The lines of the
    chart of the throughput are recorded while it is drawn again.
    """
    missing = browser.run('''const chart = group.charts.find((chart) => chart.figure.id === "throughput"), { graph, spec } = chart;
        const drawn = [], own = CanvasRenderingContext2D.prototype, { lineTo, moveTo } = own;
        own.lineTo = function (x, y) { drawn.push([x, y]); return lineTo.call(this, x, y); };
        own.moveTo = function (x, y) { drawn.push([x, y]); return moveTo.call(this, x, y); };
        graph.updateOptions({});
        Object.assign(own, { lineTo, moveTo });
        const near = (x, y) => drawn.some(([a, b]) => Math.abs(a - graph.toDomXCoord(x)) < 0.1 && Math.abs(b - graph.toDomYCoord(y)) < 0.1);
        const { xs } = spec, missing = [];
        for (let i = 0; i < xs.length; i++) {
          const value = spec.series[2].value(i);
          if (!near(i > 0 ? xs[i - 1] : 0, value) || !near(xs[i], value))
            missing.push(xs[i]);
        }
        return [xs.length, missing]''')
    check('steps: each value spans its interval', missing[0] > 10 and missing[1] == [], missing)


def check_pointer(browser):
    """The legend has the values of the interval in which the pointer is, near the start of the interval as well as near its end."""
    for part in (0.2, 0.8):
        # The window may have been scrolled: the position is that on the screen.
        x, y, expected = browser.run('''const chart = group.charts.find((chart) => chart.figure.id === "throughput");
            chart.plot.scrollIntoView({ block: "center" });
            const box = chart.plot.getBoundingClientRect(), { xs } = chart.spec, row = Math.floor(xs.length / 2);
            return [box.left + chart.graph.toDomXCoord(xs[row - 1] + arguments[0] * (xs[row] - xs[row - 1])), box.top + box.height / 2,
              timeText(xs[row])]''', part)
        browser.move(x, y)
        shown = browser.run('return document.querySelector("#throughput .at").textContent')
        check(f'pointer at {part} of an interval: its values are shown', shown == f'at {expected}', (shown, expected))


def test_one(browser, folder):
    path = f'{folder}/threads4.json'
    report = load(path)
    browser.open(page(folder, 'one', path))
    check_drawn(browser, 'one run', CHARTS_OF_ONE)
    check_summary(browser, 'one run', [report])
    intervals = report['intervals']
    for chart, line, key in (('response', 'p99', 'response_ms.percentiles.p99'), ('response', 'max', 'response_ms.max'),
                             ('throughput', 'offered', 'offered_per_s'), ('queue', 'queue', 'queue_mean'),
                             ('busy', 'busy', 'busy_mean'), ('parts', 'wait', 'wait_ms.mean')):
        check_lines(browser, 'one run', chart, line, [at(interval, key) for interval in intervals])
    check_distribution(browser, report)
    verdict = browser.run('return document.getElementById("verdict").textContent')
    names = [finding['name'] for finding in report['summary']['audit']['verdict']['findings']] or ['VALID']
    check('one run: the verdict', all(name in verdict or name == 'VALID' for name in names), verdict)
    check('one run: the configuration', browser.run('return [...document.querySelectorAll("#config tr")].some((row) =>'
          'row.cells[0].textContent === "null_service" && row.cells[1].textContent === "2ms:exp")'))
    check_filled(browser, 'one run')
    check_steps(browser)
    check_pointer(browser)
    browser.run('window.scrollTo(0, 0)')
    check_zoom(browser)
    check_log(browser)
    check_themes(browser)
    check_phone(browser)
    check_quiet(browser, 'one run')
    browser.open(f'{folder}/direct.html')
    check_drawn(browser, '--html on the run', CHARTS_OF_ONE)
    check_summary(browser, '--html on the run', [report])
    check_quiet(browser, '--html on the run')


def test_injection(browser, folder):
    """Checks the shaded span on a chart, and the table of injections."""
    path = measure(folder, 3, '--inject=1s: sh: sleep 0.6; echo "done <b>"')
    injection = load(path)['injections'][0]
    browser.open(page(folder, 'injection', path))
    before, during = browser.run('''
        const chart = group.charts.find((chart) => chart.figure.id === "throughput"), graph = chart.graph;
        const canvas = chart.plot.querySelector("canvas"), area = graph.getArea(), scale = canvas.width / canvas.clientWidth;
        const row = canvas.getContext("2d").getImageData(0, Math.round((area.y + area.h - 3) * scale), canvas.width, 1).data;
        const ink = (seconds) => [...row.slice(Math.round(graph.toDomXCoord(seconds) * scale) * 4).slice(0, 4)];
        const [from, to] = arguments;
        return [ink(from - (to - from) / 3), ink((from + to) / 2)]''', injection['from_s'], injection['to_s'])
    check('injection: the time of the injection is shaded', during[3] > 0 and during != before, (before, during))
    check('injection: named', injection['text'] in browser.run('return document.getElementById("injections").textContent'))
    check('injection: its output', browser.run('return document.querySelector("#injections pre").textContent') == 'done <b>')
    rows = browser.run('''return [...document.querySelectorAll("#injections tr")].slice(1).map((row) =>
        [...row.cells].slice(1).map((cell) => cell.dataset.value ?? null))''')
    spans = [injection[name] for name in ('before', 'during', 'after')]
    expected = [[span['to_s'] - span['from_s'] for span in spans], [span['requests'] for span in spans]]
    expected += [[span['response_ms']['mean'] for span in spans]]
    expected += [[span['response_ms']['percentiles'][p]['value'] for span in spans] for p in ('p50', 'p95', 'p99')]
    expected += [[span['response_ms']['max'] for span in spans]]
    seen = [[float(cell) if cell is not None else None for cell in row] for row in rows]
    check('injection: its table is that of the JSON', seen == expected, (seen, expected))
    check_quiet(browser, 'injection')


NAMES_DRAWN = '''
    const chart = group.charts.find((chart) => chart.figure.id === arguments[0]), names = [];
    const original = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      names.push([text, x, y, this.measureText(text).width]);
      original.call(this, text, x, y);
    };
    chart.graph.updateOptions({});
    CanvasRenderingContext2D.prototype.fillText = original;
    const area = chart.graph.getArea();
    return [names, area.x, area.x + area.w, area.y + area.h]'''


def names_that_cover_others(names):
    covers = []
    for i, (text, x, y, width) in enumerate(names):
        covers += [(text, other) for other, left, row, wide in names[:i] if row == y and x < left + wide and left < x + width]
    return covers


def test_empty_intervals(browser, folder):
    """The line of a figure is interrupted at intervals in which the figure has no value, also if a bucket has many intervals."""
    report = load(f'{folder}/threads4.json')
    original = report['intervals']
    for count in (20, 20_000):
        report['intervals'] = []
        for i in range(count):
            interval = copy.deepcopy(original[5])
            interval['from_s'], interval['to_s'] = i / 10, (i + 1) / 10
            if 0.5 <= i / count < 0.8:
                interval['response_ms'] = {**original[5]['response_ms'], 'count': 0, 'min': None, 'mean': None, 'max': None,
                                           'percentiles': {p: {'value': None, 'censored': False} for p in ('p50', 'p95', 'p99')}}
            report['intervals'].append(interval)
        browser.open(page(folder, f'empty{count}', store(folder, f'empty{count}', report)))
        ink = browser.run('''
            const chart = group.charts.find((chart) => chart.figure.id === "response"), graph = chart.graph;
            const canvas = chart.plot.querySelector("canvas"), area = graph.getArea(), scale = canvas.width / canvas.clientWidth;
            const colors = graph.getColors().map((color) => hexParts(color).join());
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return arguments[0].map((at) => {
              const x = Math.round(graph.toDomXCoord(at * timeline.xs.at(-1)) * scale);
              for (let y = Math.round(area.y * scale); y < (area.y + area.h) * scale; y++)
                if (colors.includes(data.slice(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3).join()))
                  return true;
              return false;
            })''', [0.25, 0.6, 0.7, 0.9])
        check(f'{count} intervals: the lines are interrupted where no request ended', ink == [True, False, False, True], ink)
        check_quiet(browser, f'{count} intervals, some without a request')


def test_close_events(browser, folder):
    """Names of events that are close together, or at the end of the chart, can all be read."""
    report = load(f'{folder}/threads3.json')
    texts = [f'{i + 1}. exec: sleep 0.{i}' for i in range(7)]
    report['marks'] = [{'from_s': 1 + 0.01 * i, 'to_s': 1.3, 'text': text} for i, text in enumerate(texts)]
    report['marks'] += [{'from_s': 1.99, 'to_s': 2, 'text': '8. sql: ' + 'long ' * 40}]
    for name, count in (('close', 1), ('close-of-two', 2)):
        browser.open(page(folder, name, *[store(folder, f'{name}{i}', report) for i in range(count)]))
        for chart in ('response', 'throughput'):
            names, left, right, bottom = browser.run(NAMES_DRAWN, chart)
            seen = sorted(text for text, *_ in names)
            check(f'{name}, {chart}: all are named, once', len(seen) == 8 and seen[:7] == texts and seen[7].startswith('8. sql: long'), seen)
            check(f'{name}, {chart}: none covers another', names_that_cover_others(names) == [], names)
            check(f'{name}, {chart}: all are within it', all(left <= x and x + width <= right and y <= bottom for _, x, y, width in names), names)
        check_quiet(browser, name)
    browser.run('group.zoom([1.1, 1.2])')
    names = browser.run(NAMES_DRAWN, 'response')[0]
    check('close: those that go on are named when zoomed into', sorted(text for text, *_ in names) == texts, names)


def test_many(browser, folder):
    # The archive and the label of a run do not distinguish runs.
    paths = [f'{folder}/threads4.json'] + [measure(folder, n, f'--archive={folder}/kept{n}', f'--label=n={n}') for n in (1, 2)]
    reports = [load(path) for path in paths]
    browser.open(page(folder, 'many', *paths))
    check_drawn(browser, 'several runs', CHARTS_OF_MANY)
    check_summary(browser, 'several runs', reports)
    labels = browser.run('return [...document.querySelectorAll("#legend button span")].map((one) => one.textContent)')
    check('several runs: named by what differs', labels == ['threads=4', 'threads=1', 'threads=2'], labels)
    for label, report in zip(labels, reports):
        values = [interval['response_ms']['percentiles']['p99']['value'] for interval in report['intervals']]
        seen = browser.run('const one = group.charts.find((chart) => chart.figure.id === "response").spec.series.find((one) => one.label === arguments[0]);'
                           'return timeline.xs.map((_, i) => one.value(i)).filter((value) => value !== null)', label)
        check(f'several runs: {label}', drawn_as(seen, [value for value in values if value is not None]), (seen, values))
    check_filled(browser, 'several runs')
    check_cards(browser, 'several runs')
    check_quiet(browser, 'several runs')


def varied_lines(browser):
    """Returns {label: values} of the chart of the sweep."""
    return browser.run('''const spec = group.charts.find((chart) => chart.figure.id === "varied").spec;
        return Object.fromEntries(spec.series.filter((one) => !one.hidden).map((one) => [one.label, spec.xs.map((_, i) => one.value(i))]))''')


def check_varied(browser, reports, key):
    """Each line of the sweep is a flavour, each point the median of the runs with the same number of threads."""
    expected = {f'flavour={flavour}': [median(at(report['summary'], key) for report in reports if report['config']['threads'] == threads
                                              and report['config']['flavour'] == flavour) for threads in (1, 2)]
                for flavour in ('plain', MARKUP)}
    seen = varied_lines(browser)
    check(f'sweep: {key} by threads, a line per flavour', set(seen) == set(expected) and
          all(drawn_as(seen[name], expected[name]) for name in expected), (seen, expected))
    ranges = browser.run('''return group.charts.find((chart) => chart.figure.id === "varied").spec.series.flatMap((one) =>
        (one.ranges || []).map((range) => [range.least, range.most]))''')
    groups = [[at(report['summary'], key) for report in reports[i:i + 3]] for i in range(0, 12, 3)]
    figures = [[min(group), max(group)] for group in groups]
    check(f'sweep: the ranges of {key}', sorted(ranges) == sorted(figures), (ranges, figures))


def test_sweep(browser, folder):
    out = f'{folder}/sweep'
    with open(f'{folder}/flavour.lua', 'w', encoding='utf-8') as script:
        script.write('sysbench.cmdline.options = {flavour = {"a text", "plain"}}\n'
                     'function thread_init() con = sysbench.sql.driver():connect() end\nfunction event() con:query("SELECT 1") end\n')
    sysrate('sweep', f'--vary=flavour=plain,{MARKUP}', '--vary=threads=1,2', '--repeat=3', '--seed=1', f'--out={out}', '--',
            f'{folder}/flavour.lua', '--db-driver=null', '--null-service=1ms:exp', '--tx-rate=300', '--time=0.2', '--percentile=50,99')
    paths = sorted(glob.glob(f'{out}/*.json'))
    reports = [load(path) for path in paths]
    check('sweep: a report per run', len(reports) == 12, paths)
    browser.open(f'{out}/page.html')
    check_drawn(browser, 'sweep', ['varied', 'distribution'])
    check_summary(browser, 'sweep', reports)
    # The order of the runs on the page is not that of their start.
    starts = sorted(report['started'][:16].replace('T', ' ') for report in reports)
    header = browser.run('return document.getElementById("subtitle").textContent')
    check('sweep: the times of the first and the last run', header == f'12 runs, {starts[0]} to {starts[-1]} UTC', header)
    cells = browser.run('''return [...document.querySelectorAll("#glance tbody tr")].map((row) =>
        [...row.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value)))''')
    medians = [median(at(report['summary'], 'response_ms.percentiles.p99') for report in reports[i:i + 3]) for i in range(0, 12, 3)]
    check('sweep: the table has medians', all(any(abs(x - value) < 1e-9 for x in row) for row, value in zip(cells, medians)), (cells, medians))
    check_varied(browser, reports, 'response_ms.percentiles.p99')
    browser.run('const select = document.getElementById("percentile"); select.selectedIndex = select.length - 1;'
                'select.dispatchEvent(new Event("change"))')
    check_varied(browser, reports, 'response_ms.max')
    check('sweep: the choice is shown', browser.run('return document.getElementById("percentile-choice").checkVisibility()'))
    check_quiet(browser, 'sweep')
    browser.open(page(folder, 'flavours', paths[0], paths[6]))
    ticks = browser.run('return [...document.querySelectorAll("#varied .dygraph-axis-label-x")].map((one) => one.textContent)')
    check('sweep of texts: the axis has the texts', ticks == ['plain', MARKUP[:18] + '…'], ticks)
    check('sweep of texts: the texts are not interpreted as HTML', browser.run('return window.hacked === undefined && document.images.length === 0'))
    lines = varied_lines(browser)
    percentiles = [[at(report['summary'], 'response_ms.percentiles.p99') for report in (reports[0], reports[6])]]
    check('sweep of texts: a line per percentile', set(lines) == {'p50', 'p99', 'mean'} and [lines['p99']] == percentiles, lines)
    check_quiet(browser, 'sweep of texts')


def test_hostile(browser, folder):
    report = load(f'{folder}/threads4.json')
    report['test'] = report['config']['mysql_db'] = report['command'] = HOSTILE
    report['config'][HOSTILE] = HOSTILE
    report['summary']['audit']['verdict'] = {'valid': False, 'findings': [{'name': HOSTILE, 'figure': HOSTILE, 'advice': HOSTILE}]}
    report['summary']['end'] = HOSTILE
    report['marks'] = [{'from_s': 1.0, 'to_s': 1.5, 'text': HOSTILE}]
    for interval in report['intervals']:
        interval['response_ms']['percentiles'][f'p{HOSTILE}'] = interval['response_ms']['percentiles']['p99']
    report['summary']['response_ms']['percentiles'][f'p{HOSTILE}'] = report['summary']['response_ms']['percentiles']['p99']
    path = store(folder, 'hostile', report)
    os.rename(path, f'{folder}/<b>hostile&lt;.json')
    browser.open(page(folder, 'hostile', f'{folder}/<b>hostile&lt;.json', f'{folder}/threads4.json'))
    check('hostile strings: they are not interpreted as HTML', browser.run('return window.hacked === undefined && document.images.length === 0'))
    check('hostile strings: shown as they are', HOSTILE in browser.run('return document.getElementById("config").textContent'))
    check('hostile strings: the page is whole', browser.run('return runs.length') == 2)
    check('hostile strings: no message on the console', browser.console() == [])


def add_probes(report):
    """Adds to a report what --server-stats and --server-config record; the server does not answer for a while."""
    for i, interval in enumerate(report['intervals']):
        known = i < 5 or i > 8
        interval['probes'] = {'server': {'samples': int(known), 'silent_s': 0 if known else i - 4, 'rows_per_s': 100.5 + i if known else None,
                                         'lag_s': None, 'counts_late': i in (2, 3)}}
    series = [{'name': 'rows_per_s', 'label': 'rows/s', 'chart': 'rows per second', 'late': True},
              {'name': 'lag_s', 'label': 'lag', 'chart': 'lag', 'late': False}]
    report['probes'] = {'sources': [{'name': 'server', 'gaps': [{'from_s': 0.5, 'to_s': 0.9, 'error': HOSTILE}], 'series': series}],
                        'checks': [{'what': 'statements sent', 'ours': 5, 'theirs': 700, 'tolerance': 2, 'agrees': False}]}
    report['server_config'] = {'sync_binlog': HOSTILE}


def test_probes(browser, folder):
    report = load(f'{folder}/threads4.json')
    add_probes(report)
    browser.open(page(folder, 'probes', store(folder, 'probes', report)))
    check_drawn(browser, 'probes', CHARTS_OF_ONE[:-1] + ['server-0', 'distribution'])
    check_lines(browser, 'probes', 'server-0', 'rows/s', [i['probes']['server']['rows_per_s'] for i in report['intervals']])
    findings = browser.run('return document.getElementById("verdict").textContent')
    title = browser.run('return document.querySelector("#server-0 figcaption").textContent')
    check('probes: the title says what is drawn, and what a shade means', title == 'Rows per second (server)shaded: counts are late', title)
    check('probes: the gap is named', 'server did not answer from 0.5 s to 0.9 s' in findings, findings)
    check('probes: counts that disagree are named', 'statements sent: 5, counted by the server: 700' in findings, findings)
    check('probes: the settings of the server', browser.run('return [...document.querySelectorAll("#config tr")].some((row) =>'
          'row.cells.length > 1 && row.cells[0].textContent === "sync_binlog" && row.cells[1].textContent === arguments[0])', HOSTILE))
    check_quiet(browser, 'probes')


def test_outages(browser, folder):
    """Outages of a host with a hostile name, and of all hosts until the end of the run."""
    report = load(f'{folder}/threads4.json')
    check('outages: a run without any has none', report['outages']['list'] == [], report['outages'])
    ended = {'host': HOSTILE, 'from_s': 0.5, 'to_s': 1.75, 'ended': True, 'lost': 3, 'level_ms': 2.5, 'back_after_s': 1.5, 'disconnected': 2,
             'connected_after_s': 1.25}
    report['outages']['list'] = [ended, {**ended, 'host': None, 'ended': False, 'back_after_s': None, 'disconnected': 0, 'connected_after_s': None}]
    browser.open(page(folder, 'outages', store(folder, 'outages', report)))
    rows = browser.run('return [...document.querySelectorAll("#outages tr")].map((row) => [...row.cells].map((cell) => cell.textContent))')
    check('outages: the heading', rows[0][5] == 'p99 back after, s', rows[0])
    check('outages: one that ended', rows[1] == [HOSTILE, '0.5', '1.75', '1.25', '3', '1.50', '2', '1.25'], rows[1])
    check('outages: one of all', rows[2] == ['all', '0.5', '1.75 (end of the run)', '1.25', '3', 'never', '0', '–'], rows[2])
    check_quiet(browser, 'outages')


def test_phases(browser, folder):
    path = measure(folder, 3, '--tx-rate=0s:400,1s:400,1s:1200,1.5s:1200,1.5s:400')
    phases = load(path)['phases']
    browser.open(page(folder, 'phases', path))
    cells = browser.run('''return [...document.querySelectorAll("#phases tbody tr")].map((row) =>
        [...row.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value)))''')
    expected = [[phase['from_s'], phase['to_s'], phase['requests']] for phase in phases]
    check('phases: a row for each', [row[:3] for row in cells] == expected and len(expected) == 3, (cells, expected))
    check('phases: percentiles', [row[5] for row in cells] == [at(phase, 'response_ms.percentiles.p50') for phase in phases], cells)
    check_quiet(browser, 'phases')


def test_hosts(browser, folder):
    """A report of a run on two hosts; the second one completes half as many requests."""
    report = load(f'{folder}/threads4.json')
    for part in [*report['intervals'], report['summary']]:
        part['hosts'] = [{'name': name, 'connections': 2, 'lost': lost, 'completed': 10,
                            'completed_per_s': round(part['completed_per_s'] / share, 3), 'failed': 0, 'counters': part['counters'],
                            'response_ms': part['response_ms']} for name, lost, share in (('one:3306', 0, 1), (HOSTILE, 1, 2))]
    report['summary']['effects'] = {'update': {'count': 200, 'no_op_writes': 101}, 'insert': {'count': 100, 'no_op_writes': 1}}
    report['summary']['no_op_cause'] = HOSTILE
    browser.open(page(folder, 'hosts', store(folder, 'hosts', report)))
    check_drawn(browser, 'two hosts', CHARTS_OF_ONE[:-1] + ['host-throughput', 'host-response', 'distribution'])
    check_lines(browser, 'two hosts', 'host-throughput', HOSTILE,
                [round(interval['completed_per_s'] / 2, 3) for interval in report['intervals']])
    check_lines(browser, 'two hosts', 'host-response', 'one:3306',
                [at(interval, 'response_ms.percentiles.p99') for interval in report['intervals']])
    lost = browser.run('return [...document.querySelectorAll("#summary tr[data-key$=lost] td")].map((cell) => cell.textContent)')
    told = browser.run('return document.getElementById("verdict").textContent')
    check('two hosts: writes that changed nothing are named', '50.50 % of the writes of kind update changed nothing: ' + HOSTILE in told
          and 'insert' not in told, told)
    check('two hosts: the table has the lost connections', lost == ['0', '1'], lost)
    check_quiet(browser, 'two hosts')


def test_ranks(browser, folder):
    """A report with two ranks; the second one, on a machine with a hostile name, completes half as many. Their lines are drawn on request."""
    report = load(f'{folder}/threads4.json')
    for interval in report['intervals']:
        interval['ranks'] = [{'rank': rank, 'completed': 10, 'completed_per_s': round(interval['completed_per_s'] / share, 3),
                              'response_ms': {**interval['response_ms'], 'percentiles': {'p99': interval['response_ms']['percentiles']['p99']}}}
                             for rank, share in ((0, 1), (2, 2))]
    whole = report['summary']
    report['ranks'] = [{'rank': rank, 'host': host, 'workers': 2, 'requests': whole['requests'], 'response_ms': whole['response_ms'],
                        'client_cpu': None, 'partial': False, 'verdict': {'valid': True, 'findings': []}} for rank, host in ((0, 'one'), (2, HOSTILE))]
    browser.open(page(folder, 'ranks', store(folder, 'ranks', report)))
    check('ranks: no lines of ranks without a request', browser.run('return group.charts.map(chart => chart.figure.id)') == CHARTS_OF_ONE)
    browser.click('#by-rank')
    check_drawn(browser, 'ranks', CHARTS_OF_ONE + ['rank-throughput', 'rank-response'])
    check_lines(browser, 'ranks', 'rank-throughput', f'2 ({HOSTILE})', [round(interval['completed_per_s'] / 2, 3) for interval in report['intervals']])
    check_lines(browser, 'ranks', 'rank-response', '0 (one)', [at(interval, 'response_ms.percentiles.p99') for interval in report['intervals']])
    check_filled(browser, 'ranks')
    seen = 'return document.getElementById("rank-response").getBoundingClientRect().height > 0'
    check('ranks: lines are visible on request', browser.run(seen))
    browser.click('#by-rank')
    check('ranks: lines are hidden again', not browser.run(seen))
    browser.run('group.zoom([0.5, 1])')
    browser.click('#by-rank')
    check('ranks: zoomed with the others', browser.run('return group.charts.at(-1).graph.xAxisRange()') == [0.5, 1])
    check('ranks: the charts keep their width', browser.run('return group.charts.at(-1).graph.size().width > 400'))
    check_quiet(browser, 'ranks')


def test_types(browser, folder):
    """A report with two types of events, each with its own chart, and one type of deferred work."""
    report = load(f'{folder}/threads4.json')
    for part in [*report['intervals'], report['summary']]:
        one = {'completed': 10, 'completed_per_s': part['completed_per_s'], 'failed': 0, 'errors': 0, 'counters': part['counters'],
               'response_ms': part['response_ms']}
        part['event_types'] = [{**one, 'type': 'first'}, {**one, 'type': HOSTILE}]
        part['deferred'] = [{**one, 'type': 'later', 'queued': 10, 'unfinished': 0}]
    browser.open(page(folder, 'types', store(folder, 'types', report)))
    check_drawn(browser, 'types', CHARTS_OF_ONE[:-1] + ['type-throughput', 'type-response', 'type-0', 'type-1', 'deferred-throughput',
                                                        'deferred-response', 'deferred-0', 'distribution'])
    for chart in ('type-1', 'deferred-0'):
        check_lines(browser, 'types', chart, 'p99', [at(interval, 'response_ms.percentiles.p99') for interval in report['intervals']])
        check_lines(browser, 'types', chart, 'mean', [at(interval, 'response_ms.mean') for interval in report['intervals']])
    title = browser.run('return document.querySelector("#type-1 figcaption").textContent')
    check('types: the chart is named after its type', title.startswith('Response time of ' + HOSTILE), title)
    check_quiet(browser, 'types')


def test_statements(browser, folder):
    """A line for each class of statements. The second class occurs first in the third interval."""
    report = load(f'{folder}/threads4.json')
    one = {'count': 5, 'errors': 0, 'rows_matched': 5, 'rows_changed': 0}
    for part in [*report['intervals'], report['summary']]:
        part['statements'] = [{**one, 'class': name, 'time_ms': part['response_ms']} for name in ('select t', HOSTILE)]
    for interval in report['intervals'][:2]:
        interval['statements'].pop()
    browser.open(page(folder, 'statements', store(folder, 'statements', report)))
    check_drawn(browser, 'statements', CHARTS_OF_ONE[:-1] + ['statements', 'distribution'])
    values = [at(interval, 'response_ms.percentiles.p95') for interval in report['intervals']]
    check_lines(browser, 'statements', 'statements', 'select t', values)
    check_lines(browser, 'statements', 'statements', HOSTILE, [None, None, *values[2:]])
    check_quiet(browser, 'statements')


def test_closed_loop(browser, folder):
    path = f'{folder}/closed.json'
    sysrate('--db-driver=null', '--null-service=2ms', '--time=0.5', f'--json={path}', f'{folder}/query.lua', 'run')
    browser.open(page(folder, 'closed', path))
    check('closed loop without intervals: the page says so', 'report-interval' in browser.run('return document.body.textContent'))
    check_drawn(browser, 'closed loop without intervals', ['distribution'])
    check_quiet(browser, 'closed loop without intervals')


def test_day(browser, folder):
    """The speed is measured by bench/pages.py. It follows from the number of rows that a chart draws."""
    day = day_page(folder)
    size = os.path.getsize(day)
    check(f'a day at 1 s: {size} bytes, at most {SIZE_LIMIT}', size <= SIZE_LIMIT)
    browser.open(day)
    check('a day at 1 s: all intervals are there', browser.run('return timeline.xs.length') == DAY_S)
    pattern = load(f'{folder}/threads4.json')['intervals']
    most = browser.run('return Math.max(...group.charts[1].data(null).map((row) => row[4]).filter((x) => x !== null))')
    check('a day at 1 s: the largest values are drawn', drawn_as([most], [max(interval['response_ms']['mean'] or 0 for interval in pattern)]), most)
    rows = browser.run('return group.charts.map((chart) => chart.graph.numRows())')
    check(f'a day at 1 s: a chart draws {max(rows)} rows, at most {ROWS_LIMIT}', max(rows) <= ROWS_LIMIT, rows)
    browser.run('group.zoom([4000, 4060])')
    check('a day at 1 s: zoomed, every interval is drawn', browser.run('return group.charts[1].graph.numRows()') >= 60)
    check_drawn(browser, 'a day at 1 s', CHARTS_OF_ONE)
    check_quiet(browser, 'a day at 1 s')

if __name__ == '__main__':
    sys.exit(main(test_one, test_varying_rate, test_injection, test_empty_intervals, test_close_events, test_many, test_sweep, test_hostile,
                  test_probes, test_outages, test_phases, test_hosts, test_ranks, test_types, test_statements, test_closed_loop, test_day))
