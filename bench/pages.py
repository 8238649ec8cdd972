# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a headless Chromium takes to open the page of a day of one-second intervals."""

import os
import statistics
import subprocess
import sys
import tempfile

from tools import BENCH, Failed, NotAvailable

sys.path.append(os.path.join(BENCH, "..", "tests", "browser"))
import page_lib  # noqa: E402
import webdriver  # noqa: E402

AT_MOST_S = 3
ROUNDS = 12


def pages(bench):
    """Time to open the page of a day of one-second intervals."""
    if not webdriver.available():
        raise NotAvailable("needs the Debian packages chromium and chromium-driver")
    rounds = bench.pick(ROUNDS, 3)
    bench.table.heading("Page of a run of a day with intervals of 1 s, opened %d times by headless Chromium" % rounds)
    page_lib.SYSRATE = bench.ours.program
    with tempfile.TemporaryDirectory(prefix="sysrate-bench.") as folder, webdriver.Browser() as browser:
        try:
            page_lib.measure(folder, 4)
            page = page_lib.day_page(folder)
        except subprocess.SubprocessError as reason:
            raise Failed("cannot make the page: %s" % reason) from None
        browser.open(page)
        times = [browser.open(page) for _ in range(rounds)]
    bench.table.absolute("until all charts are drawn, median", statistics.median(times), None, "s", at_most=AT_MOST_S)
    bench.table.absolute("until all charts are drawn, longest", max(times), None, "s", at_most=AT_MOST_S)


SECTIONS = {"pages": pages}
