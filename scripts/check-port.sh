#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/check-port.sh [PROGRAM]
#
# Checks the program on this processor with tests that do not depend on speed. Without PROGRAM, this script first installs missing
# packages (as root), builds in build/ without warnings, and runs the unit tests. Then it runs checks whose results must be exact: the
# lines of `sysrate selftest` that do not measure time (first table of docs/selftest.md), two runs with the same seed, and a run on SQLite.
# scripts/bare-machine.sh --arch=ARCH runs this script in a Debian for another processor; scripts/cross.sh runs it with a program that was
# compiled for another processor.
set -eu

cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    scripts/install-deps.sh
    dpkg-query -W check >/dev/null 2>&1 || apt-get -qq -y --no-install-recommends install check >/dev/null
    scripts/build.sh build --enable-werror
    make -C build check-units >build/units.log 2>&1 || {
        grep -E '^(FAIL|ERROR):|:[FE]:' build/units.log >&2
        echo "$0: unit tests failed (build/units.log)" >&2
        exit 1
    }
    grep -E '^# (TOTAL|PASS|FAIL):' build/units.log
fi
program=$(realpath "${1:-build/src/sysrate}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$work"
failed=0

# check NAME COMMAND...: prints whether the command succeeds.
check() {
    name=$1
    shift
    if "$@"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        failed=1
    fi
}

"$program" --version
"$program" selftest --quick >selftest 2>&1 || true
for exact in 'requests accounted for' 'arrivals as the seed has them' 'requests too early or out of turn' 'worst error of a percentile, %' \
    'mean of the requests logged' 'services shorter than drawn' 'answered within the stall' 'arrivals as in the server stall'; do
    grep -F "$exact" selftest >lines || true
    lines=$(wc -l <lines)
    passed=$(grep -c 'pass$' lines) || true
    check "selftest: $exact ($passed of $lines)" test "$lines" -gt 0 -a "$lines" -eq "$passed"
done
grep -E 'FAIL' selftest || true # of the lines in which time has a say, for whoever looks

# The same seed must give the same random numbers on every processor. The expected numbers are from amd64 with glibc.
printf 'function event() print(sysbench.rand.uniform(1, 1000000)) end\n' >draw.lua
"$program" draw.lua --threads=1 --events=1000 --time=0 --rand-seed=7 --verbosity=0 run >draws
check "one seed, the numbers of amd64" test "$(wc -l <draws) $(sha256sum <draws | cut -c1-16)" = '1000 f82e71fa00de21bd'

sqlite='oltp_read_write --db-driver=sqlite --table-size=500'
# shellcheck disable=SC2086  # a list
{
    "$program" $sqlite prepare >/dev/null
    "$program" $sqlite --threads=4 --tx-rate=20 --time=5 --json=run.json run >run.txt
}
requests=$(grep -o '"requests":{[^}]*}' run.json | tail -n 1)
check "SQLite: each request is accounted for ($requests)" awk -v text="$requests" 'BEGIN {
    count = split(text, part, /[,{}]/)
    for (i = 1; i <= count; i++) { split(part[i], pair, ":"); gsub(/"/, "", pair[1]); figure[pair[1]] = pair[2] }
    exit !(figure["offered"] > 0 && figure["offered"] == figure["completed"] + figure["failed"] + figure["dropped"] + figure["unfinished"])
}'
exit "$failed"
