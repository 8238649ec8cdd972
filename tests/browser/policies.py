# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens pages of runs with impatient clients, with shared and with idle connections, and with recall: their charts show the figures of the JSON."""
import contextlib
import os
import sqlite3
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from page_lib import at, check, check_lines, check_quiet, load, main, page, steadily, store, sysrate  # noqa: E402

RUN = ['oltp_point_select', '--db-driver=null', '--threads=50', '--time=3', '--report-interval=0.2', '--rand-seed=1']


def test_policies(browser, folder):
    """Half of the requests take longer than the clients wait."""
    path = f'{folder}/policies.json'
    steadily(sysrate, *RUN, '--null-service=30ms:exp', '--tx-rate=200', '--timeout=20ms', '--retry=3 1ms', f'--json={path}', 'run')
    intervals = load(path)['intervals']
    browser.open(page(folder, 'policies', path))
    check_lines(browser, 'policies', 'throughput', 'in time', [at(interval, 'policy.goodput_per_s') for interval in intervals])
    check_lines(browser, 'policies', 'amplification', 'amplification', [at(interval, 'policy.load_amplification') for interval in intervals])
    check_quiet(browser, 'policies')


def test_pool(browser, folder):
    """Fifty workers share four connections."""
    path = f'{folder}/pool.json'
    steadily(sysrate, *RUN, '--null-service=10ms:exp', '--tx-rate=300', '--pool-size=4', f'--json={path}', 'run')
    intervals = load(path)['intervals']
    browser.open(page(folder, 'pool', path))
    check_lines(browser, 'pool', 'parts', 'wait for a connection', [at(interval, 'connection_wait_ms.mean') for interval in intervals])
    check('pool: the table', 'Wait for a connection, ms' in browser.run('return document.body.textContent'))
    check_quiet(browser, 'pool')


def test_idle(browser, folder):
    report = load(f'{folder}/threads4.json')
    for i, interval in enumerate(report['intervals']):
        interval['idle_connections'] = 100 + i
    browser.open(page(folder, 'idle', store(folder, 'idle', report)))
    check_lines(browser, 'idle', 'idle', 'open', [interval['idle_connections'] for interval in report['intervals']])
    check_quiet(browser, 'idle')


def test_recall(browser, folder):
    """The recall of vector searches, next to the response times. Many inserted rows are lost, so that recall falls during the run."""
    path = f'{folder}/recall.json'
    vector = ['oltp_vector', '--db-driver=sqlite', f'--sqlite-db={folder}/v.db', '--vectors=300', '--dimensions=8', '--queries=20', '--threads=2']
    sysrate(*vector, 'prepare')
    with contextlib.closing(sqlite3.connect(f'{folder}/v.db')) as database:
        database.execute('CREATE TRIGGER lose AFTER INSERT ON vectors1 BEGIN DELETE FROM vectors1 WHERE id = NEW.id; END')
    steadily(sysrate, *vector, '--recall-share=1', '--mix=1,0,1,0', '--tx-rate=200', '--time=3', '--report-interval=0.2', f'--json={path}', 'run')
    report = load(path)
    browser.open(page(folder, 'recall', path))
    recalls = [interval['quality']['recall']['mean'] for interval in report['intervals']]
    check('recall: it falls', recalls[-1] < recalls[0], recalls)
    check_lines(browser, 'recall', 'quality-recall', 'recall', recalls)
    check_lines(browser, 'recall', 'response', 'p95', [at(interval, 'response_ms.percentiles.p95') for interval in report['intervals']])
    check_quiet(browser, 'recall')


if __name__ == '__main__':
    sys.exit(main(test_policies, test_pool, test_idle, test_recall))
