#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions of a server's log, read without the program: for tests of replay.

    replay_sessions.py sessions LOG          a line per session: its statements, one behind the other, sorted by text
    replay_sessions.py starts LOG LOG2 SPEED MILLISECONDS
                                             whether the statements of LOG2 begin when those of LOG do, divided by SPEED, within that

LOG is a general log of MariaDB, or a csvlog of PostgreSQL (*.csv) with log_min_duration_statement=0 and no log_statement.
Statements with the word "oracle" in it are those of the test.
"""
import csv
import datetime
import re
import sys


def mysql(path):
    heading = re.compile(r"^(?:\d{6} [ \d]\d:\d\d:\d\d\t|\t\t)\s*(\d+) (\w[\w ]*?)(?:\t(.*))?$")
    sessions, last = {}, None
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        found = heading.match(line.rstrip("\n"))
        if found:
            last = None
            if found.group(2) in ("Query", "Execute"):
                last = sessions.setdefault(found.group(1), [])
                last.append((0, found.group(3)))
        elif last is not None:
            last[-1] = (0, last[-1][1] + "\n" + line.rstrip("\n"))
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


def read(path):
    found = pgsql(path) if path.endswith(".csv") else mysql(path)
    # What the drivers themselves send is no part of the load.
    own = re.compile(r"^(SET SESSION TRANSACTION|SET default_transaction|DEALLOCATE|SET NAMES|SELECT @@|SHOW )", re.I)
    kept = [[s for s in session if not own.match(s[1]) and "oracle" not in s[1]] for session in found]
    return [session for session in kept if session]


def texts(session):
    return "\x01".join(text.replace("\n", "\\n") for _, text in session)


def main():
    if sys.argv[1] == "sessions":
        print("\n".join(sorted(texts(session) for session in read(sys.argv[2]))))
        return
    speed, bound = float(sys.argv[4]), float(sys.argv[5]) / 1e3
    before = {texts(session): session for session in read(sys.argv[2])}
    now = {texts(session): session for session in read(sys.argv[3])}
    first = min(start for session in before.values() for start, _ in session)
    offsets = [later[0] - (earlier[0] - first) / speed
               for text, session in before.items() for earlier, later in zip(session, now[text])]
    span = max(offsets) - min(offsets)
    print("within" if span <= bound else f"{len(offsets)} starts differ by up to {span:.4f} s, more than {bound:.4f} s")


main()
