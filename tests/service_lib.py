# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts `sysrate serve` for tests and sends requests to it."""
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SYSRATE = os.environ.get('SYSRATE', 'sysrate')
HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE_S = 60
FOR_SCRIPTS = {'Content-Type': 'application/json', 'X-Sysrate': '1'}


def token(seed):
    return ''.join(random.Random(seed).choices('abcdefghijklmnopqrstuvwxyz0123456789', k=40))


def token_file(folder, **role_of_name):
    """Writes the file `folder`/tokens. Returns the tokens by name."""
    tokens = {name: token(name) for name in role_of_name}
    with open(f'{folder}/tokens', 'w', encoding='utf-8') as out:
        os.fchmod(out.fileno(), 0o600)
        out.write('# ROLE NAME TOKEN\n\n' + ''.join(f'{role} {name} {tokens[name]}\n' for name, role in role_of_name.items()))
    return tokens


def make_report(path, *options):
    subprocess.run([sys.executable, f'{HERE}/cli/make_report.py', path, *options], check=True)
    with open(path, 'rb') as file:
        return file.read()


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def __str__(self):
        return f'{self.status} {self.headers.get("Content-Type")}\n{self.body[:600].decode(errors="replace")}'

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


def require_http():
    """Skips the test if the program was built without libmicrohttpd."""
    version = subprocess.run([SYSRATE, '--version'], stdout=subprocess.PIPE, text=True, check=True).stdout
    if 'Metrics over HTTP (--prom): left out' in version:
        print('skip - a service (built without libmicrohttpd)')
        sys.exit(77)


class Service:
    """Serves the archive `folder`/`archive` at a free port: with Service('--option=...') as service: ..."""

    def __init__(self, *options, folder=None, archive='runs'):
        require_http()
        self.own = None if folder else tempfile.mkdtemp(prefix='sysrate-service.')
        self.folder = folder or self.own
        self.archive = f'{self.folder}/{archive}'
        self.errors = open(f'{self.folder}/serve.err', 'w+', encoding='utf-8')
        self.process = subprocess.Popen([SYSRATE, 'serve', '--port=0', *options, self.archive], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        if ' at http://' not in line:
            raise RuntimeError(f'sysrate serve did not start: {line}{self.said()}')
        self.url = line.split(' at ')[1].strip().rstrip('/')
        self.place = self.url.split('//')[1]
        self.port = int(self.place.rsplit(':', 1)[1])

    def said(self):
        """Returns the text that the service has written to standard error."""
        self.errors.flush()
        with open(f'{self.folder}/serve.err', encoding='utf-8') as file:
            return file.read()

    def ask(self, method, path, body=None, timeout=PATIENCE_S, **headers):
        """Sends a request and returns the Answer. Headers are arguments, Content_Type='...'; the value None omits a default header."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            length = {} if body is None else {'Content-Length': str(len(body))}
            given = {name.replace('_', '-'): value for name, value in headers.items()}
            for name, value in {'Host': self.place, **length, **given}.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            try:
                if body is not None:
                    connection.send(body.encode() if isinstance(body, str) else body)
            except OSError:
                pass  # the service refused the request before it had received the whole body
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask('GET', path, **headers)

    def post(self, path, body, **headers):
        """Sends a POST request with the headers that pages of the service send."""
        return self.ask('POST', path, body, **{**{name.replace('-', '_'): value for name, value in FOR_SCRIPTS.items()},
                                               'Origin': self.url, **headers})

    def connect(self):
        return socket.create_connection(('127.0.0.1', self.port), timeout=PATIENCE_S)

    def metric(self, name, **headers):
        """Returns the sum of all samples of this metric."""
        lines = self.get('/api/v1/metrics', **headers).text.splitlines()
        return sum(float(line.rsplit(' ', 1)[1]) for line in lines if line.split('{')[0].split(' ')[0] == name)

    def stop(self):
        """Ends the service with SIGTERM. Returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        if self.own:
            shutil.rmtree(self.own)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def wait_until(condition, seconds=PATIENCE_S):
    """Waits until condition() is true. Returns False after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
