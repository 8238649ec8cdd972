#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One test: scripts/timed.sh SECONDS COMMAND... One that hangs is stopped after that time and fails with exit status 124. A
# last line says how long it took.
limit=${1:?usage: scripts/timed.sh SECONDS COMMAND...}
shift
start=$(date +%s)
timeout --kill-after=10 "$limit" "$@"
status=$?
echo "# took $(($(date +%s) - start)) s"
exit $status
