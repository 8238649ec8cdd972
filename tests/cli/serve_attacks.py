# SPDX-License-Identifier: GPL-2.0-or-later
"""sysrate serve: hostile clients neither keep it from answering others nor make it need much memory.

Times are limited where a service that can be starved would take ten times as long. A request is tried several times: one quick answer is
enough, so that a busy machine does no harm.
"""
import json
import os
import re
import resource
import socket
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import make_history  # noqa: E402
from checks import check, status  # noqa: E402
from service_lib import Service, make_report, wait_until  # noqa: E402

SANITIZED = os.environ.get('SANITIZER', 'no') != 'no'
CROWD = 300 if SANITIZED else 1000


def memory_mib(service, field='VmHWM'):
    """Returns the largest memory that the service has needed, or its memory now (VmRSS)."""
    with open(f'/proc/{service.process.pid}/status', encoding='utf-8') as text:
        return int(re.search(field + r':\s+(\d+)', text.read()).group(1)) / 1024


def raw(service, request):
    """Sends bytes and returns the status of the answer."""
    with service.connect() as connection:
        connection.sendall(request)
        return int(connection.recv(1000).split()[1])


def big_report(folder, mib):
    """Returns a report of this size with many intervals."""
    body = json.loads(make_report(f'{folder}/one.json', 'intervals=20'))
    count = int(mib * 2 ** 20 / len(json.dumps(body['intervals']).encode())) + 1
    body['intervals'] *= count
    return json.dumps(body).encode()


def best_time(service, path, tries=10):
    """Returns the shortest time of several requests, in seconds."""
    best = 999
    for _ in range(tries):
        began = time.monotonic()
        try:
            if service.get(path, timeout=20).status == 200:
                best = min(best, time.monotonic() - began)
        except OSError:
            pass
        if best < 1:
            break
    return best


def crowd_of(service, request):
    """Opens many connections that send the same bytes and read nothing."""
    crowd = []
    for _ in range(CROWD):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        try:
            connection.connect(('127.0.0.1', service.port))
            connection.sendall(request)
        except OSError:
            pass  # the service has closed it
        crowd.append(connection)
        time.sleep(0.002)  # so that the service sees each header before the next connection
    return crowd


def test_starving(folder):
    """Many connections with incomplete requests, or that never read their answer."""
    with Service(folder=folder, archive='starved') as service:
        check('starving: a report of 7 MB is added', service.post('/api/v1/runs', big_report(folder, 7)).status == 201)
        one = make_report(f'{folder}/one.json')
        host = f'Host: {service.place}\r\n'
        head = f'POST /api/v1/{{}} HTTP/1.1\r\n{host}Origin: {service.url}\r\nX-Sysrate: 1\r\nContent-Type: application/json\r\n'
        crowds = {'heads that do not end': 'GET / HTTP/1.1\r\n' + host, 'bodies that do not come': head.format('login') + 'Content-Length: 60000\r\n\r\n',
                  'reports that do not end': head.format('runs') + 'Content-Length: 8000000\r\n\r\n' + 'x' * 4000,
                  'reports that are not read': f'GET /api/v1/runs/1 HTTP/1.1\r\n{host}\r\n',
                  'pages that are not read': f'GET /runs/1 HTTP/1.1\r\n{host}\r\n'}
        for name, request in crowds.items():
            began = time.monotonic()
            crowd = crowd_of(service, request.encode())
            seconds = best_time(service, '/api/v1/health')
            check(f'{name}: another request is answered', seconds < 1, seconds)
            whole = time.monotonic() - began
            check(f'{name}: the first good answer comes before time limits have closed connections', whole < 20, whole)
            if name == 'reports that do not end':
                answers = [service.post('/api/v1/runs', one).status for _ in range(3)]
                check(f'{name}: another report is taken', set(answers) & {200, 201}, answers)
            for connection in crowd:
                connection.close()
        check('the report is read byte for byte', json.loads(service.get('/api/v1/runs/1').body)['test'] == 'made_up')
        check('starving: memory', memory_mib(service) < 500 or SANITIZED, memory_mib(service))
        check('starving: connections were closed', service.metric('sysrate_serve_turned_away_total') > CROWD)
        check('starving: SIGTERM ends the service with status 0', service.stop() == 0, service.said())


