# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by the tests of pages: functions that run sysrate and create pages, and checks that apply to every page."""
import json
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import webdriver  # noqa: E402
from checks import check, status, steadily  # noqa: E402

SYSRATE = os.environ.get('SYSRATE', 'sysrate')
DAY_S = 86400
CHARTS_OF_ONE = ['heat-0', 'response', 'throughput', 'queue', 'busy', 'parts', 'distribution']  # nothing failed


def sysrate(*arguments):
    subprocess.run([SYSRATE, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=120)


def measure(folder, threads, *more):
    """
    Runs sysrate for a short time and returns its JSON file. Four workers are busy for four fifths of the time, so that about half
    of 3000 requests wait (Erlang C): the page has no chart of the queue if no request waits.
    """
    path = f'{folder}/threads{threads}.json'
    script = f'{folder}/query.lua'
    with open(script, 'w', encoding='utf-8') as out:
        out.write('function thread_init() con = sysbench.sql.driver():connect() end\nfunction event() con:query("SELECT 1") end\n')
    steadily(sysrate, '--db-driver=null', '--null-service=2ms:exp', '--tx-rate=1600', f'--threads={threads}', '--time=2',
             '--warmup-time=0.5', '--report-interval=0.1', '--report-checkpoints=1.5', '--percentile=50,95,99', f'--json={path}', *more,
             script, 'run')
    return path


def load(path):
    with open(path, encoding='utf-8') as text:
        return json.load(text)


def store(folder, name, report):
    path = f'{folder}/{name}.json'
    with open(path, 'w', encoding='utf-8') as out:
        json.dump(report, out)
    return path


def page(folder, name, *reports):
    sysrate('report', f'--html={folder}/{name}.html', *reports)
    return f'{folder}/{name}.html'


def day_page(folder):
    """Repeats the intervals of threads4.json for a day, as if they were intervals of a second, and returns the page."""
    report = load(f'{folder}/threads4.json')
    lines = [json.dumps(interval).split('"seconds"', 1)[1] for interval in report['intervals']]
    report['config'].update(report_interval=1.0, warmup_time=0.0)
    report['intervals'] = []
    head, tail = json.dumps(report).split('"intervals": []')
    path = f'{folder}/day.json'
    with open(path, 'w', encoding='utf-8') as out:
        out.write(head + '"intervals": [')
        for i in range(DAY_S):
            out.write(f'{"," if i else ""}\n{{"from_s": {i}.0, "to_s": {i + 1}.0, "seconds"{lines[i % len(lines)]}')
        out.write(']' + tail)
    day = page(folder, 'day', path)
    os.remove(path)
    return day


def at(report, key):
    """Returns the figure at a path such as summary.response_ms.percentiles.p99; for {value, censored} the value."""
    for step in key.split('.'):
        report = report.get(step)
    return report['value'] if isinstance(report, dict) else report


def place_in_chart(browser, chart, x, y):
    """Scrolls to a chart, given by its id, and returns the place of a point of it in the window, for the pointer."""
    return browser.run('''const chart = group.charts.find((chart) => chart.figure.id === arguments[0]);
        chart.figure.scrollIntoView({block: "center"});
        const box = chart.plot.getBoundingClientRect();
        return [box.left + chart.graph.toDomXCoord(arguments[1]), box.top + chart.graph.toDomYCoord(arguments[2])]''', chart, x, y)


def check_quiet(browser, what):
    # The dygraphs of Debian 13 logs messages about points outside of the zoomed window.
    messages = [message for message in browser.console() if 'points out of Y bounds' not in message]
    check(f'{what}: no message on the console', messages == [], messages)
    check(f'{what}: the page loads no other files', browser.run('return performance.getEntriesByType("resource").length') == 0)
    check(f'{what}: the page has no address to load files from', browser.run(
        'return document.querySelectorAll("[src], link[href]:not([href^=\\"data:\\"])").length') == 0)


def check_drawn(browser, what, charts):
    check(f'{what}: charts', browser.run('return group.charts.map(chart => chart.figure.id)') == charts,
          browser.run('return group.charts.map(chart => chart.figure.id)'))
    blank = browser.run('''
        const drawn = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0);
        return group.charts.filter((chart) => ![...chart.plot.querySelectorAll("canvas")].some(drawn)).map((chart) => chart.figure.id)''')
    check(f'{what}: each chart has ink', blank == [], blank)


def check_lines(browser, what, chart, line, values):
    """Compares all points of a line in a chart that is not zoomed with the figures of the JSON."""
    seen = browser.run('''const one = group.charts.find((chart) => chart.figure.id === arguments[0]).spec.series
        .find((one) => one.label === arguments[1]); return timeline.xs.map((_, i) => one.value(i))''', chart, line)
    check(f'{what}: {chart}, {line}: {len(values)} values are those of the JSON', drawn_as(seen, values) and len(values) > 10, (seen, values))


def drawn_as(seen, values):
    """Returns whether drawn values equal the figures: charts have five digits."""
    return len(seen) == len(values) and all(a == b if a is None or b is None else abs(a - b) <= 5e-5 * abs(b) for a, b in zip(seen, values))


def main(*tests):
    """Runs the tests. Each one gets a browser and a folder with the report of a run, threads4.json."""
    if not webdriver.available():
        print('skip - pages in a browser (needs the Debian packages chromium and chromium-driver)')
        print('ok - nothing to test')
        return 0
    with tempfile.TemporaryDirectory(prefix='sysrate-page.') as folder, webdriver.Browser() as browser:
        measure(folder, 4, f'--html={folder}/direct.html')
        for test in tests:
            test(browser, folder)
    return status()
