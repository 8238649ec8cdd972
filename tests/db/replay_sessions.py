#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the sessions in a server's log independently of the program, for tests of replay.

    replay_sessions.py sessions LOG          prints a line per session with all its statements; the lines are sorted
    replay_sessions.py starts LOG LOG2 SPEED LAG LONGEST
                                             checks that the statements of LOG2 begin when those of LOG do, divided by SPEED: most of
                                             them within LAG ms, and all within LONGEST ms
    replay_sessions.py count LOG             prints the number of statements, including those of MySQL's client, which the test uses
    replay_sessions.py arrivals LOG          prints when its statements are due, in ns since the first; statements with the same clock
                                             tick are spread evenly over the tick

LOG is a general log of MySQL or MariaDB, or a csvlog of PostgreSQL (*.csv) with log_min_duration_statement=0 and no log_statement.
Statements with the word "oracle" in it are those of the test.
"""
import csv
import datetime
import re
import sys


def tick(text):
    """Returns the time in seconds, and the length of a tick of this clock in seconds."""
    if "T" in text:
        return datetime.datetime.strptime(text[:26], "%Y-%m-%dT%H:%M:%S.%f").timestamp(), 1e-6
    return datetime.datetime.strptime(text, "%y%m%d %H:%M:%S").timestamp(), 1


def mysql(path):
    heading = re.compile(r"^(?:(\d{6} [ \d]\d:\d\d:\d\d|\d{4}-\S+)\t|\t\t)\s*(\d+) (\w[\w ]*?)(?:\t(.*))?$")
    sessions, last, now = {}, None, None
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        found = heading.match(line.rstrip("\n"))
        if found:
            last = None
            now = found.group(1) or now
            if found.group(3) in ("Query", "Execute"):
                last = sessions.setdefault(found.group(2), [])
                last.append((now, found.group(4)))
        elif last is not None:
            last[-1] = (last[-1][0], last[-1][1] + "\n" + line.rstrip("\n"))
    return list(sessions.values())


def put_parameters(text, detail):
    values = dict(re.findall(r"\$(\d+) = ('(?:[^']|'')*'|NULL)", detail))
    return re.sub(r"\$(\d+)", lambda found: " " + values.get(found.group(1), found.group(0)), text)


def pgsql(path):
    sessions = {}
    for row in csv.reader(open(path, newline="", encoding="utf-8")):
        found = re.match(r"duration: ([\d.]+) ms  (?:statement|execute [^:]*): (.*)$", row[13], re.S)
        if found is None or row[11] != "LOG":
            continue
        end = datetime.datetime.strptime(row[0][:23], "%Y-%m-%d %H:%M:%S.%f").timestamp()
        text = put_parameters(found.group(2), row[14])
        sessions.setdefault(row[5], []).append((end - float(found.group(1)) / 1e3, text))
    return list(sessions.values())


# Statements that the drivers send themselves, and those that MySQL's client sends; they are not part of the load.
OF_DRIVERS = "SET SESSION TRANSACTION|SET default_transaction|DEALLOCATE|SET NAMES|SHOW "
OF_CLIENT = "SELECT @@"


def read(path, others=f"{OF_DRIVERS}|{OF_CLIENT}"):
    found = pgsql(path) if path.endswith(".csv") else mysql(path)
    own = re.compile(f"^({others})", re.I)
    kept = [[s for s in session if not own.match(s[1]) and "oracle" not in s[1]] for session in found]
    return [session for session in kept if session]


def texts(session):
    return "\x01".join(text.replace("\n", "\\n") for _, text in session)


def arrivals(path):
    """The statements of a general log share their ticks evenly, in the order of the log."""
    times = sorted(when for session in read(path, OF_DRIVERS) for when, _ in session)
    of_tick = {when: times.count(when) for when in set(times)}
    due, last, number = [], None, 0
    for when in times:
        number = number + 1 if when == last else 0
        last = when
        start, length = tick(when)
        due.append(start + length * number / of_tick[when])
    for when in due:
        print(round((when - due[0]) * 1e9))


def main():
    if sys.argv[1] == "count":
        print(sum(len(session) for session in read(sys.argv[2], OF_DRIVERS)))
        return
    if sys.argv[1] == "arrivals":
        arrivals(sys.argv[2])
        return
    if sys.argv[1] == "sessions":
        print("\n".join(sorted(texts(session) for session in read(sys.argv[2]))))
        return
    speed, lag, longest = float(sys.argv[4]), float(sys.argv[5]) / 1e3, float(sys.argv[6]) / 1e3
    before = {texts(session): session for session in read(sys.argv[2])}
    now = {texts(session): session for session in read(sys.argv[3])}
    first = min(start for session in before.values() for start, _ in session)
    offsets = [later[0] - (earlier[0] - first) / speed
               for text, session in before.items() for earlier, later in zip(session, now[text])]
    late = sorted(offset - min(offsets) for offset in offsets)
    good = late[-1] <= longest and late[len(late) // 2] <= lag
    print("within" if good else f"of {len(late)} starts half are up to {late[len(late) // 2]:.4f} s late, the last {late[-1]:.4f} s")


main()
