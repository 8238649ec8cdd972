# SPDX-License-Identifier: GPL-2.0-or-later
"""The top of a page in headless Chromium: tiles and the heat map."""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import CHARTS_OF_ONE, check, check_drawn, check_quiet, load, main, page, place_in_chart, store  # noqa: E402

HEAT = 'group.charts.find((chart) => chart.figure.id === "heat-0")'



def check_tiles(browser, what, report):
    """The tiles are above the charts, and their figures equal those of the JSON or of its buckets."""
    tiles = browser.run('''return [...document.querySelectorAll("#tiles > div")].map((tile) =>
        [tile.dataset.key, tile.querySelector("dd").dataset.value ?? null, tile.querySelector("dd").textContent])''')
    summary = report['summary']
    times = summary['response_ms']
    exact = {'asked': report['config']['rate'], 'completed': summary['completed_per_s'], 'max': times['max'],
             'failed': summary['requests']['failed'], **{p: entry['value'] for p, entry in times['percentiles'].items()}}
    check(f'{what}: the tiles', [key for key, *_ in tiles] == ['asked', 'completed', 'p50', 'p95', 'p99', 'max', 'failed', 'verdict'], tiles)
    wrong = [(key, value, exact[key]) for key, value, _ in tiles if key in exact and float(value) != exact[key]]
    check(f'{what}: figures of tiles are those of the JSON', wrong == [], wrong)
    notes = dict(browser.run('''return [...document.querySelectorAll("#tiles > div")].map((tile) =>
        [tile.dataset.key, (tile.querySelector(".note") || {}).textContent || ""])'''))
    for name in ('p50', 'p95', 'p99'):
        interval, value = summary.get('precision', {}).get('response_ms', {}).get(name, {}), times['percentiles'].get(name, {}).get('value')
        if interval.get('low') is not None and value is not None:
            half = max(interval['high'] - value, value - interval['low'])
            check(f'{what}: the interval of {name} in its tile', abs(float(notes[name].removeprefix('± ')) - half) <= 0.06 * half, (notes, half))
        elif interval.get('needs_times'):
            check(f'{what}: {name} is not known', notes[name] == f"needs {round(interval['needs_times'])} times as many requests", notes)
    names = [finding['name'] for finding in summary['audit']['verdict']['findings']] or ['VALID']
    check(f'{what}: the verdict in its tile', tiles[-1][2][2:] == names[0] and tiles[-1][2][0] in '✓✗', (tiles[-1], names))
    above = browser.run('return document.getElementById("tiles").getBoundingClientRect().bottom <= '
                        'document.getElementById("charts").getBoundingClientRect().top')
    check(f'{what}: tiles are above the charts', above)


def check_heat(browser, report):
    """Compares each bucket of each interval with the JSON; checks the text of the cell under the pointer, and its colour."""
    cells = browser.run(f'''const heat = heatOf(runs[0]);
        return heat.ends.map((_, i) => [...heatColumn(heat, i, i + 1)].flatMap((count, k) => count ? [[heatLower(heat.low + k), count]] : []))''')
    expected = [interval['response_histogram'] for interval in report['intervals']]
    check(f'heat map: {sum(map(len, expected))} buckets are those of the JSON', cells == expected, (cells, expected))
    counts = [sum(count for _, count in cell) for cell in expected]
    check('heat map: all requests are in it', counts == [i['response_ms']['count'] for i in report['intervals']], counts)
    which = max((i for i, interval in enumerate(report['intervals']) if interval['from_s'] >= 0.5), key=lambda i: counts[i])
    lower, count = max(expected[which], key=lambda pair: pair[1])
    ends = browser.run('return timeline.xs')
    middle_s, ms = (ends[which - 1] + ends[which]) / 2, lower * 1.07 / 1e6
    browser.move(*place_in_chart(browser, 'heat-0', middle_s, ms))
    told = browser.run(f'return {HEAT}.plot.querySelector(".tip").textContent')
    check('heat map: the text at the pointer has interval, bucket and count', told.endswith(f': {count} request' + ('s' if count > 1 else '')) and ' ms' in told
          and told.startswith(f'{round(ends[which - 1], 3):g} s to {round(ends[which], 3):g} s, '), (told, lower, count, ends[which]))
    fullest = max(n for cell in expected for _, n in cell)
    seen, shade = browser.run(f'''const chart = {HEAT}, canvas = chart.plot.querySelector("canvas"), scale = canvas.width / canvas.clientWidth;
        const place = [chart.graph.toDomXCoord(arguments[0]), chart.graph.toDomYCoord(arguments[1])].map((at) => Math.round(at * scale));
        const copy = document.createElement("canvas").getContext("2d");
        copy.drawImage(canvas, -place[0], -place[1]);
        return [[...copy.getImageData(0, 0, 1, 1).data].slice(0, 3), heatShades()[heatShade(arguments[2], arguments[3])]]''',
                              middle_s, ms, count, fullest)
    check('heat map: its shade is that of its count', f'rgb({", ".join(map(str, seen))})' == shade, (seen, shade, count, fullest))


