#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A server that is frozen for S seconds at rate λ, in a run with N arrivals. The λS requests that
# arrive during the freeze are served at its end, so their response times are uniform on (0, S) and
#
#     p99 = S (1 − 0.01 N/λS)
#
# Bound: 5 %. Apart from errors of the program, only chance contributes: the number k = λS of
# requests in the freeze is Poisson, 2000 ± 4·45, which changes 0.01 N/λS = 0.075 by a tenth, that
# is p99 by 0.8 % of S. Therefore k is counted in the histogram, as twice the number of requests
# that took longer than S/2, which is longer than delays caused by the machine. S is the longest
# response time, which differs from S by at most S/k and the time to serve the backlog.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

calculate() { awk "BEGIN { print $1 }"; }

# The server is frozen for two seconds of a run.
freeze_server() {
    rm -f out.txt
    "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 --tx-rate=1000 --threads=8 --time=15 --drain=60 --percentile=99 \
        --rand-seed=1 --json=a.json run >out.txt 2>&1 &
    pid=$!
    wait_for 40 grep -qs '^Threads started!' out.txt
    sleep 6
    before_ns=$(date +%s%N)
    signal_server STOP $server
    stopped_ns=$(date +%s%N)
    sleep 2
    resumed_ns=$(date +%s%N)
    signal_server CONT $server
    after_ns=$(date +%s%N)
    wait $pid
    status=$?
}

# A server that is still frozen when a short run ends.
freeze_to_the_end() {
    rm -f out.txt
    "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 --tx-rate=200 --threads=8 --time=4 --rand-seed=1 --json=a.json \
        run >out.txt 2>&1 &
    pid=$!
    wait_for 40 grep -qs '^Threads started!' out.txt
    sleep 2
    signal_server STOP $server
    sleep 4
    signal_server CONT $server
    wait $pid
    status=$?
}

start_servers
for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 prepare
    check_equal "$server: prepare" 0 "$status"
    steadily freeze_server
    check_equal "$server: exits 0" 0 "$status"
    figures=$(jq -r '.summary | .response_ms.max as $max | [$max, .response_ms.percentiles["p99"].value, .requests.offered,
        2 * ([.histogram.response[] | select(.[0] > $max * 5e5) | .[1]] | add)] | @tsv' a.json)
    read -r max p99 n k <<<"$figures"
    echo "# $server: max $max ms, p99 $p99 ms, N $n, in the stall $k"
    # A request arrives within 12 ms, except with a probability of 6·10^-6. Serving the backlog
    # takes time as well.
    check_between "$server: the freeze was 2 s" "$(calculate "($resumed_ns - $stopped_ns) / 1e6 - 12")" "$max" \
        "$(calculate "($after_ns - $before_ns) / 1e6 + 2000")"
    # Bound: twice 4.5 standard deviations of the number of requests in half the time.
    check_between "$server: requests of the stall" "$(calculate "$max - 9 * sqrt($max / 2)")" "$k" \
        "$(calculate "$max * 1.3 + 9 * sqrt($max / 2)")"
    expected=$(calculate "$max * (1 - 0.01 * $n / $k)")
    check_between "$server: p99 is that of the formula" "$(calculate "0.95 * $expected")" "$p99" "$(calculate "1.05 * $expected")"
    check_equal "$server: requests add up" true "$(jq '.summary.requests |
        .offered == .completed + .failed + .dropped + .unfinished' a.json)"
    # Up to one window of the run (75 ms) may be missing at the end, and a request in service may be
    # included at the beginning.
    outage=$(jq '.outages.list | max_by(.to_s - .from_s) | (.to_s - .from_s) * 1000' a.json)
    check_between "$server: an outage as long as the freeze" "$(calculate "($resumed_ns - $stopped_ns) / 1e6 - 250")" "$outage" \
        "$(calculate "($after_ns - $before_ns) / 1e6 + 2000")"
    check_equal "$server: which ended, and nothing was lost" true "$(jq '.outages.list | max_by(.to_s - .from_s) |
        .ended and .lost == 0 and .host == null and .back_after_s >= .to_s - .from_s' a.json)"

    steadily freeze_to_the_end
    check_equal "$server, frozen until the end: exits 0" 0 "$status"
    check_match "$server, frozen until the end: is named" \
        '^    NON-STATIONARY: from [12]\.[0-9]+ to 4\.00 s at least nothing was completed while [0-9]+ requests waited' "$(cat out.txt)"
    check_match "$server, frozen until the end: whose stall" 'it was not the client' "$(cat out.txt)"
    check_equal "$server, frozen until the end: so is its outage" '[false,4,null]' \
        "$(jq -c '.outages.list[-1] | [.ended, .to_s + 0, .back_after_s]' a.json)"
    check_no_match "$server, frozen until the end: no overload" OVERLOADED "$(cat out.txt)"
done
finish
