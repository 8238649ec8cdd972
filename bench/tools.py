# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the tools that are compared, and measures them from outside: exit status, output, CPU time, memory."""

import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

BENCH = os.path.dirname(os.path.abspath(__file__))
EMPTY = os.path.join(BENCH, "scripts", "empty.lua")
FIND = os.path.join(BENCH, "scripts", "find.lua")
STARTS = os.path.join(BENCH, "scripts", "starts.lua")


class NotAvailable(Exception):
    """Raised if a peer or a feature is not available; the text names it."""


class Failed(Exception):
    """Raised if a tool ended with an error; the text is the tool's message."""


@dataclass
class Result:
    code: int
    output: str
    user_s: float
    system_s: float
    peak_kb: int
    switches: int  # context switches, voluntary and involuntary
    started_s: float  # seconds until "Threads started!"; 0 if this was not printed

    @property
    def cpu_s(self):
        return self.user_s + self.system_s

    def number(self, pattern):
        """Returns the first group of `pattern` in the output as a number."""
        found = re.search(pattern, self.output)
        if not found:
            raise Failed("no /%s/ in the output: %s" % (pattern, self.output[-300:].strip()))
        return float(found.group(1))


def run(command, timeout_s=600, env=None, check=True):
    """Runs `command` to its end. The resource usage is that of this child only.

    The current folder of the command is not the source folder, where sysbench would find our scripts instead of its own (./src/lua/?.lua).
    """
    begin = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace", cwd="/",
                             env=dict(os.environ, **(env or {})))
    alarm = threading.Timer(timeout_s, child.kill)
    alarm.start()
    lines, started_s = [], 0.0
    for line in child.stdout:
        if line.startswith("Threads started!"):
            started_s = time.monotonic() - begin
        lines.append(line)
    _, status, usage = os.wait4(child.pid, 0)
    alarm.cancel()
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    result = Result(child.returncode, "".join(lines), usage.ru_utime, usage.ru_stime,
                    usage.ru_maxrss, usage.ru_nvcsw + usage.ru_nivcsw, started_s)
    if check and result.code != 0:
        raise Failed("%s: exit %d: %s" % (os.path.basename(command[0]), result.code,
                                          result.output[-300:].strip()))
    return result


class Sysbench:
    name = "sysbench"

    def __init__(self):
        self.program = shutil.which("sysbench")

    def command(self, script, *options, command="run", rate=None):
        if self.program is None:
            raise NotAvailable("sysbench is not installed")
        rated = ["--rate=%d" % rate] if rate else []
        return [self.program, *options, *rated, script, command]

    def events(self, result):
        return result.number(r"total number of events:\s+(\d+)")

    def events_per_s(self, result):
        return self.events(result) / result.number(r"(?:total time|time elapsed):\s+([\d.]+)s")

    def version(self):
        """Returns the first line of --version."""
        return run([self.program, "--version"]).output.splitlines()[0] if self.program else "sysbench: none"


class Sysrate(Sysbench):
    name = "sysrate"

    def __init__(self, program):
        self.program = program
        self.help = run([program, "--help"]).output

    def command(self, script, *options, command="run", rate=None):
        rated = ["--tx-rate=%d" % rate] if rate else []
        return [self.program, *options, *rated, script, command]

    def waiting(self, how):
        """Returns the option that chooses how the generator waits, if the program has it."""
        return ["--arrival-wait=" + how] if "--arrival-wait" in self.help else []

    def has_driver(self, name):
        return re.search(r"^\s+%s - " % name, self.help, re.M) is not None

    def run_with_json(self, command, **kwargs):
        """Runs the tool and returns (result, JSON report)."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            result = run([command[0], "--json=" + path, *command[1:]], **kwargs)
            with open(path, encoding="utf-8") as file:
                return result, json.load(file)

    def start_lag_p99_us(self, rate, workers, seconds):
        """Returns how long after their scheduled times empty events start."""
        command = self.command(EMPTY, "--threads=%d" % workers, "--time=%d" % seconds, "--percentile=99", rate=rate)
        return self.run_with_json(command)[1]["summary"]["wait_ms"]["percentiles"]["p99"]["value"] * 1000


def alternate(times, tools, measure):
    """Calls measure(tool) for each tool in turn, in `times` rounds. Returns the median of each tool, or None for a tool that is not available."""
    values = {tool.name: [] for tool in tools}
    for _ in range(times):
        for tool in tools:
            try:
                values[tool.name].append(measure(tool))
            except NotAvailable as reason:
                values[tool.name] = reason
    return [v if isinstance(v, NotAvailable) else statistics.median(v) for v in values.values()]
