# SPDX-License-Identifier: GPL-2.0-or-later
"""Controls a headless Chromium with the W3C WebDriver protocol, as far as the page tests need it."""
import http.client
import json
import shutil
import subprocess
import tempfile
import time

ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--disable-dev-shm-usage']
PAGE_TIMEOUT_S = 60
KEYS = {'Tab': '\ue004', 'Enter': '\ue007', 'Left': '\ue012', 'Up': '\ue013', 'Right': '\ue014', 'Down': '\ue015'}


def available():
    return shutil.which('chromedriver') is not None and shutil.which('chromium') is not None


class Browser:
    """A browser, to be used as: with Browser() as browser: ..."""

    def __init__(self, width=1280, height=1600):
        self.profile = tempfile.mkdtemp(prefix='sysrate-browser.')
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.port = self._read_port()
            self.session = self._start([*ARGUMENTS, f'--user-data-dir={self.profile}', f'--window-size={width},{height}'])
        except BaseException:
            self.close()
            raise

    def _read_port(self):
        for line in self.driver.stdout:
            if 'started successfully on port' in line:
                return int(line.rstrip('.\n').split()[-1])
        raise RuntimeError('chromedriver did not start')

    def _start(self, arguments):
        options = {'args': arguments, 'binary': shutil.which('chromium')}
        wanted = {'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'}}
        return '/session/' + self._call('POST', '/session', {'capabilities': {'alwaysMatch': wanted}})['sessionId']

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PAGE_TIMEOUT_S)
        connection.request(method, path, None if body is None else json.dumps(body), {'Content-Type': 'application/json'})
        answer = json.loads(connection.getresponse().read())['value']
        connection.close()
        if isinstance(answer, dict) and 'error' in answer:
            raise RuntimeError(f"{path}: {answer['error']}: {answer['message']}")
        return answer

    def open(self, path):
        """Opens a page from a file; returns the seconds until all charts are drawn."""
        start = time.monotonic()
        self._call('POST', self.session + '/url', {'url': f'file://{path}'})
        # On a busy machine the call may return before the scripts of the page have run. Pages of runs say when they are drawn.
        while time.monotonic() - start < PAGE_TIMEOUT_S and not self.run(
                'return document.readyState === "complete" && '
                '(typeof showPage === "undefined" || "ready" in document.documentElement.dataset)'):
            time.sleep(0.02)
        return time.monotonic() - start

    def visit(self, address):
        """Opens a page of a server."""
        self._call('POST', self.session + '/url', {'url': address})

    def address(self):
        return self._call('GET', self.session + '/url')

    def element(self, selector):
        found = self._call('POST', self.session + '/element', {'using': 'css selector', 'value': selector})
        return self.session + '/element/' + next(iter(found.values()))

    def type(self, selector, text):
        """Types text into a field, or the path of a file into a field for files."""
        self._call('POST', self.element(selector) + '/value', {'text': text})

    def click(self, selector):
        self._call('POST', self.element(selector) + '/click', {})

    def run_async(self, script, *arguments):
        """Runs the body of a function in the page; returns the value that it passes to its last argument, a callback."""
        return self._call('POST', self.session + '/execute/async', {'script': script, 'args': list(arguments)})

    def run(self, script, *arguments):
        """Runs the body of a function in the page; returns its result."""
        return self._call('POST', self.session + '/execute/sync', {'script': script, 'args': list(arguments)})

    def console(self):
        return [entry['level'] + ': ' + entry['message'] for entry in self._call('POST', self.session + '/se/log', {'type': 'browser'})]

    def devtools(self, command, **parameters):
        return self._call('POST', self.session + '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def drag(self, from_x, to_x, y):
        """Drags with the left button; positions in pixels of the window."""
        moves = [{'type': 'pointerMove', 'duration': 0, 'x': int(from_x), 'y': int(y)}, {'type': 'pointerDown', 'button': 0},
                 {'type': 'pointerMove', 'duration': 100, 'x': int(to_x), 'y': int(y)}, {'type': 'pointerUp', 'button': 0}]
        self._call('POST', self.session + '/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': moves}]})

    def move(self, x, y):
        """Moves the pointer to a pixel of the window."""
        moves = [{'type': 'pointerMove', 'duration': 0, 'x': int(x) - 2, 'y': int(y)}, {'type': 'pointerMove', 'duration': 20, 'x': int(x), 'y': int(y)}]
        self._call('POST', self.session + '/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': moves}]})

    def click_at(self, x, y):
        """Clicks on a pixel of the window."""
        self.move(x, y)
        clicks = [{'type': 'pointerDown', 'button': 0}, {'type': 'pointerUp', 'button': 0}]
        self._call('POST', self.session + '/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': clicks}]})

    def press(self, *keys):
        """Presses keys one after the other: characters, or names of KEYS."""
        strokes = [{'type': kind, 'value': KEYS.get(key, key)} for key in keys for kind in ('keyDown', 'keyUp')]
        self._call('POST', self.session + '/actions', {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': strokes}]})

    def screenshot(self):
        """Returns a PNG of the window in base64."""
        return self._call('GET', self.session + '/screenshot')

    def close(self):
        try:
            self._call('DELETE', self.session)
        except (AttributeError, OSError, RuntimeError, ValueError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
