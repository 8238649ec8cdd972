# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of results: prints each row when it is measured, and writes RESULTS.md."""

import os
import platform
import subprocess
import time


class Table:
    def __init__(self):
        self.rows = []

    def heading(self, text):
        self.rows.append((text,))
        print("\n" + text, flush=True)

    def row(self, what, ours, peer, ratio, target, passed):
        """Adds a row. All arguments are texts, except `passed`: True, False, or None if there is no target or no clear result."""
        mark = {True: "pass", False: "**miss**", None: ""}[passed]
        self.rows.append((what, ours, peer, ratio, target, mark))
        print("  %-44s %18s %18s %9s  %-22s %s" % (what, ours, peer, ratio, target,
                                                  mark.strip("*")), flush=True)

    def not_available(self, what, reason):
        self.row(what, "n/a", "", "", str(reason).splitlines()[0][:120] if str(reason) else "", None)

    def compare(self, what, ours, peer, unit, at_least=None, at_most=None, digits=2):
        """Adds a row with one figure of sysrate and one of a peer. at_least and at_most are bounds of the ratio ours / peer."""
        if isinstance(ours, Exception):
            return self.not_available(what, ours)
        texts = ["n/a" if isinstance(v, Exception) or v is None else quantity(v, unit) for v in (ours, peer)]
        if texts[1] == "n/a" or peer == 0:
            return self.row(what, texts[0], "n/a", "", "", None)
        ratio = ours / peer
        passed, target = None, ""
        if at_least is not None:
            passed, target = ratio >= at_least, "≥ %.*f ×" % (digits, at_least)
        elif at_most is not None:
            passed, target = ratio <= at_most, "≤ %.*f ×" % (digits, at_most)
        return self.row(what, *texts, "%.2f ×" % ratio, target, passed)

    def absolute(self, what, ours, peer, unit, at_least=None, at_most=None):
        """Like compare(), but the target bounds our figure itself."""
        if isinstance(ours, Exception):
            return self.not_available(what, ours)
        other = "n/a" if peer is None or isinstance(peer, Exception) else quantity(peer, unit)
        ratio = "%.2f ×" % (ours / peer) if other != "n/a" and peer > 0 else ""
        passed, target = None, ""
        if at_least is not None:
            passed, target = ours >= at_least, "≥ " + quantity(at_least, unit)
        elif at_most is not None:
            passed, target = ours <= at_most, "≤ " + quantity(at_most, unit)
        return self.row(what, quantity(ours, unit), other, ratio, target, passed)

    def markdown(self):
        lines = []
        for row in self.rows:
            if len(row) == 1:
                lines += ["", "## " + row[0], "", "| | ours | peer | ours / peer | target | |",
                          "|---|--:|--:|--:|---|---|"]
            else:
                lines.append("| " + " | ".join(row) + " |")
        return "\n".join(lines) + "\n"


def quantity(value, unit):
    """Returns a figure with three significant digits and its unit. Numbers of events are given in thousands and millions."""
    scale = ""
    if unit.startswith("/s"):
        for scale, size in ((" M", 1e6), (" k", 1e3), (" ", 1)):
            if value >= size:
                break
        value /= size
    text = "%.3g" % value if abs(value) < 1000 else "%.0f" % value
    return text + (scale or " ") + unit if unit else text


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def machine(versions):
    """Returns facts about the machine and the software on which the figures depend, as lines of a list."""
    facts = [
        "CPU: %s, %d cores" % (cpu_model(), os.cpu_count()),
        "kernel: %s %s" % (platform.system(), platform.release()),
        "load when it began: %.2f (1 minute)" % os.getloadavg()[0],
    ]
    return ["- " + line for line in facts + [v for v in versions if v]]


def sections_of(text):
    """Returns the sections of a Markdown text, which begin with "## ", by their first line. The key None has the text before them."""
    parts = {None: []}
    heading = None
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line
        parts.setdefault(heading, []).append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in parts.items()}


def replace_results(path, table, facts):
    """Replaces sections with the same heading; appends sections with a new heading."""
    with open(path, encoding="utf-8") as file:
        parts = sections_of(file.read())
    for heading, text in sections_of(table.markdown()).items():
        if heading is None:
            continue
        when = "Measured by itself on %s; %s." % (time.strftime("%Y-%m-%d", time.gmtime()),
                                                  ", ".join(fact.lstrip("- ") for fact in facts if "load" in fact))
        parts[heading] = text.replace("\n", "\n\n" + when + "\n", 1)
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write("\n\n".join(parts.values()) + "\n")
    os.replace(path + ".tmp", path)


def write_results(path, table, facts, seconds, quick):
    how = "`bench/run.sh%s`" % (" --quick" if quick else "")
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write("# Results\n\nWritten by %s on %s; it took %.0f s. Medians of runs in turn, so that both tools see "
                   "the same machine.\n[docs/performance.md](../docs/performance.md) says how to read it.\n\n"
                   % (how, time.strftime("%Y-%m-%d", time.gmtime()), seconds))
        file.write("\n".join(facts) + "\n")
        if quick:
            file.write("\nA quick run: single short measurements, good for a look and not for a quotation.\n")
        file.write(table.markdown())
    os.replace(path + ".tmp", path)