def test_big_comparison(folder):
    """Twenty reports of 3 MB are compared, with as many values as a report may have."""
    one = json.loads(make_report(f'{folder}/one.json', 'intervals=20'))

    def filled(place, filler, count):
        body = json.loads(json.dumps(one))
        where = body
        for name in place.split('/'):
            where = where[int(name)] if isinstance(where, list) else where.setdefault(name, {})
        where['filler'] = [filler] * count
        return json.dumps(body, separators=(',', ':')).encode()

    with Service(folder=folder, archive='big') as service:
        for place, count in (('summary', 600_000), ('config', 100_000), ('client', 100_000), ('intervals/3', 100_000)):
            answer = service.post('/api/v1/runs', filled(place, {}, count))
            check(f'a report that needs much memory when it is parsed, {place}: refused', answer.status == 422 and 'memory' in answer.json['error'], answer)
        big = filled('summary', {}, 140_000)
        body = json.loads(big)
        body['intervals'] *= 80
        body['checkpoints'] = [{'response_ms': {}, 'filler': [[]] * 500_000}]
        big = json.dumps(body, separators=(',', ':')).encode()
        check('a report of 3 MB', 2.8 < len(big) / 1e6 < 3.5, len(big))
        seen = [service.post('/api/v1/runs', big + b' ' * i).status for i in range(20)]
        check('reports within the limits are added', seen == [201] * 20, seen)
        service.post('/api/v1/runs', json.dumps(one))
        sides = ','.join(map(str, range(1, 11))), ','.join(map(str, range(11, 21)))
        service.stop()
    with Service(folder=folder, archive='big') as service:
        before = memory_mib(service)
        answer = service.get(f'/api/v1/compare?a={sides[0]}&b={sides[1]}', timeout=300)
        check('they are compared', answer.status == 200 and answer.json['a']['runs'] == 10, answer)
        check('the comparison needs at most 100 MB', memory_mib(service) - before < 95 or SANITIZED, (before, memory_mib(service)))
        check('memory is given back', wait_until(lambda: memory_mib(service, 'VmRSS') - before < 40) or SANITIZED, (before, memory_mib(service, 'VmRSS')))
        answer = service.get(f'/compare/page?a={sides[0]}&b={sides[1]}', timeout=300)
        check('charts of all', answer.text.count('class="run"') == 20, answer)
        check('the charts need memory for one report at a time', memory_mib(service) - before < 400 or SANITIZED, (before, memory_mib(service)))


def changed(document, path, value):
    """Returns a copy of a document in which the value at the path was replaced, or removed if it is DEL."""
    copy = json.loads(json.dumps(document))
    *steps, last = [int(step) if step.isdigit() else step for step in path.split('/')]
    place = copy
    for step in steps:
        place = place[step]
    if value == 'DEL':
        del place[last]
    else:
        place[last] = value
    return json.dumps(copy)


def values_of(document, path=''):
    """Lists the paths of all values, of arrays only the first element."""
    members = document.items() if isinstance(document, dict) else enumerate(document[:1]) if isinstance(document, list) else ()
    for name, value in members:
        below = f'{path}/{name}' if path else str(name)
        yield below
        yield from values_of(value, below)


