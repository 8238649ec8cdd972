# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens pages of runs with impatient clients and with idle connections: their charts show the figures of the JSON."""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import at, check_lines, check_quiet, load, main, page, store, sysrate  # noqa: E402

RUN = ['oltp_point_select', '--db-driver=null', '--threads=50', '--time=3', '--report-interval=0.2', '--rand-seed=1']


def test_policies(browser, folder):
    """Half of the requests take longer than the clients wait."""
    path = f'{folder}/policies.json'
    sysrate(*RUN, '--null-service=30ms:exp', '--tx-rate=200', '--timeout=20ms', '--retry=3 1ms', f'--json={path}', 'run')
    intervals = load(path)['intervals']
    browser.open(page(folder, 'policies', path))
    check_lines(browser, 'policies', 'throughput', 'in time', [at(interval, 'policy.goodput_per_s') for interval in intervals])
    check_lines(browser, 'policies', 'amplification', 'amplification', [at(interval, 'policy.load_amplification') for interval in intervals])
    check_quiet(browser, 'policies')


def test_idle(browser, folder):
    report = load(f'{folder}/threads4.json')
    for i, interval in enumerate(report['intervals']):
        interval['idle_connections'] = 100 + i
    browser.open(page(folder, 'idle', store(folder, 'idle', report)))
    check_lines(browser, 'idle', 'idle', 'open', [interval['idle_connections'] for interval in report['intervals']])
    check_quiet(browser, 'idle')


if __name__ == '__main__':
    sys.exit(main(test_policies, test_idle))
