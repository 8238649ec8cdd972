# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages about jobs of `sysrate serve`, in headless Chromium: start one, watch it, stop it."""
import json
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import webdriver  # noqa: E402
from checks import check, status  # noqa: E402
from service import arrives, check_axe, check_page, text_of  # noqa: E402
from service_lib import Service, token_file, wait_until  # noqa: E402

MARK = '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">'
TARGETS = {'targets': [{'name': 'null', 'class': 'test', 'options': {'db-driver': 'null', 'null-service': '1ms'}}]}
TESTS = {'tests': [{'name': 'point', 'script': 'oltp_point_select', 'help': MARK, 'parameters': {
    'table_size': {'type': 'integer', 'min': 1, 'max': 1000, 'default': 10, 'help': MARK},
    'skip_trx': {'type': 'boolean'}, 'rand-type': {'type': 'choice', 'choices': ['uniform', MARK]}}}]}


def write(path, value):
    with open(path, 'w', encoding='utf-8') as out:
        os.fchmod(out.fileno(), 0o600)
        json.dump(value, out)


def fill(browser, selector, text):
    browser.run('document.querySelector(arguments[0]).value = ""', selector)
    browser.type(selector, text)


def test_start(browser, service):
    browser.visit(service.url + '/jobs')
    check('the queue: empty', browser.run('return document.querySelectorAll("tbody tr").length') == 0)
    check_page(browser, 'the empty queue')
    browser.click('main a[href="/jobs/new"]')
    check_page(browser, 'a new job')
    browser.click('form button')
    check('a new job: what the test allows', wait_until(lambda: browser.run('return !!document.querySelector("[data-parameter=table_size]")')))
    check_page(browser, 'a new job of a test')
    broken = browser.run('return [window.broken ?? null, document.querySelectorAll("img").length]')
    check("the owner's texts are shown as they are", broken == [None, 0], broken)
    browser.type('[data-number=rate]', '200')
    browser.type('[data-number=seconds]', '60')
    browser.type('[data-parameter=table_size]', '7')
    browser.type('[data-text=slo]', 'nonsense')
    browser.click('#start button')
    check('an invalid input is reported', wait_until(lambda: 'slo: objectives are needed' in text_of(browser, '#said')), text_of(browser))
    browser.console()  # discard the message about the status of this answer
    fill(browser, '[data-text=slo]', 'p99<1s')
    browser.click('#start button')
    check('starting leads to the job', arrives(browser, '/jobs/1'), browser.address())


def test_watch(browser):
    check('a job: live figures', wait_until(lambda: 'completed per second' in text_of(browser, '#live')), text_of(browser))
    check('a job: what was asked for', '"table_size":7' in text_of(browser), text_of(browser))
    messages = browser.console()
    check('a job: no message on the console', messages == [], messages)
    check_axe(browser, 'a job that runs')
    browser.click('.stop')
    check('a job: stopped', wait_until(lambda: 'cancelled' in text_of(browser)), text_of(browser))
    check('a job: its run', wait_until(lambda: browser.run('return !!document.querySelector(\'a[href="/runs/1"]\')')), text_of(browser))
    check_page(browser, 'a job that has ended')


def test_queue(browser, service):
    browser.visit(service.url + '/jobs')
    row = browser.run('return [...document.querySelectorAll("tbody tr:first-child > *")].map((cell) => cell.innerText.trim())')
    check('the queue: a row', row[:6] == ['1', 'cancelled', 'run', 'null', 'point', 'ann'], row)
    check_page(browser, 'the queue')


def main():
    if not webdriver.available():
        print('skip - jobs in a browser (needs the Debian packages chromium and chromium-driver)')
        print('ok - nothing to test')
        return 0
    with tempfile.TemporaryDirectory(prefix='sysrate-browser-jobs.') as folder, webdriver.Browser() as browser:
        tokens = token_file(folder, ann='run')
        write(f'{folder}/targets.json', TARGETS)
        write(f'{folder}/tests.json', TESTS)
        options = [f'--token-file={folder}/tokens', f'--targets={folder}/targets.json', f'--tests={folder}/tests.json']
        with Service(*options, folder=folder) as service:
            browser.visit(service.url + '/login')
            browser.type('#token', tokens['ann'])
            browser.click('#login button')
            check('logged in', wait_until(lambda: 'ann' in text_of(browser, 'nav')), text_of(browser))
            browser.console()  # discard Chromium's message about forms with passwords
            test_start(browser, service)
            test_watch(browser)
            test_queue(browser, service)
            check('the service logged nothing', service.said() == '', service.said())
    return status()


if __name__ == '__main__':
    sys.exit(main())
