# SPDX-License-Identifier: GPL-2.0-or-later
"""Printed pages in headless Chromium: the layout on paper."""
import base64
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import CHARTS_OF_ONE, check, load, main, measure, page, store  # noqa: E402

PAPER_PX = {'A4': 718, 'Letter': 739}  # between margins of 1 cm

MANY = 10                              # number of settings in the sweep; each is run twice

# Returns the printed elements, including canvases and labels of axes, as [what, left, top, right, bottom].
BOXES = '''return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).map((one) => {
    const box = one.getBoundingClientRect();
    return [one.id || one.tagName + " " + one.textContent.slice(0, 30), box.left, box.top, box.right, box.bottom]; })'''


def boxes(browser, selector):
    return browser.run(BOXES, selector)


def overlaps(all_boxes):
    return [(a, b) for i, a in enumerate(all_boxes) for b in all_boxes[:i]
            if a[1] < b[3] - 1 and b[1] < a[3] - 1 and a[2] < b[4] - 1 and b[2] < a[4] - 1]


def begin_print(browser, width):
    browser.devtools('Emulation.setEmulatedMedia', media='print', features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
    browser.devtools('Emulation.setDeviceMetricsOverride', width=width, height=1000, deviceScaleFactor=1, mobile=False)
    browser.run('dispatchEvent(new Event("beforeprint"))')


def end_print(browser):
    browser.run('dispatchEvent(new Event("afterprint"))')
    browser.devtools('Emulation.clearDeviceMetricsOverride')
    browser.devtools('Emulation.setEmulatedMedia', media='', features=[])


def check_places(browser, what, charts, width):
    figures = boxes(browser, '#charts > figure')
    check(f'{what}: all charts are printed', [box[0] for box in figures] == charts, figures)
    check(f'{what}: one column', len({(box[1], box[3]) for box in figures}) == 1, figures)
    check(f'{what}: one below the other', all(a[4] <= b[2] for a, b in zip(figures, figures[1:])), figures)
    parts = boxes(browser, 'header, #tiles, #glance-box, #verdict, #legend, #charts, #quiet, #summary, #outages, #injections, footer')
    check(f'{what}: parts do not overlap', overlaps(parts) == [], overlaps(parts))
    tiles = boxes(browser, '#tiles > div')
    check(f'{what}: tiles do not overlap', overlaps(tiles) == [], overlaps(tiles))
    everything = boxes(browser, 'h1, p, dd, li, canvas, .dygraph-axis-label, td, th, figcaption, .item')
    wide = [box for box in everything if box[3] > width + 0.5 or box[1] < -0.5]
    check(f'{what}: nothing is wider than the paper', wide == [], wide[:5])
    outside = browser.run('''return [...document.querySelectorAll("#charts > figure")].filter((figure) => {
        const own = figure.getBoundingClientRect();
        return [...figure.querySelectorAll("canvas, .dygraph-axis-label")].some((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && (box.left < own.left - 1 || box.right > own.right + 1 || box.top < own.top - 1 || box.bottom > own.bottom + 1); }); })
        .map((figure) => figure.id)''')
    check(f'{what}: charts are within their frames', outside == [], outside)
    check(f'{what}: no configuration, no controls', not browser.run(
        'return ["#config", "#details", "#controls"].some((one) => document.querySelector(one).checkVisibility())'))


def check_ink(browser, what):
    """Checks that charts are drawn for paper: dark lines on white, as wide as the frame."""
    wrong = browser.run('''return group.charts.filter((chart) => {
        const canvas = chart.plot.querySelector("canvas"), copy = document.createElement("canvas");
        copy.width = canvas.width; copy.height = canvas.height;
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const bytes = context.getImageData(0, 0, copy.width, copy.height).data;
        return !bytes.some((byte) => byte > 0) || Math.abs(canvas.clientWidth - chart.plot.clientWidth) > 1; })
        .map((chart) => chart.figure.id)''')
    check(f'{what}: each chart is drawn, in the width that it has', wrong == [], wrong)
    colors = browser.run('return [getComputedStyle(document.body).backgroundColor, group.charts[1].graph.getColors()[0], cssColor("--back")]')
    check(f'{what}: in the colours of paper', colors[2] == '#ffffff', colors)


def test_one(browser, folder):
    report = load(f'{folder}/threads4.json')
    report['summary']['audit']['verdict'] = {'valid': False, 'findings': [
        {'name': 'CLIENT-LIMITED', 'figure': 'a figure ' * 30, 'advice': 'advice ' * 30}]}
    path = page(folder, 'one', store(folder, 'printed', report))
    for name, width in PAPER_PX.items():
        browser.open(path)
        begin_print(browser, width)
        check_places(browser, f'one run, {name}', CHARTS_OF_ONE, width)
        check_ink(browser, f'one run, {name}')
        end_print(browser)
    # The charts adapt to the size of the window a little later.
    check('printed: the page is as before', browser.run(
        'const same = () => document.getElementById("controls").checkVisibility() && group.charts.every((chart) => '
        'Math.abs(chart.plot.querySelector("canvas").clientWidth - chart.plot.clientWidth) <= 1);'
        'return new Promise((done) => { const look = (left) => { if (same() || left === 0) done(same()); '
        'else setTimeout(() => look(left - 1), 50); }; look(100); })'))
    pages = base64.b64decode(browser.devtools('Page.printToPDF')['data']).count(b'/Type /Page\n')
    check('printed: three pages or so', 2 <= pages <= 5, pages)


def test_many(browser, folder):
    paths = [f'{folder}/threads4.json', measure(folder, 1), measure(folder, 2)]
    browser.open(page(folder, 'many', *paths))
    charts = browser.run('return group.charts.map((chart) => chart.figure.id)')
    begin_print(browser, PAPER_PX['A4'])
    check_places(browser, 'several runs', charts, PAPER_PX['A4'])
    check_ink(browser, 'several runs')
    end_print(browser)


def test_sweep(browser, folder):
    """Many runs, most of them repeated, with long verdicts: their table fits into the window and onto the paper; a legend is printed."""
    report, paths = load(f'{folder}/threads4.json'), []
    report['summary']['audit']['verdict'] = {'valid': False, 'findings': [
        {'name': name, 'figure': 'a figure ' * 10, 'advice': 'advice ' * 10} for name in ('CLIENT-LIMITED', 'NON-STATIONARY', 'ARRIVALS-OFF')]}
    for i in range(MANY):
        report['config'].update(threads=i // 2, rate=1600.25 + i % 2)
        for repeat in (1, 2):
            report['summary']['response_ms']['max'] = 1111.11 * repeat
            paths.append(store(folder, f'sweep-{i}-{repeat}', report))
    browser.open(page(folder, 'sweep', *paths))
    table = browser.run('const box = document.getElementById("glance-box"); return [box.scrollWidth, box.clientWidth]')
    check('a sweep: its table is within the window', table[0] <= table[1], table)
    rows = browser.run('return [...document.querySelectorAll("#glance tbody th")].map((cell) => cell.textContent)')
    check('a sweep: a row for each setting', rows == [f'threads={i // 2}, tx-rate={1600.25 + i % 2}, 2 runs' for i in range(MANY)], rows)
    charts = browser.run('return group.charts.map((chart) => chart.figure.id)')
    for name, width in PAPER_PX.items():
        begin_print(browser, width)
        check_places(browser, f'a sweep, {name}', charts, width)
        legend = boxes(browser, '#legend .item')
        check(f'a sweep, {name}: the lines are named', len(legend) == 2 * MANY and overlaps(legend) == [], legend)
        end_print(browser)
    check('printed: the legend is back', browser.run('return document.getElementById("controls").contains(document.getElementById("legend"))'))


if __name__ == '__main__':
    sys.exit(main(test_one, test_many, test_sweep))
