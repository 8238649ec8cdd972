# SPDX-License-Identifier: GPL-2.0-or-later
"""--live in a terminal that is made of a pseudo-terminal and as much of a VT100 as is needed to see what a user sees.

Nothing here depends on how quick things are: each check waits until the screen shows what it should, and fails when it
does not within a long time.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, status  # noqa: E402

PATIENCE_S = 60
SEQUENCE = re.compile(r'\0337|\0338|\033\[([0-9;]*)([A-Za-z])')
EVENT = 'function event() end\n'


class Screen:
    """What a terminal shows, and what has scrolled off at its top."""

    def __init__(self, rows, columns):
        self.lines = [''] * rows
        self.columns = columns
        self.gone = []
        self.row = self.column = 0
        self.saved = (0, 0)
        self.bottom = rows  # of the part that scrolls
        self.rest = ''

    def resize(self, rows, columns):
        """As most terminals do it: lines go off at the top when the cursor would be below the window."""
        self.columns = columns
        while len(self.lines) > rows:
            if self.row >= rows:
                self.gone.append(self.lines.pop(0))
                self.row -= 1
            else:
                self.lines.pop()
        self.lines += [''] * (rows - len(self.lines))
        self.bottom = rows

    def newline(self):
        if self.row == self.bottom - 1:
            self.gone.append(self.lines.pop(0))
            self.lines.insert(self.bottom - 1, '')
        elif self.row < len(self.lines) - 1:
            self.row += 1

    def put(self, char):
        if char == '\n':
            self.newline()
        elif char == '\r':
            self.column = 0
        else:
            if self.column == self.columns:
                self.column = 0
                self.newline()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def control(self, numbers, letter):
        if letter == 'H':
            self.row, self.column = min(numbers[0], len(self.lines)) - 1, numbers[1] - 1
        elif letter == 'A':
            self.row = max(0, self.row - numbers[0])
        elif letter == 'r':
            self.bottom = numbers[1] if len(numbers) > 1 else len(self.lines)
            self.row = self.column = 0
        elif letter == 'J':
            self.lines[self.row] = self.lines[self.row][:self.column]
            self.lines[self.row + 1:] = [''] * (len(self.lines) - self.row - 1)
        elif letter == 'K':
            self.lines[self.row] = ''
        elif letter != 'm':  # colours do not move anything
            raise ValueError('unknown control ' + letter)

    def feed(self, text):
        text = self.rest + text
        self.rest = ''
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found is None and text[at] == '\033':
                self.rest = text[at:]
                return
            if found is None:
                self.put(text[at])
            elif found.group(0) == '\0337':
                self.saved = (self.row, self.column)
            elif found.group(0) == '\0338':
                self.row, self.column = self.saved
            else:
                self.control([int(n) for n in found.group(1).split(';') if n], found.group(2))
            at = found.end() if found else at + 1

    def text(self):
        return '\n'.join(self.gone + self.lines)


class Terminal:
    def __init__(self, rows, columns, options, environment=None):
        self.screen = Screen(rows, columns)
        self.bytes = b''
        arguments = [os.environ['SYSRATE'], 'event.lua', '--live', '--rate=200', '--percentile=50,99'] + options + ['run']
        values = {**os.environ, 'TERM': 'xterm', 'LC_ALL': 'C.UTF-8', **(environment or {})}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # The size is set before the program looks at it.
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            os.execve(arguments[0], arguments, values)

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def read(self):
        """False at the end, when nobody has the terminal open any more."""
        if not select.select([self.fd], [], [], 1)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.bytes += data
        text = self.bytes.decode(errors='ignore')
        if data and text:
            self.bytes = b''
            self.screen.feed(text)
        return bool(data)

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition(self.screen):
            if time.monotonic() > deadline or not self.read():
                return condition(self.screen)
        return True

    def end(self):
        """The exit code, or minus the signal."""
        deadline = time.monotonic() + PATIENCE_S
        while self.read():
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def view(screen, lines):
    """The view, when it is at the bottom."""
    kept = screen.lines[len(screen.lines) - lines:]
    return kept if re.match(r'--- \d+ s', kept[0]) and screen.bottom == len(screen.lines) - lines else None


def shows(lines, last):
    def condition(screen):
        kept = view(screen, lines)
        return kept is not None and re.match(last, kept[-1]) is not None
    return condition


def restored(screen):
    return screen.bottom == len(screen.lines) and not any(re.match(r'--- \d+ s', line) for line in screen.lines)


def interval_lines(screen):
    return re.findall(r'\[ \S+s \] thds', screen.text())


def test_view():
    terminal = Terminal(24, 80, ['--time=0', '--report-interval=0.25', '--json=run.json'])
    screen = terminal.screen
    check('the view is at the bottom', terminal.wait(shows(7, r'queue +to \d')), screen.text())
    patterns = [r'--- \d+ s ---', r'per second: [1-9]\d*\.\d completed, [1-9]\d*\.\d offered, 0\.0 errors',
                r'response \(ms\): p50 [0-9.]+, p99 [0-9.]+, max [0-9.]+', r'queue: \d+, busy: \d of 1 workers',
                r'completed/s +to \S+ +[▁▂▃▄▅▆▇█]+$', r'p99 \(ms\) +to \S+ +[▁▂▃▄▅▆▇█]+$', r'queue +to \d+ +[▁▂▃▄▅▆▇█]+$']
    for pattern, line in zip(patterns, view(screen, 7) or [''] * 7):
        check('a line of the view', re.match(pattern, line), line + '\ndoes not match ' + pattern)
    check('intervals scroll above it', terminal.wait(lambda screen: len(interval_lines(screen)) > 4 and view(screen, 7)), screen.text())
    terminal.resize(30, 60)
    check('a higher window', terminal.wait(shows(7, 'queue +to')), screen.text())
    check('no line is too long', all(len(line) <= 60 for line in screen.lines[-7:]), screen.text())
    terminal.resize(11, 60)
    check('a low window', terminal.wait(shows(4, 'queue: ')), screen.text())
    terminal.resize(8, 60)
    check('a window that is too small', terminal.wait(restored), screen.text())
    terminal.resize(24, 80)
    check('a larger one again', terminal.wait(shows(7, 'queue +to')), screen.text())
    os.write(terminal.fd, b'\x03')
    check('Ctrl-C: exit code', terminal.end() == 130)
    check('Ctrl-C: the terminal is as before', restored(screen), screen.text())
    check('Ctrl-C: the report is there', 'Result ' in screen.text(), screen.text())
    with open('run.json', encoding='utf-8') as file:
        intervals = json.load(file)['intervals']
    check('no interval is lost', len(interval_lines(screen)) == len(intervals), '%d intervals\n%s' % (len(intervals), screen.text()))


def test_end():
    terminal = Terminal(24, 80, ['--time=1.3'])
    check('the end: exit code', terminal.end() == 0)
    check('the end: the terminal is as before', restored(terminal.screen), terminal.screen.text())
    check('the end: the report is there', 'Result ' in terminal.screen.text(), terminal.screen.text())


def test_kill():
    terminal = Terminal(24, 80, ['--time=0'])
    check('before kill -9: the view', terminal.wait(shows(7, 'queue +to')), terminal.screen.text())
    os.kill(terminal.pid, signal.SIGKILL)
    check('kill -9: ended by it', terminal.end() == -signal.SIGKILL)
    check('kill -9: the terminal is as before', restored(terminal.screen), terminal.screen.text())


# A locale whose terminals have no blocks.
def test_closed_loop():
    terminal = Terminal(24, 80, ['--time=0', '--rate=0'], {'LC_ALL': 'C'})
    check('closed loop: plain characters, no queue', terminal.wait(shows(6, r'p99 \(ms\) +to \S+ +[_.,~=*#-]+$')), terminal.screen.text())
    check('closed loop: workers', re.match(r'busy: \d of 1 workers', (view(terminal.screen, 6) or [''] * 6)[3]), terminal.screen.text())
    os.kill(terminal.pid, signal.SIGTERM)
    check('SIGTERM: exit code', terminal.end() == 143)
    check('SIGTERM: the terminal is as before', restored(terminal.screen), terminal.screen.text())


def test_no_terminal():
    command = [os.environ['SYSRATE'], 'event.lua', '--live', '--rate=200', '--time=1.3', 'run']
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False)
    check('no terminal: exit code', result.returncode == 0, result.stderr)
    check('no terminal: nothing of it', b'\033' not in result.stdout + result.stderr and b'--- ' not in result.stdout, result.stdout)
    terminal = Terminal(24, 80, ['--time=1.3'], {'TERM': 'dumb'})
    check('a dumb terminal: exit code', terminal.end() == 0)
    check('a dumb terminal: nothing of it', '--- ' not in terminal.screen.text() and '\033' not in terminal.screen.text(),
          terminal.screen.text())


def require_terminals():
    """A system without /dev/pts has none to show anything on: exit code 77, skipped."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        print('skipped: no pseudo-terminal can be opened here: %s' % error)
        sys.exit(77)
    os.close(master)
    os.close(slave)


def main():
    require_terminals()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open('event.lua', 'w', encoding='ascii') as file:
            file.write(EVENT)
        for test in (test_view, test_end, test_kill, test_closed_loop, test_no_terminal):
            test()
        os.chdir('/')
    sys.exit(status())


if __name__ == '__main__':
    main()
