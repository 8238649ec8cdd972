# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of `sysrate serve`, in headless Chromium: the first visit, adding runs, each page, hostile reports, logging in.

If axe-core is available (npm pack axe-core; SYSRATE_AXE names its axe.min.js), it checks each page in light and dark colours.
"""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), f'{os.path.dirname(HERE)}/cli']
import make_history  # noqa: E402
import page_lib  # noqa: E402
import webdriver  # noqa: E402
from checks import check, status  # noqa: E402
from service_lib import Service, token_file, wait_until  # noqa: E402

AXE = os.environ.get('SYSRATE_AXE', '')
MARK = '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">'
SERIOUS = ('serious', 'critical')


def axe_finds(browser):
    """Returns axe's serious findings, as [[rule, impact, first place], …]."""
    with open(AXE, encoding='utf-8') as text:
        browser.run(text.read() + '\nwindow.axe = axe;')
    found = browser.run_async('const done = arguments[0]; axe.run(document).then((found) => done(found.violations.map((one) => '
                              '[one.id, one.impact, one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary])), (error) => done([["error", "serious", String(error)]]))')
    return [one for one in found if one[1] in SERIOUS]


def check_axe(browser, what):
    if not AXE:
        return
    for scheme in ('light', 'dark'):
        browser.devtools('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        found = axe_finds(browser)
        check(f'{what}, {scheme}: axe finds nothing serious', found == [], '\n'.join(map(str, found)))
    browser.devtools('Emulation.setEmulatedMedia', features=[])


def check_page(browser, what, resources=0):
    """Checks that apply to every page."""
    messages = browser.console()
    check(f'{what}: no message on the console', messages == [], messages)
    fetched = browser.run('return performance.getEntriesByType("resource").map((one) => one.name)')
    check(f'{what}: fetches nothing', len(fetched) == resources, fetched)
    unnamed = browser.run('''return [...document.querySelectorAll("input, select, button, a")].filter((one) => one.checkVisibility() &&
        !(one.labels && one.labels.length) && !one.getAttribute("aria-label") && !one.textContent.trim()).map((one) => one.outerHTML)''')
    check(f'{what}: all controls have a name', unnamed == [], unnamed)
    headings = browser.run('return [document.querySelectorAll("h1").length, document.documentElement.lang, document.title !== ""]')
    check(f'{what}: one heading, a language, a title', headings == [1, 'en', True], headings)
    wide = browser.run('return document.documentElement.scrollWidth - document.documentElement.clientWidth')
    check(f'{what}: is no wider than the window', wide <= 0, wide)
    check_axe(browser, what)


def text_of(browser, selector='main'):
    return browser.run('const one = document.querySelector(arguments[0]); return one ? one.innerText : ""', selector)


def arrives(browser, end):
    return wait_until(lambda: browser.address().split('?')[0].endswith(end))


def add(browser, service, path, label=''):
    browser.visit(service.url + '/')
    browser.type('#report', path)
    if label:
        browser.type('#label', label)
    browser.click('#upload button')


def test_first_visit(browser, service):
    browser.visit(service.url + '/')
    check('first visit: the page says how to add runs', f'sysrate --archive={service.archive}' in text_of(browser), text_of(browser))
    check_page(browser, 'first visit')
    browser.visit(service.url + '/trend')
    check('first visit, trend: no run', 'No run.' in text_of(browser))
    check_page(browser, 'first visit, trend')


def test_adding(browser, service):
    """Adds a run with the form. An invalid file is reported next to the button."""
    add(browser, service, f'{service.folder}/a.json', 'branch=main')
    check('adding: the page of the run opens', arrives(browser, '/runs/1'), browser.address())
    check('adding: the run has its charts', wait_until(lambda: browser.run('return typeof group !== "undefined" && group.charts.length') > 1))
    check_page(browser, 'a run')
    heading = browser.run('return [document.title, document.querySelector("h1").textContent, document.getElementById("subtitle").textContent]')
    check('a run: title and heading have its number and its test', all('Run 1: ' in text and 'query.lua' in text for text in heading[:2]), heading)
    check('a run: the heading has its labels and its time', 'branch=main' in heading[2] and ' UTC' in heading[2], heading)
    browser.click('nav.service a[href="/"]')
    check('a run: leads back', arrives(browser, '/'))
    with open(f'{service.folder}/none.json', 'w', encoding='utf-8') as out:
        out.write('{"hello": 1}')
    add(browser, service, f'{service.folder}/none.json')
    check('adding: an invalid file is reported', wait_until(lambda: 'no report of sysrate' in text_of(browser, '#said')), text_of(browser, '#said'))
    browser.console()  # discard the message about the status of this answer
    for name in 'bc':
        with open(f'{service.folder}/{name}.json', 'rb') as file:
            service.post('/api/v1/runs', file.read())


def test_list(browser, service):
    browser.visit(service.url + '/')
    rows = browser.run('return [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))')
    check('list: the newest first', [row[2] for row in rows] == ['3', '2', '1'], rows)
    check('list: what a run is', rows[2][4].endswith('query.lua') and rows[2][11] != '' and rows[2][12] == 'branch=main', rows)
    can = []
    for box in (None, 'a1', 'b3', 'a2', 'b1', 'a1'):
        if box:
            browser.click(f'input[name="{box[0]}"][value="{box[1]}"]')
        can.append(not browser.run('return document.getElementById("compare").disabled'))
    check('list: both sides must have a run', can == [False, False, True, True, True, True], can)
    ticked = browser.run('return [...document.querySelectorAll("input:checked")].map((box) => box.name + box.value).sort()')
    check('list: a run is on one side only', ticked == ['a1', 'a2', 'b3'], ticked)
    browser.click('input[name="a"][value="2"]')
    ids = lambda: browser.run('return [...document.querySelectorAll("tbody th")].map((head) => head.textContent.trim())')
    browser.click('thead th:nth-child(3) button')
    check('list: sorted by number', ids() == ['1', '2', '3'], ids())
    browser.click('thead th:nth-child(3) button')
    check('list: sorted the other way', ids() == ['3', '2', '1'], ids())
    browser.click('thead th:nth-child(10) button')
    values = browser.run('return [...document.querySelectorAll("tbody tr")].map((row) => parseFloat(row.cells[9].textContent))')
    check('list: sorted by p95', values == sorted(values) and len(values) == 3, values)
    heads = browser.run('return [...document.querySelectorAll("thead th")].map((head) => head.textContent)')
    check('list: p95 and the time zone', heads[9] == 'p95 ms' and heads[3] == 'started, UTC', heads)
    hints = browser.run('return [...document.querySelectorAll("input")].map((field) => field.placeholder).filter(Boolean)')
    check('list: no field looks as if it were filled in', hints == [], hints)
    check_page(browser, 'list')
    browser.click('#compare')
    check('comparison: comes', arrives(browser, '/compare'), browser.address())
    check('comparison: of those that were ticked', 'run 1' in text_of(browser) and 'run 3' in text_of(browser), text_of(browser))
    check('comparison: says what came out', 'Verdict: ' in text_of(browser) and '+50.00 %' in text_of(browser), text_of(browser))
    check_page(browser, 'comparison')
    browser.click('main a[href^="/compare/page"]')
    check('comparison: charts of both', wait_until(lambda: browser.run('return typeof runs !== "undefined" && runs.length') == 2))
    check_page(browser, 'charts of both')
    browser.visit(service.url + '/?label=branch%3Dmain')
    check('list: filtered', browser.run('return document.querySelectorAll("tbody tr").length') == 1)
    browser.visit(service.url + '/trend')
    check('trend: a point for each run', browser.run('return document.querySelectorAll("circle").length') >= 3)
    check_page(browser, 'trend')
    browser.run('document.querySelector("figure a").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))')
    check('trend: a point leads to its run', arrives(browser, '/runs/1'), browser.address())
    browser.console()
    browser.visit(service.url + '/runs/99')
    check('no such run: said', 'There is no run 99' in text_of(browser), text_of(browser))
    browser.console()  # discard the message about the status of this answer
    check_page(browser, 'no such run')


def test_narrow(browser, service):
    """A window as narrow as a phone."""
    browser.devtools('Emulation.setDeviceMetricsOverride', width=360, height=740, deviceScaleFactor=1, mobile=True)
    for what, path in (('list', '/'), ('comparison', '/compare?run=1&run=2'), ('trend', '/trend')):
        browser.visit(service.url + path)
        wide = browser.run('return document.documentElement.scrollWidth - document.documentElement.clientWidth')
        check(f'{what}, narrow: nothing is cut off', wide <= 0, wide)
    browser.visit(service.url + '/')
    cut = browser.run('''const box = document.querySelector(".scroll");
        return [box.scrollWidth - box.clientWidth, Math.max(...[...box.querySelectorAll("tbody :is(th, td)")].map((cell) => cell.getBoundingClientRect().right))]''')
    check('list, narrow: each run is a card within the window', cut[0] <= 0 and cut[1] <= 360, cut)
    browser.devtools('Emulation.clearDeviceMetricsOverride')


def test_hostile(browser, service):
    with open(f'{service.folder}/a.json', encoding='utf-8') as text:
        report = json.load(text)
    report['test'] = report['tool']['version'] = MARK
    report['client'] = {'host': MARK}
    report['config'].update(label=[f'x={MARK}'], script=MARK, **{MARK: MARK})
    report['summary']['audit']['verdict'] = {'valid': False, 'findings': [{'name': MARK, 'figure': MARK, 'advice': MARK}]}
    with open(f'{service.folder}/hostile.json', 'w', encoding='utf-8') as out:
        json.dump(report, out)
    add(browser, service, f'{service.folder}/hostile.json')
    check('hostile: taken', arrives(browser, '/runs/4'), browser.address())
    for path in ('/runs/4', '/', '/compare?run=1&run=4', '/compare/page?a=1&b=4', '/trend', '/api/v1/runs/4/page', '/?test-name=%3Cimg%20src=x%3E'):
        browser.visit(service.url + path)
        broken = browser.run('return [window.broken ?? null, document.querySelectorAll("img").length, document.body.innerText.includes("onerror") || true]')
        check(f'hostile, {path}: nothing of it is executed', broken[:2] == [None, 0], broken)
        messages = browser.console()
        check(f'hostile, {path}: and nothing had to be stopped', messages == [], messages)
    browser.visit(service.url + '/')
    check('hostile: it is shown as it is', MARK in text_of(browser), text_of(browser))


def test_search(browser, service):
    """The result of a capacity search: in the list, on its own page, and in the trend."""
    with open(f'{service.folder}/search.json', 'w', encoding='utf-8') as out:
        json.dump(make_history.search(3, 1711.9), out)
    add(browser, service, f'{service.folder}/search.json')
    check('search: leads to its page', arrives(browser, '/runs/5'), browser.address())
    check('search: says what it has found', '1711.9 requests/s' in text_of(browser), text_of(browser))
    check('search: is drawn', browser.run('return document.querySelectorAll("svg .point").length') == 2)
    colour = browser.run('return getComputedStyle(document.querySelector(".met")).fill')
    check('search: in its colours', colour != 'rgb(0, 0, 0)', colour)
    check_page(browser, 'search')
    for path in ('/', '/trend', '/api/v1/runs/5/page'):
        browser.visit(service.url + path)
        check_page(browser, f'search, {path}')
    check('search: its page alone, in colours', browser.run('return getComputedStyle(document.querySelector(".met")).fill') != 'rgb(0, 0, 0)')


def test_no_start(browser, service):
    """A report of another program may lack parts that reports of sysrate have."""
    with open(f'{service.folder}/a.json', encoding='utf-8') as text:
        report = json.load(text)
    del report['started']
    with open(f'{service.folder}/bare.json', 'w', encoding='utf-8') as out:
        json.dump(report, out)
    add(browser, service, f'{service.folder}/bare.json')
    check('no start: leads to its page', arrives(browser, '/runs/6'), browser.address())
    for path in ('/runs/6', '/compare/page?a=1&b=6', '/', '/trend'):
        browser.visit(service.url + path)
        check_page(browser, f'no start, {path}')
    browser.visit(service.url + '/runs/6')
    check('no start: the page is drawn', browser.run('return document.querySelectorAll("canvas").length') > 0)


def test_login(browser, folder):
    tokens = token_file(folder, reader='read')
    with Service(f'--token-file={folder}/tokens', folder=folder) as service:
        browser.visit(service.url + '/compare?run=1&run=2')
        browser.console()  # discard the message about status 401
        check_page(browser, 'login')
        browser.type('#token', 'x' * 30)
        browser.click('#login button')
        check('login: a wrong token is said', wait_until(lambda: 'no token of this service' in text_of(browser, '#said')), text_of(browser))
        browser.run('document.getElementById("token").value = ""')
        browser.type('#token', tokens['reader'])
        browser.click('#login button')
        check('login: leads to the page that was asked for', wait_until(lambda: 'Verdict:' in text_of(browser)), text_of(browser))
        check('login: the token is out of reach of scripts', browser.run('return document.cookie') == '')
        browser.console()
        browser.visit(service.url + '/')
        check('login: says who it is', 'reader' in text_of(browser, 'nav'))
        check_page(browser, 'list of a reader')
        browser.click('#logout')
        check('logout', arrives(browser, '/login') and wait_until(lambda: service.get('/', Cookie='').status == 401))
        browser.visit(service.url + '/')
        check('logout: nothing is shown', 'Log in' in text_of(browser, 'h1'))
        browser.console()


def make_reports(folder):
    """Archives two equal runs and one whose times are half as long again."""
    with open(page_lib.measure(folder, 4), encoding='utf-8') as text:
        report = json.load(text)
    for day, name in enumerate('abc', 1):
        report['started'] = f'2026-01-0{day}T12:00:00.000Z'
        for part in [*report['intervals'], report['summary']] if name == 'c' else []:
            part['response_ms']['mean'] *= 1.5
            for percentile in part['response_ms']['percentiles'].values():
                percentile['value'] *= 1.5
        with open(f'{folder}/{name}.json', 'w', encoding='utf-8') as out:
            json.dump(report, out)


def main():
    if not webdriver.available():
        print('skip - the service in a browser (needs the Debian packages chromium and chromium-driver)')
        print('ok - nothing to test')
        return 0
    if not AXE:
        print('skip - axe-core (SYSRATE_AXE does not name its axe.min.js)')
    with tempfile.TemporaryDirectory(prefix='sysrate-browser-service.') as folder, webdriver.Browser() as browser:
        make_reports(folder)
        with Service(folder=folder) as service:
            for test in (test_first_visit, test_adding, test_list, test_narrow, test_hostile, test_search, test_no_start):
                test(browser, service)
            check('the service had nothing to say', service.said() == '', service.said())
        test_login(browser, folder)
    return status()


if __name__ == '__main__':
    sys.exit(main())
