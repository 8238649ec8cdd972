#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests --server-stats, --replica and --server-config on our own server with MongoDB's protocol.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "the server's side of MongoDB"
start_fake_mongodb --lag=2.5
secondary=$mongodb_pid
replica=127.0.0.1:$mongodb_port
start_fake_mongodb
mongodb_options
run "$SYSRATE" oltp_json "${connect[@]}" --table_size=200 prepare
check_equal "prepare" 0 "$status"

load() {
    run "$SYSRATE" oltp_json "${connect[@]}" --table_size=200 --threads=2 --tx-rate=200 --time=2 --report-interval=1 --server-stats=0.5 \
        --json=a.json "$@" run
}

# series SOURCE NAME: prints a member of a source in the summary.
series() { json_figure ".summary.probes[] | select(.name == \"$1\") | .$2"; }

load --replica="$replica" --server-config
check_equal "a run" 0 "$status"
check_match "the server's figures" '^\[ [0-9.]+s \] server: find/s: [1-9][0-9.]* ins/s: [0-9.]+ upd/s: [1-9][0-9.]* del/s: [0-9.]+ read/s: [1-9]' "$out"
check_match "and those of its cache" '^\[ [0-9.]+s \] server: buffer/s: [1-9][0-9.]* hit%: [0-9.]+ active: 1 queued: 0 connected: [2-4]' "$out"
check_match "the lag of the secondary" '^\[ [0-9.]+s \] replica: .* lag s: 2\.[45]' "$out"
check_match "rows are compared, and agree" '^ +rows changed: [1-9][0-9]*, counted there: [1-9][0-9]* \(difference [-+][0-9]+, tolerance [0-9]+: they agree\)' "$out"
check_equal "rows are all that is compared" 1 "$(printf '%s\n' "$out" | grep -c 'counted there')"
check_equal "no message" "" "$(printf '%s\n' "$err" | grep -v '^WARNING: verdict')"
check_equal "settings" 5.0.0 "$(jq -r '[.. | .version? | strings] | map(select(. == "5.0.0")) | first' a.json)"

# A server that is not a member of a replica set has no lag: a warning if it was given with --replica.
kill -s KILL "$secondary"
load --replica="127.0.0.1:$mongodb_port"
check_equal "a replica that is none" 0 "$status"
check_match "is told of" '^WARNING: replica \(.*\): lag is not known: NoReplicationEnabled: not running with --replSet' "$err"

# The replica is down: a warning, and the run continues.
load --replica="$replica"
check_equal "a replica that is gone" 0 "$status"
check_match "is told of once" '^WARNING: .*replica.*connection refused' "$err"
finish
