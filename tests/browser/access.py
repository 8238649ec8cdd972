# SPDX-License-Identifier: GPL-2.0-or-later
"""Accessibility of pages: use by keyboard and screen reader, colour blindness, and how many lines of a chart can be distinguished."""
import itertools
import math
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import check, check_quiet, load, main, page, store  # noqa: E402

# Linear RGB as seen by people without the cones for red, and without those for green:
# Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision deficiency (2009), severity 1.
EYES = {
    'all cones': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'no red': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    'no green': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
APART = 20      # CIE76: minimum distance of two of the eight colours for all eyes; a distance of 2.3 can just be noticed
ROUNDS = 6      # number of times that the eight colours are repeated in this test
CONTRAST = 2    # minimum contrast between a line and its background


def linear(color):
    """Returns the linear RGB parts of '#rrggbb' or 'rgb(r, g, b)'."""
    parts = [int(color[i:i + 2], 16) for i in (1, 3, 5)] if color[0] == '#' else [int(part) for part in color[4:-1].split(',')]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts)]


def lab(color, eye):
    """Returns a colour as seen by this eye, in CIE L*a*b* under D65."""
    r, g, b = (min(1, max(0, sum(k * c for k, c in zip(row, linear(color))))) for row in EYES[eye])
    xyz = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(a, b):
    """Returns the contrast as WCAG defines it."""
    low, high = sorted(sum(k * c for k, c in zip((0.2126, 0.7152, 0.0722), linear(color))) for color in (a, b))
    return (high + 0.05) / (low + 0.05)


