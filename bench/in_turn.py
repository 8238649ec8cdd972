# SPDX-License-Identifier: GPL-2.0-or-later
"""
The influence of --wait-events on a saturated server, measured with two runs that are frozen in turn: one with the option and one without,
each on tables of its own. So they follow each other every 0.6 s, and slow changes of the machine have the same influence on both.
For comparison, session-in-turn has a third run, of one session, in place of the option.

Two things increase the measured cost. After a run goes on, its frozen requests look slow, so that more samples are taken. And a sample of PostgreSQL
returns sessions of the frozen run, too, if they are idle in a transaction.
"""

import contextlib
import json
import math
import os
import signal
import statistics
import subprocess
import tempfile
import time

from databases import on_each_server
from sampling import hodges_lehmann, on_processors, one_processor, pooled_p99, print_row, read_write
from table import quantity
from tools import Failed, NotAvailable, run

TURN_S = 0.63  # not half a second: the throughput of MariaDB has a period of one second, so one of the runs would have the slow half
FROZEN_S = 0.3  # an interval of the report that is longer contains a turn of the other run
LEFT_OUT = 2  # intervals of a turn


@contextlib.contextmanager
def started(command):
    """Starts a run and waits until it loads the server. It may be frozen when the body ends: it goes on, and is ended."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        if not any(line.startswith("Threads started!") for line in child.stdout):
            raise Failed("%s did not start" % command[0])
        yield child
    finally:
        child.send_signal(signal.SIGCONT)
        child.send_signal(signal.SIGINT)
        try:
            child.communicate(timeout=60)
        finally:
            child.kill()


def turns(path):
    """
    Returns the turns of a run: for each, its intervals as (samples, completions per second, histogram). The first two intervals of a turn are left
    out: the first one is a part of a tenth of a second, and requests that were frozen in service end in these intervals.
    """
    with open(path, encoding="utf-8") as file:
        intervals = json.load(file)["intervals"]
    result = [[]]
    skip = LEFT_OUT
    for interval in intervals:
        if interval["seconds"] > FROZEN_S:
            result.append([])
            skip = LEFT_OUT
        elif skip > 0:
            skip -= 1
        else:
            samples = interval.get("wait_events", {}).get("samples", 0)
            result[-1].append((samples, interval["completed_per_s"], interval["response_histogram"]))
    return result


def cycles(first, second):
    """Returns for each turn of the second run its intervals and those of the turns of the first run before and after. Both start together, and the
    first run has the first turn."""
    found = [(second[i], first[i - 1] + first[i]) for i in range(2, min(len(first), len(second)) - 1)]
    return [(own, others) for own, others in found if own and others]


def commands_of(bench, server, seconds, sampled, other_session, options, paths):
    """
    Returns for each of the two sides, which have databases of their own, the commands of its runs. `sampled` says which side has --wait-events: 0 or
    1. If `other_session` is true, this side has a second run instead: one worker that executes ten point selects per second.
    """
    sides = []
    for i, database in enumerate(([], [server.second_database])):
        time_limit = "--time=%d" % (seconds + 60)
        sides.append([read_write(bench.ours, server, *database, *options, "--threads=16", time_limit, "--report-interval=0.1", "--percentile=99",
                                 "--json=" + paths[i], *["--wait-events"] * (i == sampled and not other_session))])
        if i == sampled and other_session:
            sides[i].append(bench.ours.command("oltp_point_select", *server.options, *database, "--tables=1", "--table-size=10000", "--threads=1",
                                               "--tx-rate=10", time_limit))
    return sides


def send(side, signal_number):
    for child in side:
        child.send_signal(signal_number)


def measure(bench, server, seconds, sampled, other_session, *options):
    """Returns the cycles of the two sides (commands_of)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("first", "second")]
        sides = commands_of(bench, server, seconds, sampled, other_session, options, paths)
        with contextlib.ExitStack() as stack:
            first, second = ([stack.enter_context(started(command)) for command in side] for side in sides)
            end = time.monotonic() + seconds
            send(second, signal.SIGSTOP)
            while time.monotonic() < end and all(child.poll() is None for child in first + second):
                for frozen, active in ((first, second), (second, first)):
                    time.sleep(TURN_S)
                    send(frozen, signal.SIGSTOP)
                    send(active, signal.SIGCONT)
            if any(child.poll() is not None for child in first + second):
                raise Failed("a run ended too early")
        return cycles(turns(paths[0]), turns(paths[1]))


