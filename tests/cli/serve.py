# SPDX-License-Identifier: GPL-2.0-or-later
"""sysrate serve: its figures are those of the tools, and each security rule refuses a request that breaks it.

No check depends on the speed of the machine, except for a time limit that is set to one second to see it work.
"""
import base64
import hashlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import make_history  # noqa: E402
from checks import check, status  # noqa: E402
from service_lib import SYSRATE, Service, make_report, token_file, wait_until  # noqa: E402

MARK = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
SANITIZED = os.environ.get('SANITIZER', 'no') != 'no'


def sysrate(*arguments):
    return subprocess.run([SYSRATE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


def test_first_visit(folder):
    with Service(folder=folder, archive='first') as service:
        page = service.get('/')
        check('first visit: a page', page.status == 200 and 'No run is here yet' in page.text and 'id="upload"' in page.text, page)
        check('first visit: the trend', 'No run.' in service.get('/trend').text)
        check('first visit: an empty list', service.get('/api/v1/runs').json == [])
        check('first visit: health', service.get('/api/v1/health').json == {'status': 'ok'})
        check('first visit: no run', service.get('/runs/1').status == service.get('/api/v1/runs/1').status == 404)
        check('first visit: SIGTERM ends the service with status 0', service.stop() == 0, service.said())
        check('first visit: no messages were logged', service.said() == '', service.said())


def test_runs(service, reports):
    for number, body in enumerate(reports, 1):
        answer = service.post(f'/api/v1/runs?label=branch%3Db{number % 2}', body)
        check(f'run {number} is added', (answer.status, answer.json) == (201, {'id': number}), answer)
    check('the same report again gets the same number', service.post('/api/v1/runs', reports[0]).json == {'id': 1})
    check('a run, byte for byte', service.get('/api/v1/runs/2').body == reports[1])
    listed = sysrate('archive', 'list', '--format=json', service.archive).stdout
    check('the list is that of the tool', service.get('/api/v1/runs').text == listed)
    ids = [[run['id'] for run in service.get(f'/api/v1/runs?{query}').json]
           for query in ('label=branch=b1', 'limit=1', 'limit=1&skip=2', 'test-name=none', 'verdict=VALID&since=&until=')]
    check('the list is filtered', ids == [[1, 3], [4], [2], [], [1, 2, 3, 4]], ids)
    wrong = [service.get(f'/api/v1/runs?{query}').status for query in ('limit=0', 'limit=1001', 'limit=x', 'skip=-1', 'since=now', 'label=x')]
    check('invalid filters are refused', wrong == [400] * 6, wrong)
    page = service.get('/?label=branch=b1').text
    check('the page lists the runs, newest first', re.findall(r'href="/runs/(\d+)"', page) == ['3', '1'], page)
    check('the page keeps the filter', 'value="branch=b1"' in page)
    turned = service.get('/?limit=1&skip=1').text
    check('the page has links to newer and older runs', 'skip=0' in turned and 'skip=2' in turned and '2 to 2 of 4' in turned, turned)
    html = f'{service.folder}/tool.html'
    with open(f'{service.folder}/run 2.json', 'wb') as out:
        out.write(reports[1])
    sysrate('report', f'--html={html}', f'{service.folder}/run 2.json')
    with open(html, 'rb') as file:
        check('the page of a run is that of the tool', service.get('/api/v1/runs/2/page').body == file.read())
    page = service.get('/runs/2').text
    check('the page of a run has the navigation of the service', re.search('<nav class="service".*href="/">.*href="/trend">', page, re.S), page[:300])
    check('the page of a run has its number and labels', '"archived":{"title":"Run 2","labels":{"branch":"b0"}}' in page.replace(', ', ',').replace(': ', ':'),
          re.findall('"archived".{80}', page))
    sysrate('archive', 'tag', service.archive, '2', 'branch=', 'tagged=yes')
    check('the labels are those of the archive', '"labels":{"tagged":"yes"}' in service.get('/runs/2').text.replace(': ', ':'))
    sysrate('archive', 'tag', service.archive, '2', 'branch=b0', 'tagged=')
    for path in ('/', '/trend', '/runs/2', '/compare?a=1&b=2'):
        check(f'{path}: no link to jobs where there are none', 'href="/jobs"' not in service.get(path).text)


def test_judgements(service):
    compared = service.get('/api/v1/compare?a=1&b=4').json
    for number in (1, 4):
        with open(f'{service.folder}/{number}.json', 'wb') as out:
            out.write(service.get(f'/api/v1/runs/{number}').body)
    printed = sysrate('compare', f'{service.folder}/1.json', f'{service.folder}/4.json').stdout
    rows = {figure['name']: f"{figure['a']:.2f} {figure['b']:.2f} {figure['result']}" for figure in compared['figures']}
    lines = re.findall(r'^(\S+) \([^)]*\) +>?(\S+) +>?(\S+) .* (same|different|unknown)(?:: .*)?$', printed, re.M)
    seen = {name: f'{a} {b} {result}' for name, a, b, result in lines}
    check('a comparison is that of the tool', seen.items() <= rows.items() and len(seen) > 3 and compared['result'] == 'different', (printed, compared))
    page = service.get('/compare?run=4&run=1').text
    check('the page of a comparison: the lower number is A', re.search('<b>A</b>: [^<]*<a href="/runs/1">', page) and 'Verdict: <b>different</b>' in page, page)
    verdicts = [run['verdict'].split(',')[0] for number in (1, 4) for run in service.get('/api/v1/runs').json if run['id'] == number]
    check('the page of a comparison: the verdicts of the runs', re.findall(r'run \d</a> <span class="[a-z]+">([^<]*)', page) == verdicts, (page, verdicts))
    drawn = [figure['name'] for figure in compared['figures'] if figure['a'] or figure['b']]
    check('the page of a comparison: a chart of the figures', len(drawn) > 3 and page.count('<circle') == len(drawn), (drawn, page))
    several = service.get('/compare?a=1&a=2&b=3')
    check('the page of a comparison: repeats, as the list of runs sends them', several.status == 200 and 'run 2</a>' in several.text, several)
    check('the page of a comparison: settings that differ', re.search('<th scope="row">table_size</th><td>10</td><td>20</td>', page), page)
    check('repeats are compared', service.get('/api/v1/compare?a=1,2&b=3').json['a']['runs'] == 2)
    check('runs with different settings are no repeats', 'is not a repeat of' in service.get('/api/v1/compare?a=1,4&b=3').json['error'])
    check('charts of both', service.get('/compare/page?a=1&b=4').text.count('class="run"') == 2)
    answers = [service.get(path).status for path in ('/compare?run=1', '/compare?run=1&run=2&run=3', '/api/v1/compare?a=1', '/api/v1/compare?a=1,x&b=2',
                                                     '/api/v1/compare?a=1&b=2&min-change=-1')]
    check('invalid comparisons are refused', answers == [400] * 5, answers)
    check('a run that does not exist', service.get('/api/v1/compare?a=1&b=99').status == 404)
    check('the trend is that of the tool', service.get('/api/v1/trend').text == sysrate('trend', '--format=json', service.archive).stdout)
    page = service.get('/trend').text
    points = re.findall(r'<a href="/runs/(\d+)"><circle', page)
    check('the page of the trend has each run for each of three figures, as a link', sorted(points) == sorted(['1', '2', '3', '4'] * 3), points)
    newest = re.findall(r'class="newest">Newest: <a href="/runs/(\d+)">', page)
    check('the page of the trend: the newest run of each history', newest, page)
    check('the page of the trend: labels are text', 'branch=b' in page and '{&quot;' not in page, page)


def test_axes(folder):
    """The ticks of the axes of the trend are round numbers and dates."""
    os.mkdir(f'{folder}/made')
    make_history.story(f'{folder}/made')
    with Service(folder=folder, archive='axes') as service:
        sysrate('archive', 'add', service.archive, f'{folder}/made')
        page = service.get('/trend').text
        charts = re.findall('<figure>.*?</figure>', page, re.S)
        ticks = [[float(text) for text in re.findall('class="tick"[^>]*>([^<]*)', chart)] for chart in charts]
        # A round number has at most two digits that are not 0, or three of which the last one is 5.
        digits = [f'{tick:.9g}'.replace('.', '').strip('0') for one in ticks for tick in one]
        check('axes: some ticks, all of them round', len(ticks) == 4 and all(len(one) >= 3 for one in ticks) and
              all(len(text) <= 2 or (len(text) == 3 and text[2] == '5') for text in digits), ticks)
        check('axes: they say that they are logarithmic', page.count('logarithmic axis') == len(charts))
        dates = re.findall('class="date"[^>]*>([^<]*)', charts[0])
        check('axes: dates from the first run to the last', dates[0] == '2026-01-01' and dates[-1] == '2026-03-16' and len(dates) > 4, dates)
        steps = re.findall(r'a step to the .*between <a href="/runs/(\d+)">run (\d+)</a> and <a', page)
        check('axes: the runs of a step are links', steps and all(a == b for a, b in steps), steps)


def test_short_series(folder):
    """The trend of a series that is too short for steps says what the tool says."""
    for name, arguments in (('usual', ['8']), ('slow', ['8', 'mean=4'])):
        os.mkdir(f'{folder}/{name}')
        subprocess.run([sys.executable, make_history.__file__, f'{folder}/{name}', *arguments], check=True)
    with Service(folder=folder, archive='short') as service:
        sysrate('archive', 'add', service.archive, *[f'{folder}/usual/000{i}.json' for i in range(1, 6)],
                *[f'{folder}/slow/000{i}.json' for i in range(6, 9)])
        page = service.get('/trend').text
        check('a short series: it is judged', '8 of them valid, too few for steps' in page, page)
        check('a short series: the newest run is suspect', re.search('class="newest".*; p99 is <b class="worse">suspect', page), page)


def test_all_findings(folder):
    """A comparison names all findings of a run."""
    os.mkdir(f'{folder}/findings')
    for name, findings in (('a', ()), ('b', ('CLIENT-LIMITED', 'NON-STATIONARY'))):
        with open(f'{folder}/findings/{name}.json', 'w', encoding='utf-8') as out:
            json.dump(make_history.report(len(findings), 2, findings=findings), out)
    with Service(folder=folder, archive='found') as service:
        sysrate('archive', 'add', service.archive, f'{folder}/findings/a.json', f'{folder}/findings/b.json')
        page = service.get('/compare?a=1&b=2').text
        check('a comparison: all findings', '>VALID<' in page and '>CLIENT-LIMITED, NON-STATIONARY<' in page, page)


def test_not_found(service):
    for path, what in (('/nothing/here', '/nothing/here'), ('/runs/999', 'run 999'), ('/jobs/999', ''), ('/compare?a=1&b=999', 'run 999')):
        answer = service.get(path)
        check(f'{path}: a page that says what was not found', answer.status == 404 and answer.headers['Content-Type'].startswith('text/html') and
              '<h1>Not found</h1>' in answer.text and what in answer.text, answer)
    answer = service.get('/nothing%3Cscript%3Ealert(1)%3C/script%3E')
    check('a page that was not found: its address is text', answer.status == 404 and '<script>alert' not in answer.text, answer)
    answer = service.get('/api/v1/nothing')
    check('an address for programs: JSON', answer.status == 404 and '/api/v1/nothing' in answer.json['error'], answer)


def test_addresses(service):
    for path in ('/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/api/v1/runs/..%2f..%2fetc%2fpasswd', '/runs/1/../../x', '//etc/passwd',
                 '/api/v1/runs/1;x', '/api/v1/runs/0', '/api/v1/runs/01', '/api/v1/runs/-1', '/api/v1/runs/99999999999999999999', '/archive.sqlite'):
        answer = service.get(path)
        check(f'address {path}: none', answer.status == 404 and b'root:' not in answer.body, answer)
    for method, path, allow in (('DELETE', '/api/v1/runs/1', 'GET'), ('PUT', '/api/v1/runs', 'POST'), ('POST', '/', 'GET'), ('TRACE', '/', 'GET')):
        answer = service.ask(method, path, Origin=service.url, X_Sysrate='1')
        check(f'{method} {path}: not taken', (answer.status, answer.headers['Allow']) == (405, allow), answer)
    check('many values', service.get('/api/v1/runs?' + '&'.join(['label=a=b'] * 33)).status == 400)
    check('many labels', service.get('/api/v1/runs?' + '&'.join(['label=a=b'] * 9)).status == 400)
    check('a long address', service.get('/api/v1/runs?label=' + 'x' * 100000).status in (400, 413, 414, 431))
    check('HEAD has no body', service.ask('HEAD', '/api/v1/runs').body == b'')


def test_hosts(service):
    for host in ('evil.example', f'evil.example:{service.port}', 'localhost.evil.example', '127.0.0.1@evil.example', '127.0.0.1:x', '', '[::1'):
        answer = service.get('/api/v1/runs', Host=host)
        check(f"Host '{host}': refused", answer.status in (400, 421) and b'made_up' not in answer.body, answer)
    check('no Host: refused', service.get('/api/v1/runs', Host=None).status in (400, 421))
    for host in ('localhost', f'LOCALHOST:{service.port}', '127.0.0.1', '[::1]:80', 'bench.example'):
        check(f"Host '{host}': answered", service.get('/api/v1/runs', Host=host).status == 200)


def test_writing(service, report):
    """Requests that a foreign web page could make a browser send are refused."""
    for name, headers, expected in (
            ('another Origin', {'Origin': 'http://evil.example'}, 403), ('no Origin', {'Origin': None}, 403), ('Origin null', {'Origin': 'null'}, 403),
            ('the Origin of another port', {'Origin': 'http://127.0.0.1:1'}, 403), ('an Origin that goes on', {'Origin': service.url + '.evil.example'}, 403),
            ('without our header', {'X_Sysrate': None}, 403), ('a form', {'Content_Type': 'application/x-www-form-urlencoded'}, 415),
            ('plain text', {'Content_Type': 'text/plain'}, 415), ('almost JSON', {'Content_Type': 'application/jsonx'}, 415),
            ('another Host, its Origin', {'Host': 'evil.example', 'Origin': 'http://evil.example'}, 421),
            ('no length', {'Content_Length': None, 'Transfer_Encoding': 'chunked'}, 411)):
        answer = service.post('/api/v1/runs', report if name != 'no length' else '5\r\n{"a":\r\n0\r\n\r\n', **headers)
        check(f'writing, {name}: refused', answer.status == expected and 'error' in answer.json, answer)
    check('writing through a reverse proxy with TLS', service.post('/api/v1/logout', '{}', Host='bench.example', Origin='https://bench.example').status == 200)
    count = len(service.get('/api/v1/runs').json)
    check('nothing was added', count == 4, count)


def test_bodies(service, report):
    big = b'{"schema":2,"x":"' + b'y' * 10_000_000 + b'"}'
    answer = service.post('/api/v1/runs', big)
    check('10 MB: refused', answer.status == 413, answer)
    check('a body where none belongs: refused', service.ask('GET', '/api/v1/runs', 'x').status == 413)
    deep = b'{"schema":2,"tool":' + b'[' * 40 + b']' * 40 + b'}'
    limits = {'depth': deep, 'one string': b'{"x":"' + b'y' * 20000 + b'"}', 'members': json.dumps({str(i): 0 for i in range(3000)}).encode(),
              'values': b'{"x":[' + b'0,' * 2_100_000 + b'0]}'}
    for name, body in limits.items():
        answer = service.post('/api/v1/runs', body)
        check(f'{name}: refused', answer.status == 422 and 'as allowed' in answer.json['error'], answer)
    for name, body in {'nothing': b'', 'half': report[:-20], 'no report': b'{}', 'an array': b'[]', 'bytes': b'\xff\x00\xfe' * 99}.items():
        answer = service.post('/api/v1/runs', body)
        check(f'{name}: refused with a reason', answer.status == 422 and "'the report'" in answer.json['error'], answer)
    check('a login that is no JSON', service.post('/api/v1/login', '[' * 100).status == 400)
    check('a long login', service.post('/api/v1/login', 'x' * 70000).status == 413)


def test_hostile(service, report):
    """HTML in the texts of a report is shown as text on every page."""
    value = json.loads(report)
    value['test'] = value['tool']['version'] = MARK
    value['client'] = {'host': MARK}
    value['config'].update(label=[f'x={MARK}'], script=MARK, **{MARK: MARK})
    value['summary']['audit']['verdict'] = {'valid': False, 'findings': [{'name': MARK, 'figure': MARK, 'advice': MARK}]}
    value['summary']['response_ms']['percentiles'][f'p{MARK}'] = {'value': 1}
    number = service.post('/api/v1/runs', json.dumps(value)).json['id']
    for path in ('/', f'/runs/{number}', f'/api/v1/runs/{number}/page', f'/compare?run=1&run={number}', f'/compare/page?a=1&b={number}', '/trend',
                 f'/?test-name={"%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E"}', f'/?limit={"%3Cscript%3Ealert(1)"}'):
        answer = service.get(path)
        check(f'hostile, {path}: only text', b'<script>alert' not in answer.body and b'<img' not in answer.body and b'"onerror' not in answer.body, answer)
        policy = answer.headers['Content-Security-Policy']
        check(f'hostile, {path}: the policy allows known scripts only', 'unsafe-inline' not in policy and 'unsafe-eval' not in policy and "default-src 'none'" in policy, policy)
    row = re.search(f'aria-label="run {number} on side A".*', service.get('/').text).group()
    check('hostile: it is shown', '&lt;/script&gt;' in row, row)
    check('hostile: a header cannot be made', 'X-Made' not in service.get(f'/?test-name=a%0d%0aX-Made:%201').headers)
    sysrate('archive', 'rm', service.archive, str(number))


def hashes_allow(answer):
    """True if the policy of a page allows each of its style sheets."""
    known = re.findall("'sha256-([^']*)'", answer.headers['Content-Security-Policy'])
    sheets = re.findall('<style>(.*?)</style>', answer.text, re.S)
    return bool(sheets) and all(base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode() in known for sheet in sheets)


def test_search(service):
    """The archive also holds results of capacity searches."""
    numbers = []
    for name in (MARK, 'made_up'):
        made = make_history.search(1, 1711.9)
        made['test'] = made['settings']['test'] = made['result']['cut_short'] = made['started'] = made['settings']['client']['host'] = name
        made['settings']['config']['slo'] = name
        answer = service.post('/api/v1/runs?label=kind%3Dsearch', json.dumps(made))
        check(f'search, {name}: added', answer.status == 201, answer)
        numbers.append(answer.json['id'])
    for number in numbers:
        for path in (f'/runs/{number}', f'/api/v1/runs/{number}/page', '/', '/trend'):
            answer = service.get(path)
            check(f'search, {path}: only text', answer.status == 200 and b'<script>alert' not in answer.body and b'<img' not in answer.body, answer)
            check(f'search, {path}: its style sheets are known', hashes_allow(answer), answer.headers['Content-Security-Policy'])
    page = service.get(f'/runs/{numbers[1]}').text
    check('search: its page', '<b>1711.9 requests/s</b>' in page and page.count('class="point met"') == 2 and 'p99&lt;20ms' in page, page)
    check('search: the result, byte for byte', service.get(f'/api/v1/runs/{numbers[1]}').body == json.dumps(made).encode())
    check('search: in the list', '<b>capacity 1711.9/s</b> (1660.5 to 1763.3)' in service.get('/').text, service.get('/').text)
    found = service.get('/api/v1/runs?kind=capacity').json
    check('search: found by its kind', [run['id'] for run in found] == numbers and found[1]['capacity_per_s'] == 1711.9, found)
    check('search: an unknown kind is refused', service.get('/api/v1/runs?kind=x').status == 400)
    series = [one for one in service.get('/api/v1/trend').json['series'] if one['kind'] == 'capacity']
    check('search: a series of its own', [one['runs'][0]['id'] for one in series] == numbers, series)
    answer = service.get(f'/api/v1/compare?a=1&b={numbers[1]}')
    check('search: a comparison is refused', answer.status == 422 and 'the result of a capacity search, not the report of a run' in answer.text, answer)
    broken = service.post('/api/v1/runs', '{"capacity_schema":1}')
    check('search: an invalid result is refused', broken.status == 422 and "'the report'" in broken.json['error'], broken)
    sysrate('archive', 'rm', service.archive, *map(str, numbers))


def test_slow(folder):
    """A request must arrive completely within the time limit, even if its bytes keep trickling in."""
    with Service('--request-timeout=1s', folder=folder, archive='slow') as service:
        head = f'POST /api/v1/runs HTTP/1.1\r\nHost: {service.place}\r\nOrigin: {service.url}\r\nX-Sysrate: 1\r\nContent-Type: application/json\r\n'
        slow = {'header': 'GET / HTTP/1.1\r\nX-Slow: ', 'body': head + 'Content-Length: 1000000\r\n\r\n', 'silence': ''}
        start = time.monotonic()
        sockets = {name: service.connect() for name in slow}
        ended = {}

        def drip(name):
            sockets[name].sendall(slow[name].encode())
            try:
                sockets[name].settimeout(0.1)
                while time.monotonic() < start + 60:
                    if name != 'silence':
                        sockets[name].sendall(b'x')
                    try:
                        if sockets[name].recv(1000) == b'':
                            break
                    except socket.timeout:
                        pass
            except OSError:
                pass
            ended[name] = time.monotonic() - start

        threads = [threading.Thread(target=drip, args=(name,)) for name in slow]
        for thread in threads:
            thread.start()
        check('slow: other requests are answered', service.get('/api/v1/health').status == 200)
        for thread in threads:
            thread.join()
        check('slow: each connection was closed', all(seconds < 59 for seconds in ended.values()) and len(ended) == 3, ended)
        check('slow: no connection was closed before the limit', min(ended.values()) > 0.9, ended)
        check('slow: counted', service.metric('sysrate_serve_too_slow_total') >= 2, service.get('/api/v1/metrics').text)


def test_many(service):
    """A thousand connections that send no request."""
    crowd = []
    for _ in range(900 if SANITIZED else 1000):
        crowd.append(service.connect())
    check('1 000 connections: another request is answered', service.get('/api/v1/health', timeout=20).status == 200)
    check('1 000 connections: some were turned away', wait_until(lambda: service.metric('sysrate_serve_turned_away_total') > 500))
    with open(f'/proc/{service.process.pid}/status', encoding='utf-8') as text:
        threads = int(re.search(r'Threads:\s+(\d+)', text.read()).group(1))
    check('1 000 connections: no thread for each', threads < 20, threads)
    for connection in crowd:
        connection.close()


def in_threads(*requests):
    """Calls each of the functions in a thread. Returns the threads, and the list to which they append their statuses."""
    statuses = []
    threads = [threading.Thread(target=lambda ask=ask: statuses.append(ask().status)) for ask in requests]
    for thread in threads:
        thread.start()
    return threads, statuses


def test_waiting(folder):
    """The trend and new reports wait while another process writes to the archive; other requests do not."""
    made = f'{folder}/waiting.made'
    os.mkdir(made)
    subprocess.run([sys.executable, make_history.__file__, made, '120'], check=True)  # enough runs for the trend to store its result
    with Service(folder=folder, archive='waiting') as service:
        sysrate('archive', 'add', service.archive, made)
        lock = sqlite3.connect(f'{service.archive}/archive.sqlite', isolation_level=None)
        lock.execute('BEGIN IMMEDIATE')
        report = service.get('/api/v1/runs/1').body
        add = [lambda number=number: service.post('/api/v1/runs', report + b' ' * number) for number in range(1, 5)]
        threads, answers = in_threads(*[lambda: service.get('/api/v1/trend', timeout=300)] * 4, *add)
        time.sleep(0.3)
        seen = [service.get(path, timeout=20).status for path in ('/', '/api/v1/runs', '/runs/1', '/api/v1/health')]
        check('locked archive: requests that read are answered', seen == [200] * 4, seen)
        check('locked archive: requests that write are waiting', answers == [], answers)
        lock.execute('ROLLBACK')
        for thread in threads:
            thread.join()
        check('locked archive: they are answered after the lock is released', sorted(answers) == [200] * 4 + [201] * 4, answers)
        check('locked archive: the service ends with status 0', (service.stop(), service.said()) == (0, ''), service.said())


def test_session(service, tokens, report, cookie):
    """A browser gets a session id instead of the token. The id is invalid after logging out or logging in again."""
    def login(name, **headers):
        return service.post('/api/v1/login', json.dumps({'token': tokens[name]}), **headers).headers['Set-Cookie'].split(';')[0]

    runner = login('runner')
    check('session: the cookie has no token', not any(text in cookie + runner for text in tokens.values()), cookie)
    check('session: each login has its own id', len({cookie, runner, login('runner')}) == 3)
    check('session: the cookie alone writes nothing', service.ask('POST', '/api/v1/runs', report, Cookie=runner).status == 403)
    check('session: the cookie and the other headers write', service.post('/api/v1/runs', report, Cookie=runner).status in (200, 201))
    check('session: the cookie of a reader does not write', service.post('/api/v1/runs', report, Cookie=cookie).status == 403)
    check('session: the id is not accepted as a token', service.get('/api/v1/runs', Authorization='Bearer ' + runner.split('=')[1]).status == 401)
    again = login('runner', Cookie=runner)
    seen = [service.get('/api/v1/runs', Cookie=one).status for one in (runner, again)]
    check('session: logging in again ends the one before', seen == [401, 200], seen)
    check('logout: refused from a foreign page', service.post('/api/v1/logout', '{}', Cookie=again, Origin='http://evil.example').status == 403)
    check('logout: the cookie is deleted', 'Max-Age=0' in service.post('/api/v1/logout', '{}', Cookie=again).headers['Set-Cookie'])
    check('logout: the session is invalid', service.get('/api/v1/runs', Cookie=again).status == 401)
    check('logout: other sessions stay valid', service.get('/api/v1/runs', Cookie=cookie).status == 200)


def test_tokens(folder):
    tokens = token_file(folder, reader='read', runner='run')
    report = make_report(f'{folder}/token.json')
    with Service(f'--token-file={folder}/tokens', folder=folder, archive='guarded') as service:
        bearer = {name: {'Authorization': f'Bearer {text}'} for name, text in tokens.items()}
        wrong = {'none': {}, 'another': {'Authorization': 'Bearer ' + 'x' * 40}, 'half of one': {'Authorization': 'Bearer ' + tokens['reader'][:20]},
                 'more than one': {'Authorization': f'Bearer {tokens["reader"]}x'}, 'an empty one': {'Authorization': 'Bearer '},
                 'another way': {'Authorization': f'Basic {tokens["reader"]}'}, 'in the address': {}, 'a long one': {'Authorization': 'Bearer ' + 'x' * 3000},
                 'another cookie': {'Cookie': 'sysrate_session=' + 'x' * 64},
                 'a token as the cookie': {'Cookie': f'sysrate_session={tokens["runner"]}'}}
        for name, headers in wrong.items():
            query = f'?token={tokens["reader"]}' if name == 'in the address' else ''
            seen = [service.get(path + query, **headers).status for path in ('/api/v1/runs', '/api/v1/runs/1', '/api/v1/trend', '/api/v1/metrics', '/', '/runs/1')]
            check(f'token, {name}: nothing is shown', seen == [401] * 6, seen)
        check('no token: the page has the form to log in', 'id="login"' in service.get('/').text)
        check('no token: health is answered', service.get('/api/v1/health').status == 200)
        check('no token: a report is refused', service.post('/api/v1/runs', report).status == 401)
        check('token for reading: reads', service.get('/api/v1/runs', **bearer['reader']).status == 200)
        check('token for reading: a report is refused', service.post('/api/v1/runs', report, **bearer['reader']).status == 403)
        check('token for reading: the page has no form to add a report', 'id="upload"' not in service.get('/', **bearer['reader']).text)
        check('token for runs: adds', service.post('/api/v1/runs', report, **bearer['runner']).status == 201)
        answer = service.post('/api/v1/login', json.dumps({'token': tokens['reader']}))
        cookie = answer.headers['Set-Cookie']
        check('login: name and role are answered', answer.json == {'name': 'reader', 'role': 'read'}, answer)
        check('login: the cookie is hidden from scripts and foreign pages', 'HttpOnly' in cookie and 'SameSite=Strict' in cookie and 'Path=/' in cookie, cookie)
        secure = service.post('/api/v1/login', json.dumps({'token': tokens['reader']}), Host='localhost', Origin='https://localhost')
        check('login by TLS: the cookie is only sent by TLS', 'Secure' in secure.headers['Set-Cookie'], secure.headers)
        check('login: the cookie allows reading', service.get('/runs/1', Cookie=cookie.split(';')[0]).status == 200)
        test_session(service, tokens, report, cookie.split(';')[0])
        check('login: no token', service.post('/api/v1/login', '{"token": "x"}').status == 403)
        check('login: a number as token', service.post('/api/v1/login', '{"token": 7}').status == 403)
        with open(f'/proc/{service.process.pid}/cmdline', 'rb') as file:
            text = file.read().decode() + service.said()
        check('tokens are neither on the command line nor in messages', not any(token in text for token in tokens.values()), text)


def test_starting(folder):
    token_file(folder, reader='read')
    path = f'{folder}/tokens'

    def refused(name, pattern, *options):
        try:
            done = sysrate('serve', '--port=0', *options, f'{folder}/first')
        except subprocess.TimeoutExpired:
            check(f'refused: {name}', False, 'it serves')
            return
        check(f'refused: {name}', done.returncode == 1 and re.search(pattern, done.stderr) and done.stdout == '', done)

    refused('an address that is not loopback without tokens', '--bind=0.0.0.0 needs --token-file', '--bind=0.0.0.0')
    refused('an address that is not loopback without tokens, IPv6', 'needs --token-file', '--bind=::')
    os.chmod(path, 0o640)
    refused('tokens that other users can read', 'chmod 600', f'--token-file={path}')
    os.chmod(path, 0o600)
    for text, pattern in (('read a short\n', '20 to 200'), ('all a ' + 'x' * 30, 'line 1: allowed: read NAME TOKEN'), ('run ' + 'x' * 30, 'allowed'),
                          ('\n\nrun <b> ' + 'x' * 30, 'line 3: a name'), ('# nothing\n', 'has no token'), ('run a ' + 'x' * 201, '20 to 200')):
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        refused(f'tokens {text[:12]!r}', pattern, f'--token-file={path}')
    refused('a token file that does not exist', 'cannot read the file', f'--token-file={folder}/none')
    refused('a folder as token file', 'regular file|chmod', f'--token-file={folder}')
    done = sysrate('serve')
    check('refused: no archive', done.returncode == 1 and 'the folder of one archive is needed' in done.stderr, done)
    token_file(folder, reader='read')
    with Service(f'--token-file={path}', '--bind=0.0.0.0', folder=folder, archive='first') as service:
        check('another address with tokens', service.get('/api/v1/health', Host='localhost').status == 200)
        check('another address: a foreign Host is refused', service.get('/api/v1/health', Host=f'other.example:{service.port}').status == 421)


def test_documented(folder):
    """The commands of docs/service.md work and print what the page says."""
    with open(f'{os.environ["SRCDIR"]}/docs/service.md', encoding='utf-8') as text:
        lines = [line for block in re.findall(r'```bash\n(.*?)```', text.read(), re.S) for line in block.splitlines()]
    check('documented: there are lines', len(lines) > 15 and all(line.startswith(('curl ', '#> ')) for line in lines), lines)
    if not shutil.which('curl'):
        print('skip - documented (no curl)')
        return
    for name in 'ab':
        make_report(f'{folder}/{name}.json', f'seed={ord(name)}')
    with Service(folder=folder, archive='documented') as service:
        done = None
        for line in lines:
            if line.startswith('#> '):
                check(f'documented: it prints {line[3:]}', line[3:] in done.stdout, done)
                continue
            done = subprocess.run(['sh', '-c', line.replace('http://127.0.0.1:8377', service.url)], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            check(f'documented: {line}', done.returncode == 0 and '"error"' not in done.stdout, done)


def test_unit(folder):
    """The systemd unit of the Debian package is hardened: its exposure is at most 20 of 100. (A unit without any rule has 96.)"""
    if not shutil.which('systemd-analyze'):
        print('skip - the unit of systemd (no systemd-analyze)')
        return
    unit = f'{folder}/sysrate-serve.service'
    with open(f'{os.environ["SRCDIR"]}/debian/sysrate-serve.service', encoding='utf-8') as text, open(unit, 'w', encoding='utf-8') as out:
        out.write(re.sub('^Documentation=.*$', '', text.read(), flags=re.M).replace('/usr/bin/sysrate', os.path.abspath(SYSRATE)))
    for words in (['verify', unit], ['security', '--offline=true', '--threshold=20', unit]):
        done = subprocess.run(['systemd-analyze', *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        check(f'unit: systemd-analyze {words[0]}', done.returncode == 0, done.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix='sysrate-serve.') as folder:
        test_first_visit(folder)
        test_axes(folder)
        test_short_series(folder)
        test_all_findings(folder)
        reports = [make_report(f'{folder}/made{i}.json', f'seed={i}', f'mean={mean}', f'table_size={size}')
                   for i, (mean, size) in enumerate(((2, 10), (2, 10), (2, 10), (3, 20)))]
        with Service('--host=bench.example', folder=folder) as service:
            test_runs(service, reports)
            test_judgements(service)
            test_not_found(service)
            test_addresses(service)
            test_hosts(service)
            test_writing(service, reports[0])
            test_bodies(service, reports[0])
            test_hostile(service, reports[0])
            test_search(service)
            test_many(service)
            check('SIGTERM ends the service with status 0', service.stop() == 0, service.said())
            check('no messages were logged', service.said() == '', service.said())
        test_waiting(folder)
        test_slow(folder)
        test_tokens(folder)
        test_starting(folder)
        test_documented(folder)
        test_unit(folder)
    return status()


if __name__ == '__main__':
    sys.exit(main())
