# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of an experiment of sysrate ab in headless Chromium: its charts show the figures of ab.json, and both heat maps are drawn."""
import os
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import SYSRATE, check, check_quiet, load, main  # noqa: E402


def experiment(folder):
    """Runs an experiment with a control, whose result does not matter."""
    script = f'{folder}/sleep.lua'
    with open(script, 'w', encoding='utf-8') as out:
        out.write('sysbench.cmdline.options = {cost = {"seconds", 0.002}}\nffi.cdef("int usleep(unsigned int us)")\n'
                  'function event() ffi.C.usleep(1e6 * sysbench.opt.cost * (1 + sysbench.rand.uniform_double())) end\n')
    subprocess.run([SYSRATE, 'ab', f'--out={folder}/ab', '--b=--cost=0.0021', '--until=p50±0.001%,mean±0.001%', '--max-pairs=5', '--control',
                    '--seed=2', '--', script, '--time=0.3', '--report-interval=0.1', '--percentile=50,99'],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=False)
    return load(f'{folder}/ab/ab.json')


def check_dots(browser, at, figure, pairs):
    dots = browser.run('''return [...document.querySelectorAll("#ab .charts")[0].querySelectorAll("svg")[arguments[0]].querySelectorAll("circle")]
        .map((dot) => [dot.querySelector("title").textContent, +dot.getAttribute("cy"), dot.className.baseVal])''', at)
    titles = [f'pair {i + 1}, {pair["order"][0]} first: {difference:+.2f} %'
              for i, (pair, difference) in enumerate(zip(pairs, figure['differences']))]
    check(f'{figure["name"]}: a dot for each pair', [dot[0] for dot in dots] == titles, (dots, titles))
    rising = [difference for _, difference in sorted(zip([-dot[1] for dot in dots], figure['differences']))]
    check(f'{figure["name"]}: dots of larger differences are higher', rising == sorted(rising), dots)
    check(f'{figure["name"]}: the dots show the order', [dot[2] for dot in dots] == [pair['order'].lower() + '-order' for pair in pairs], dots)


def test_charts(browser, folder):
    result = experiment(folder)['experiment']
    asked = [figure for figure in result['figures'] if figure['asked_percent']]
    browser.open(f'{folder}/ab/page.html')
    captions = browser.run('return [...document.querySelectorAll("#ab figcaption")].map((one) => one.textContent)')
    check('a chart for each asked figure of experiment and control', len(asked) == 2 and len(captions) == 4, captions)
    for at, figure in enumerate(asked):
        check(f'{figure["name"]}: the caption', captions[at].startswith(f'{figure["name"]}: {figure["change_percent"]:+.2f} % ('), captions[at])
        check_dots(browser, at, figure, result['pairs'])
    check('the mean is drawn for each pair', browser.run(
        'return [...document.querySelectorAll("#ab .mean")].map((line) => line.getAttribute("d").split("L").length)')[0] == len(result['pairs']))
    check('the result is there as text', 'Verdict: ' in browser.run('return document.querySelector("#ab pre").textContent'))
    check('both heat maps', browser.run('return group.charts.filter((chart) => chart.figure.id.startsWith("heat-")).length') == 2)
    check_quiet(browser, 'ab')


if __name__ == '__main__':
    sys.exit(main(test_charts))
