#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a workload at a fixed rate for hours on MariaDB or MySQL, PostgreSQL and SQLite. Faults are injected at random times, and the runs
# are checked every minute (tests/db/soak.sh):
#
#   scripts/soak.sh HOURS [SEED]      HOURS may be a fraction; SEED chooses the faults, 1 unless it is given
#
# The database servers are private ones on sockets and free ports, and end with this script. The exit code is 1 if a check has failed.
# docs/reliability.md has results.
set -eu

cd "$(dirname "$0")/.."
seconds=$(awk -v hours="${1-}" 'BEGIN { if (hours ~ /^[0-9]*\.?[0-9]+$/ && hours > 0 && hours <= 1000) printf "%d", hours * 3600 }')
if [ -z "$seconds" ] || [ "$seconds" -lt 300 ]; then
    sed -n 's/^#   \(scripts.*\)/usage: \1/p' "$0" >&2
    echo "HOURS is at least 0.084, which is five minutes" >&2
    exit 2
fi
scripts/install-deps.sh --test
scripts/build.sh build
SOAK_SECONDS=$seconds SOAK_LOOK=60 SOAK_SEED=${2-1} SYSRATE=$PWD/build/src/sysrate exec bash tests/db/soak.sh
