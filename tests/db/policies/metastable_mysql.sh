#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the metastable failure of docs/overload/overload.md on MariaDB or MySQL: a table is locked for two seconds. After this, clients
# that give up and retry without a budget keep the server down, and with a budget the server recovers.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

json() {
    jq -c "$1" report.json
}

start_servers mysql
server_options mysql
burn=("$SYSRATE" "$TESTS_DIR/../examples/burn.lua" "${connect[@]}" --json=report.json --rand-seed=1)
run "${burn[@]}" prepare
run "${burn[@]}" --loops=20000 --events=30 --time=0 run
check_equal "a statement is measured" 0 "$status"
# A statement takes at least 12 ms of a processor.
loops=$(json '20000 * 12 / .summary.response_ms.min | floor')
{
    echo 'echo "LOCK TABLES burn WRITE; SELECT SLEEP(2); UNLOCK TABLES" |'
    printf '%q ' "${mysql_client[@]}" --socket="$mysql_socket" --user=root sbtest
} >lock.sh

# 40 requests arrive in a second: they need half of one processor, a quarter of two. If each of 10 attempts uses the server for 200 ms,
# 40 · 10 · 0.2 s = 80 attempts share the processors, so that each of them gets 2.5 to 5 ms in this time and none ends. With a budget of
# 10 % it is 40 · 1.1 · 0.2 s = 9 attempts, each of which gets 22 to 44 ms. The server does not notice that the client has gone and
# executes abandoned statements to their end, which makes the first state worse.
overload() {
    run "${burn[@]}" --loops="$loops" --threads=100 --tx-rate=40 --time=16 --timeout=200ms --timeout-action=abandon --retry="$1" \
        --report-interval=1 --inject='3s: sh: bash lock.sh >/dev/null' run
    # The mean goodput of seconds 11 to 16; 40 requests arrive in each.
    goodput=$(json '[.intervals[10:16][].policy.goodput_per_s] | add / 6 | floor')
}

# Other programs may take the processors away, in which case the server may not be well even with a budget.
overload '10 10ms'
check_equal "without a budget: requests add up" true "$(json '.summary.requests | .offered == .completed + .failed + .unfinished')"
check_between "without a budget the server stays down: goodput per second" 0 "$goodput" 10
check_equal "without a budget: recovery" null "$(json '.injections[0].recovery.after_s')"

try_until '[ "$goodput" -ge 28 ]' overload '10 10ms budget 10%'
check_equal "with a budget: requests add up" true "$(json '.summary.requests | .offered == .completed + .failed + .unfinished')"
check_between "with a budget the server recovers: goodput per second" 28 "$goodput" 60
check_equal "with a budget: retries are within it" true "$(json '.summary | .counters.retries <= 0.1 * (.requests.completed + .requests.failed) + 1')"
finish
