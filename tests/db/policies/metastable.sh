#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the metastable failure of docs/overload/overload.md on the model server of the null driver: after a stall of two seconds,
# retries without a budget keep the server down, and with a budget the server recovers.
. "$TESTS_DIR/cli/lib.sh" || exit 1

json() {
    jq -c "$1" report.json
}

# True if the server is well before the stall.
before='[.intervals[1:3][].policy.goodput_per_s] | add / 2 > 80'

# A server that completes 200 requests a second gets 120. A statement takes 20 ms with up to 4 in service, and n/4 times as long with n.
# Clients give up after 200 ms. With 3 attempts each, 120 · 3 · 0.2 s = 72 attempts are in service, which take 360 ms: all of them time
# out. With a budget of 10 % at most 120 · 1.1 · 0.2 s = 26.4 are in service, which take 132 ms: the first ones complete, the number
# in service falls, and the server recovers. A busy machine would have to delay statements by 68 ms on average to change this.
overload() {
    # A machine that stands still is a stall of its own, and one that is busy before the injection, too.
    try_until '[ "$status" -ne 0 ] || [ "$(json "$before")" = true ]' \
        steadily run "$SYSRATE" oltp_point_select --db-driver=null --null-service=20ms --null-capacity=4 --tx-rate=120 --threads=150 --time=14 \
        --timeout=200ms --retry="$1" --inject='4s: sql: STALL 2s' --report-interval=1 --rand-seed=1 --json=report.json run
    check_equal "$1: requests add up" true "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
    check_equal "$1: the server is well before the stall" true "$(json "$before")"
}

# The mean goodput of seconds 11 to 14; 120 requests arrive in each.
goodput='[.intervals[10:14][].policy.goodput_per_s] | add / 4'

overload '3 10ms'
check_equal "without a budget the server stays down" true "$(json "$goodput < 30")"
check_equal "without a budget clients triple the load" true "$(json '[.intervals[10:14][].policy.load_amplification] | add / 4 > 2')"
check_equal "without a budget: recovery" null "$(json '.injections[0].recovery.after_s')"

overload '3 10ms budget 10%'
check_equal "with a budget the server recovers" true "$(json "$goodput > 80")"
check_equal "with a budget the load is almost that of the requests" true \
    "$(json '[.intervals[10:14][].policy.load_amplification] | add / 4 < 1.2')"
check_equal "with a budget: recovery within 5 s" true "$(json '.injections[0].recovery.after_s | . != null and . < 5')"
finish