def check_colors(browser, scheme):
    browser.devtools('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
    back, looks, count = browser.run('''return [cssColor("--card"), Array.from({ length: COLORS * arguments[0] }, (_, color) =>
        [seriesColor(color), String(seriesPattern({ color })), String(seriesMarker({ color }))]), COLORS]''', ROUNDS)
    faint = [(color, contrast(color, back)) for color, *_ in looks[:count] if contrast(color, back) < CONTRAST]
    check(f'{scheme}: lines are visible on the background', faint == [], faint)
    for eye in EYES:
        near = [(a, b, distance) for (a, *_), (b, *_) in itertools.combinations(looks[:count], 2)
                if (distance := math.dist(lab(a, eye), lab(b, eye))) < APART]
        check(f'{scheme}: eyes with {eye} distinguish the colours', near == [], near)
    check(f'{scheme}: all colours differ', len({color for color, *_ in looks}) == len(looks), looks)
    kinds = [looks[i][1:] for i in range(0, len(looks), count)]
    check(f'{scheme}: each repetition of the colours has another pattern or marker', len(set(map(tuple, kinds))) == ROUNDS, kinds)


def test_colors(browser, folder):
    browser.open(page(folder, 'colors', f'{folder}/threads4.json'))
    for scheme in ('light', 'dark'):
        check_colors(browser, scheme)
    browser.devtools('Emulation.setEmulatedMedia', features=[])


def said(browser):
    return browser.run('return document.getElementById("said").textContent')


def windows(browser):
    return browser.run('return group.charts.filter((chart) => chart.spec.overTime).map((chart) => chart.graph.xAxisRange())')


def busy_interval(report):
    """Returns the number of the first interval with requests, but not the very first one: the machine may have been blocked for a while."""
    return next(i for i, interval in enumerate(report['intervals']) if i > 0 and len(interval['response_histogram']) > 2)


def check_reading(browser, report):
    """The arrow keys move from interval to interval; its figures are passed to screen readers and shown in the legends."""
    which = busy_interval(report)
    browser.run('document.querySelector("#response .plot").focus()')
    browser.press(*['Right'] * (which + 2), 'Left')
    texts = dict(part.rsplit(' ', 1) for part in said(browser).split(': ')[1].split(', '))
    exact = {p: entry['value'] for p, entry in report['intervals'][which]['response_ms']['percentiles'].items()}
    wrong = [(name, texts.get(name), value) for name, value in exact.items() if abs(float(texts.get(name, 'nan')) - value) > 0.006 * value]
    check('keys: the figures of the interval are said', wrong == [] and len(exact) == 3, (said(browser), exact))
    line = browser.run('const line = document.querySelector("#response .cursor");'
                       'return [line.hidden, parseFloat(line.style.left), group.charts[1].graph.toDomXCoord(group.charts[1].middle(arguments[0]))]', which)
    check('keys: a line marks the interval', line[0] is False and abs(line[1] - line[2]) < 1, line)
    legend, time = browser.run('return [document.querySelector("#throughput .legend").textContent, timeText(timeline.xs[arguments[0]])]', which)
    check('keys: the other charts show their figures', f'at {time}' in legend, (legend, time))


def check_keys_zoom(browser):
    whole = windows(browser)
    browser.press('+')
    near = windows(browser)
    check('keys: + zooms all charts', all(high - low < 0.6 * (whole[0][1] - whole[0][0]) for low, high in near) and
          all(window == near[0] for window in near), near)
    browser.press('-')
    check('keys: - zooms out', windows(browser)[0][1] - windows(browser)[0][0] > 1.5 * (near[0][1] - near[0][0]), windows(browser))
    browser.press('+', '+', '0')
    check('keys: 0 shows all', windows(browser) == whole, (windows(browser), whole))


def check_keys_heat(browser, report):
    """The keys Up and Down move through the cells of a column."""
    which = busy_interval(report)
    cells = report['intervals'][which]['response_histogram']
    browser.run('document.querySelector("#heat-0 .plot").focus()')
    browser.press(*['Right'] * (which + 1))
    for cell, key in ((0, 'Up'), (1, 'Up'), (0, 'Down'), (0, 'Down')):
        browser.press(key)
        check(f'keys: {key}, cell {cell} of the heat map', f': {cells[cell][1]} request' in said(browser), (said(browser), cells[:2]))


def test_keys(browser, folder):
    report = load(f'{folder}/threads4.json')
    browser.open(page(folder, 'keys', f'{folder}/threads4.json'))
    unnamed = browser.run('''return group.charts.filter(({ plot, spec }) => plot.tabIndex !== 0 ||
        !plot.getAttribute("aria-label").startsWith(spec.title)).map((chart) => chart.figure.id)''')
    check('keys: all charts can be reached and have a label', unnamed == [], unnamed)
    browser.run('document.querySelector("#heat-0 .plot").focus()')
    browser.press('Tab')
    check('keys: Tab goes on', browser.run('return document.getElementById("response").contains(document.activeElement)'))
    check_reading(browser, report)
    check_keys_zoom(browser)
    check_keys_heat(browser, report)
    check_quiet(browser, 'keys')


def test_twelve_runs(browser, folder):
    """All lines look different, in the chart and in the legend; a click into the legend hides a line."""
    report, paths = load(f'{folder}/threads4.json'), []
    for threads in range(1, 13):
        report['config']['threads'] = threads
        paths.append(store(folder, f'twelve{threads:02}', report))
    browser.open(page(folder, 'twelve', *paths))
    swatches = browser.run('return [...document.querySelectorAll("#legend .item svg")].map((picture) => picture.innerHTML)')
    check('twelve runs: twelve swatches', len(set(swatches)) == 12, swatches)
    drawn = browser.run('''const { graph, spec } = group.charts.find((chart) => chart.figure.id === "response");
        return spec.series.map((_, i) => [graph.getColors()[i], String(graph.getOption("strokePattern", `s${i}`)), graph.getOption("drawPoints", `s${i}`)])''')
    check('twelve runs: twelve lines', len({tuple(line[:2]) for line in drawn}) == 12 and all(points for *_, points in drawn[8:]), drawn)
    browser.run('document.querySelectorAll("#legend .item")[10].click()')
    hidden = browser.run('return group.charts.filter((chart) => chart.spec.byRun).map((chart) => chart.graph.visibility().indexOf(false))')
    check('twelve runs: a click hides one in all charts', set(hidden) == {10} and len(hidden) > 4, hidden)
    note = browser.run('return document.querySelector("#response figcaption small").textContent')
    check('twelve runs: the title names what is drawn', note == 'ms, p99 of each interval', note)
    check_quiet(browser, 'twelve runs')


if __name__ == '__main__':
    sys.exit(main(test_colors, test_keys, test_twelve_runs))
