#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A server that is frozen for S seconds at rate λ, in a run with N arrivals: the λS requests that arrive meanwhile are served at
# its end, so their response times are uniform on (0, S) and
#
#     p99 = S (1 − 0.01 N/λS)
#
# Bound: 5 %. On top of it stands only chance: the k = λS requests of the stall are Poisson, 2000 ± 4·45, which moves 0.01 N/λS = 0.075
# by a tenth of itself, that is p99 by 0.8 % of S; therefore k is counted, from the histogram, and S is read from the
# longest response, which lies within S/k of it, apart from the time to serve the backlog.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

start_servers
for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 prepare
    check_equal "$server: prepare" 0 "$status"
    "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=1000 --tx-rate=1000 --threads=8 --time=15 --percentile=99 \
        --rand-seed=1 --json=a.json run >out.txt 2>&1 &
    pid=$!
    sleep 6
    signal_server STOP $server
    sleep 2
    signal_server CONT $server
    wait $pid
    check_equal "$server: exits 0" 0 $?
    figures=$(jq -r '.summary | [.response_ms.max, .response_ms.percentiles["99"].value, .requests.offered,
        ([.histogram.response[] | select(.[0] > 20e6) | .[1]] | add)] | @tsv' a.json)
    read -r max p99 n k <<<"$figures"
    echo "# $server: max $max ms, p99 $p99 ms, N $n, in the stall $k"
    check_between "$server: the freeze was 2 s" 1990 "$max" 2300
    check_between "$server: requests of the stall" 1800 "$k" 2300
    expected=$(awk -v s="$max" -v n="$n" -v k="$k" 'BEGIN { print s * (1 - 0.01 * n / k) }')
    check_between "$server: p99 is that of the formula" "$(awk -v e="$expected" 'BEGIN { print 0.95 * e }')" "$p99" \
        "$(awk -v e="$expected" 'BEGIN { print 1.05 * e }')"
    check_equal "$server: requests add up" true "$(jq '.summary.requests |
        .offered == .completed + .failed + .dropped + .unfinished' a.json)"
done
finish