def test_shapes(folder):
    """What is accepted can be shown; what cannot be shown is refused with the path of the wrong value."""
    with open(f'{os.environ["SRCDIR"]}/tests/cli/reports/hosts.json', encoding='utf-8') as file:
        report = json.load(file)
    with open(f'{os.environ["SRCDIR"]}/tests/cli/reports/merged.json', encoding='utf-8') as file:
        merged = json.load(file)
    search = make_history.search(1, 1711.9)
    refused = [(report, 'summary/response_ms/percentiles', 'DEL'), (report, 'summary/response_ms/percentiles', None), (report, 'summary/hosts', 'x'),
               (report, 'summary/hosts/0/counters', 'DEL'), (report, 'summary/hosts/1', None), (report, 'summary/histogram/response', {}),
               (report, 'summary/histogram/response/0', 7), (report, 'summary/audit/verdict', []), (report, 'summary/audit/verdict/findings', 'DEL'),
               (report, 'checkpoints', {}), (report, 'config', []), (report, 'tool', 1), (merged, 'ranks', True), (merged, 'ranks/0', 'x'),
               (merged, 'ranks/1/response_ms', None), (merged, 'ranks/0/requests', 'DEL'), (search, 'slo', 'x'), (search, 'slo', ['p99']), (search, 'probes/0/phase', 'x'),
               (search, 'probes/0/rate_per_s', '10'), (search, 'probes/0/seconds', -1), (search, 'result/outcome', 'x'), (search, 'result/low_per_s', None),
               (search, 'result/slope', 0)]
    with Service(folder=folder, archive='shapes') as service:
        for document, path, value in refused:
            answer = service.post('/api/v1/runs', changed(document, path, value))
            shown = path in answer.text or not path.count('/')
            check(f'{path} is {json.dumps(value)}: refused with its path', answer.status == 422 and shown, answer)
        for document in report, merged, search:
            check('the unchanged document is accepted', service.post('/api/v1/runs', json.dumps(document)).status == 201)
        shown = 0  # every twelfth path, because there are many
        for document, every in ((report, 12), (search, 1)):
            for path in list(values_of(document))[::every]:
                value = 'x' if shown % 2 else None
                answer = service.post('/api/v1/runs', changed(document, path, value))
                if answer.status == 201:
                    seen = [service.get(address.format(answer.json['id'])).status for address in ('/runs/{}', '/api/v1/runs/{}/page')]
                    check(f'{path} is {json.dumps(value)}: accepted and shown', seen == [200, 200], seen)
                    shown += 1
        check('many changed documents are shown', shown > 30, shown)


def test_ambiguous(service):
    """Requests that a proxy might read in another way."""
    host = f'Host: {service.place}\r\n'.encode()
    good = b'GET /api/v1/health HTTP/1.1\r\n'
    for name, request in {
            'two Hosts': good + host + b'Host: evil.example\r\n\r\n', 'the same Host twice': good + host + host + b'\r\n',
            'two lengths': good + host + b'Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello', 'zero byte in Host': good + host[:-2] + b'\0.evil\r\n\r\n',
            'zero byte in another header': good + host + b'X: a\0b\r\n\r\n', 'zero byte in the path': b'GET /api/v1/health\0x HTTP/1.1\r\n' + host + b'\r\n',
            '%00 in the path': b'GET /api/v1/health%00x HTTP/1.1\r\n' + host + b'\r\n',
            '%00 in a value': b'GET /api/v1/runs?test-name=made_up%00x HTTP/1.1\r\n' + host + b'\r\n',
            'an empty line before it': b'\r\n\r\n' + good + host[:-2] + b'\0.evil\r\n\r\n'}.items():
        answer = raw(service, request)
        check(f'{name}: refused', answer == 400, answer)
    check('a long header: refused', raw(service, good + host + b'X: ' + b'x' * 20000 + b'\r\n\r\n') in (400, 413, 431))
    with service.connect() as connection:
        connection.sendall(good + host)
        time.sleep(0.2)
        connection.sendall(b'\r\n')
        check('a header in two parts: answered', connection.recv(1000).startswith(b'HTTP/1.1 200'))
        check('a connection is used once', wait_until(lambda: connection.recv(1000) == b''))


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard) if soft < 4096 else (soft, hard))
    with tempfile.TemporaryDirectory(prefix='sysrate-serve.') as folder:
        with Service(folder=folder) as service:
            test_ambiguous(service)
        test_starving(folder)
        test_big_comparison(folder)
        test_shapes(folder)
    return status()


if __name__ == '__main__':
    sys.exit(main())