def test_one(browser, folder):
    report = load(f'{folder}/threads4.json')
    browser.open(page(folder, 'one', f'{folder}/threads4.json'))
    check_tiles(browser, 'one run', report)
    check_heat(browser, report)
    check_quiet(browser, 'one run')



def test_tiles_of_buckets(browser, folder):
    """Percentiles that the run did not print come from the buckets, within 0.1 %, and lower bounds are marked."""
    report = load(f'{folder}/threads4.json')
    percentiles = report['summary']['response_ms']['percentiles']
    report['summary']['response_ms']['percentiles'] = {}
    histogram = report['summary']['histogram']
    browser.open(page(folder, 'buckets', store(folder, 'buckets', report)))
    for p, entry in percentiles.items():
        value = browser.run('return document.querySelector(`#tiles [data-key="${arguments[0]}"] dd`).dataset.value', p)
        check(f'tiles: {p} from buckets', abs(float(value) - entry['value']) <= 0.001 * entry['value'], (value, entry))
    count = sum(n for _, n in histogram['response'])
    histogram['censored']['response'] = [[10 ** 10, count // 40]]
    report['summary']['histogram']['sums']['response']['censored_max_ns'] = 10 ** 10
    browser.open(page(folder, 'bounds', store(folder, 'bounds', report)))
    texts = browser.run('return ["p50", "p95", "p99"].map((key) => document.querySelector(`#tiles [data-key="${key}"] dd`).textContent)')
    check('tiles: only p99 falls among the lower bounds', [text[0] == '>' for text in texts] == [False, False, True], texts)


def test_heat_zoom(browser, folder):
    """When zoomed in, each interval has its own column. If there are more intervals than pixels, several share a column without loss of requests."""
    report = load(f'{folder}/threads4.json')
    pattern = report['intervals']
    report['intervals'] = [{**pattern[i % len(pattern)], 'from_s': i * 0.1, 'to_s': (i + 1) * 0.1} for i in range(5000)]
    report['config'].update(report_interval=0.1, warmup_time=0.0)
    browser.open(page(folder, 'heat', store(folder, 'heat', report)))
    columns, count = browser.run('const heat = heatOf(runs[0]), columns = heatColumns(heat, 0, 500, 800);'
                                 'return [columns.length, columns.reduce((sum, one) => sum + one.counts.reduce((a, b) => a + b), 0)]')
    check('heat map: many intervals share columns', 300 < columns <= 400, columns)
    check('heat map: none of their requests is lost', count == sum(n for i in report['intervals'] for _, n in i['response_histogram']), count)
    check('heat map: zoomed, each has its own', browser.run('return heatColumns(heatOf(runs[0]), 100, 110, 800).length') in (100, 101, 102))
    check_quiet(browser, 'heat map')


def test_report_without_heat(browser, folder):
    """A report that another program wrote may lack the buckets of intervals."""
    report = load(f'{folder}/threads4.json')
    for interval in report['intervals']:
        del interval['response_histogram']
    browser.open(page(folder, 'bare', store(folder, 'bare', report)))
    check_drawn(browser, 'a report without buckets', CHARTS_OF_ONE[1:])
    check_quiet(browser, 'a report without buckets')


def test_magnitudes(browser, folder):
    """Thousands of dropped requests do not hide one error, and a line at 128 workers does not make the line of four busy workers flat."""
    report = load(f'{folder}/threads4.json')
    for i, interval in enumerate(report['intervals']):
        interval.update(dropped=5000, workers=128, busy_mean=1 + i % 4)
        interval['counters']['errors'] = i % 2
    browser.open(page(folder, 'magnitudes', store(folder, 'magnitudes', report)))
    lines = browser.run("""return Object.fromEntries(group.charts.filter((chart) => /^(errors|busy)/.test(chart.figure.id))
        .map((chart) => [chart.figure.id, [chart.spec.title, ...chart.spec.series.map((one) => one.label)]]))""")
    check('magnitudes: charts of their own', lines == {
        'busy': ['Workers that are busy', 'busy'], 'errors': ['Dropped requests', 'dropped requests'],
        'errors-1': ['Errors, reconnects, failed requests', 'errors', 'reconnects', 'failed requests']}, lines)
    note = browser.run('return document.querySelector("#busy figcaption small").textContent')
    check('magnitudes: the note has the number of workers', note.endswith('; there are 128 workers'), note)
    for interval in report['intervals']:
        interval.update(dropped=0, busy_mean=0)
        interval['counters']['errors'] = 0
    browser.open(page(folder, 'idle', store(folder, 'idle', report)))
    texts = browser.run('return [...document.querySelectorAll("#quiet li")].map((line) => line.textContent)')
    check('magnitudes: zeros are lines', {'No worker was busy',
                                          'No errors, reconnects, failed or dropped requests'} <= set(texts), texts)


if __name__ == '__main__':
    sys.exit(main(test_one, test_tiles_of_buckets, test_heat_zoom, test_report_without_heat, test_magnitudes))
