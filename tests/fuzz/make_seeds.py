#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the seeds of the targets `report` and `spool` from real runs. usage: make_seeds.py build/src/sysrate

Run this when the format of reports or spools has changed: the readers refuse the old seeds at once, so that they test nothing.
Seeds with other names, which a fuzzer has found, are not changed.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import zlib

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
# The options that readers use; the others would only make the seeds longer.
CONFIG = ["threads", "events", "time", "warmup_time", "rate", "slo", "label", "arrival_trace", "rand_seed", "report_interval",
          "percentile", "inject", "db_driver", "tables", "table_size"]
INTERVALS = 6
CPU = ["cpu", "--cpu-max-prime=100", "--time=0.3"]
SQL = ["oltp_read_write", "--db-driver=sqlite", "--sqlite-db=t.db", "--tables=1", "--table-size=20"]
RUNS = {
    "closed": CPU + ["--events=50"],
    "rate": CPU + ["--tx-rate=200", "--threads=2", "--report-interval=0.05", "--percentile=50,95,99",
                   "--slo=p99<20ms,errors<1%", "--inject=0.1s: exec: true", "--report-checkpoints=0.2"],
    "sql": SQL + ["--time=0.3", "--tx-rate=50", "--report-sql=on", "--report-interval=0.1", "--label=branch=main",
                  "--label=commit=abc"],
    "node0": CPU + ["--threads=2", "--tx-rate=100", "--report-interval=0.1", "--report-checkpoints=0.15", "--rand-seed=5",
                    "--node=0/2"],
    "node1": CPU + ["--threads=2", "--tx-rate=100", "--report-interval=0.1", "--report-checkpoints=0.15", "--rand-seed=5",
                    "--node=1/2"],
    "waits": ["oltp_point_select", "--db-driver=null", "--null-waits=IO=2ms,Lock:row=20ms@20", "--threads=2", "--tx-rate=100",
              "--time=0.3", "--report-interval=0.1", "--wait-events=100", "--slowest=2", "--rand-seed=5", "--node=0/2"],
}


def write(target, name, data):
    folder = os.path.join(SEEDS, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def unpack(text):
    """Returns the bytes of a spool in a report. The text is base64 of a length (zigzag, in groups of 7 bits) and compressed data (zlib)."""
    packed = base64.b64decode(text)
    first = next(i for i, byte in enumerate(packed) if byte < 128) + 1
    return zlib.decompress(packed[first:])


def run(program, folder, name, arguments):
    path = os.path.join(folder, name + ".json")
    subprocess.run([program, *arguments, f"--json={path}", "run"], cwd=folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)  # an objective may be missed
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def shorten(report):
    report["config"] = {key: value for key, value in report["config"].items() if key in CONFIG}
    report["intervals"] = report["intervals"][:INTERVALS]
    return json.dumps(report, separators=(",", ":")).encode()


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, *SQL, "prepare"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for name, arguments in RUNS.items():
            report = run(program, folder, name, arguments)
            if "spool" in report:
                write("spool", name, unpack(report["spool"]))
            if name == "node0":
                write("spool", "text", report["spool"].encode())
                write("spool", "cut", unpack(report["spool"])[:-200])
            if name != "node1":
                write("report", name, shorten(report))


main()
