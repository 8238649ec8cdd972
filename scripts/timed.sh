#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a test with a time limit: scripts/timed.sh SECONDS COMMAND... A test that exceeds the limit is terminated and fails with exit
# status 124. The last line of the output says how long the test took.
limit=${1:?usage: scripts/timed.sh SECONDS COMMAND...}
shift
start=$(date +%s)
timeout --kill-after=10 "$limit" "$@"
status=$?
echo "# took $(($(date +%s) - start)) s"
exit $status