def rate(intervals):
    return statistics.mean(completed for _, completed, _ in intervals)


def log_throughput_ratio(found):
    """Returns the logarithm of the throughput of the second run, divided by that of the first one."""
    return statistics.mean(math.log(max(1, rate(own)) / max(1, rate(others))) for own, others in found)


def log_p99_ratio(found):
    """Each turn of the first run counts for two cycles, so it has the weight of one."""
    own, others = ([interval for cycle in found for interval in cycle[i]] for i in (0, 1))
    return math.log(pooled_p99(own) / pooled_p99(others))


def count_samples(found, at):
    """Returns how many samples were taken in the turns of the second run (`at` is 0) or of the first one (1)."""
    return sum(samples for cycle in found for samples, _, _ in cycle[at])


def compare(bench, server, *options, other_session=False):
    """
    Makes many pairs of short runs. The ratios of pairs differ by more than the turns within a pair explain: two processes differ as long as they
    exist. In 80 pairs on MariaDB without a sample, the second run was slower by 2.4 ± 1.1 %, and the tables of one database may be faster. So the
    first run has the option in every second pair, and the ratio of two successive pairs is the root of the quotient of their ratios. Their order
    alternates, too.
    """
    for database in ([], [server.second_database]):
        run(read_write(bench.ours, server, *database, *options, command="prepare"))
    measure(bench, server, 5, 1, other_session, *options)  # fills the caches
    twos = [{sampled: measure(bench, server, 8, sampled, other_session, *options) for sampled in ((1, 0) if i % 2 == 0 else (0, 1))}
            for i in range(bench.pick(50, 4))]
    if not all(all(two.values()) for two in twos):
        print("  %d times two pairs, one without a complete turn, are left out" % sum(not all(two.values()) for two in twos), flush=True)
        twos = [two for two in twos if all(two.values())]
    if not twos or not other_session and not all(count_samples(two[1], 0) > 0 and count_samples(two[0], 1) > 0 for two in twos):
        raise Failed("no sample was taken")
    plain = [interval for two in twos for found, at in ((two[1], 1), (two[0], 0)) for cycle in found for interval in cycle[at]]
    figures = (("throughput", "/s", log_throughput_ratio, rate(plain)), ("p99", "ms", log_p99_ratio, pooled_p99(plain) / 1e6))
    for name, unit, figure, typical in figures:
        centre, error = hodges_lehmann([(figure(two[1]) - figure(two[0])) / 2 for two in twos])
        ratio = math.exp(centre)
        print_row(bench, "%s, %s" % (server.name, name), quantity(ratio * typical, unit), quantity(typical, unit), ratio, ratio * error, name == "p99")


HEADING = f"--wait-events, oltp_read_write, 16 threads%s: with and without, in turn for {TURN_S} s each; peer: without; 95 %% interval"


def waits_in_turn(bench):
    """The loss of throughput of oltp_read_write by --wait-events, and the growth of p99, in two runs that are frozen in turn; only if it is named."""
    bench.table.heading(HEADING % "")
    on_each_server(bench, compare)


def session_in_turn(bench):
    """waits-in-turn with another run in place of --wait-events, which executes ten point selects per second in one session; only if it is named."""
    bench.table.heading((HEADING % "").replace("--wait-events", "a session with ten point selects per second"))
    on_each_server(bench, lambda bench, server: compare(bench, server, other_session=True))


def waits_on_one_processor(bench):
    """waits-in-turn with client and server on one processor; only if it is named."""
    bench.table.heading(HEADING % ", on one processor")
    with one_processor():
        on_each_server(bench, compare)


def waits_apart(bench):
    """waits-in-turn with a processor for the client and another for the server; only if it is named.

    Few requests wait for locks, because 100 000 rows are chosen uniformly.
    """
    bench.table.heading(HEADING % ", client and server on a processor each, 100 000 rows")
    processors = os.sched_getaffinity(0)
    if len(processors) < 2:
        raise NotAvailable("there is only one processor")

    def compare_apart(bench, server):
        with on_processors({min(processors)}):
            compare(bench, server, "--table-size=100000", "--rand-type=uniform")

    with on_processors({max(processors)}):
        on_each_server(bench, compare_apart)


SECTIONS = {"waits-in-turn": waits_in_turn, "session-in-turn": session_in_turn, "waits-on-one-processor": waits_on_one_processor,
            "waits-apart": waits_apart}
