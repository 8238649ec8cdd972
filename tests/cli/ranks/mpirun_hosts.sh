#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several machines with different clocks: a common start, one result, and a cable that is cut.
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"
. "$TESTS_DIR/cli/ranks/exact_lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_hosts_lib.sh"
trap 'close_hosts; cd / && rm -rf "$WORK_DIR"' EXIT
open_hosts 2>open.err || not_here "$(tail -n 1 open.err)"

echo 'function event() end' >empty.lua
schedule=(--threads=6 --tx-rate=1000 --rand-seed=7 --time=1 --drain=5 --report-interval=0.2)

# shellcheck disable=SC2086  # several words
run $launch "$SYSRATE" "${schedule[@]}" --request-log=log --json=a.json empty.lua run
check_equal "three hosts: exit code" 0 "$status"
run "$SYSRATE" "${schedule[@]}" --request-log=single empty.lua run
check "the arrivals are those of one machine" cmp -s <(arrivals single) <(arrivals log.rank*)
check_equal "each host has its row" "host1 host2 host3" "$(json_figure '.ranks | map(.host) | join(" ")')"
check_equal "intervals add up" "$(json_figure .summary.requests.completed)" "$(json_figure '[.intervals[].completed] | add')"

# The clock of host I is 1000·I s ahead. After subtracting that, all ranks have begun at the same
# time, within the reported bound.
apart=$(for i in 0 1 2; do
    awk -v i=$i '/^# started_ns/ { printf "%d\n", $3 - (i + 1) * 1000 * 1e9 }' log.rank$i
done | sort -n | sed -n '1p;$p' | xargs | awk '{ print ($2 - $1) / 1e6 }')
bound=$(json_figure .alignment.bound_ms)
check_between "the ranks began at one moment (ms)" 0 "$apart" "$(awk -v b="$bound" 'BEGIN { print 2 * b + 0.001 }')"
# The bound comes from the fastest of a hundred round trips: a single undisturbed round trip is
# enough, which happens in three runs even on a busy machine.
for again in 1 2; do
    ! awk -v b="$bound" 'BEGIN { exit b >= 1 }' || break
    # shellcheck disable=SC2086  # several words
    run $launch "$SYSRATE" "${schedule[@]}" --time=0.2 --rand-seed=$again --json=a.json empty.lua run
    bound=$(json_figure .alignment.bound_ms)
done
check_between "and that is known (ms)" 0 "$bound" 1

# mpirun receives a signal and ends the daemons of the hosts, which end their ranks.
timeout --kill-after=5 60 $launch "$SYSRATE" --threads=6 --tx-rate=300 --time=40 --report-interval=1 --json=ended.json empty.lua run \
    >ended.out 2>ended.err &
launcher=$!
wait_for 20 grep -qs '^\[ 2s' ended.out
kill -TERM "$(pgrep -P $launcher)"
check "SIGTERM at mpirun: there is a report within ten seconds" wait_for 10 test -s ended.json
check_equal "SIGTERM at mpirun: of all ranks" "signal 3" \
    "$(jq -r '"\(.summary.end) \([.ranks[] | select(.partial | not)] | length)"' ended.json)"
check_equal "SIGTERM at mpirun: intervals add up" "$(jq .summary.requests.completed ended.json)" "$(jq '[.intervals[].completed] | add' ended.json)"
wait $launcher

# A cut cable: the report of the other ranks is written, independently of mpirun.
timeout --kill-after=5 60 $launch "$SYSRATE" --threads=6 --tx-rate=300 --time=40 --report-interval=1 --json=cut.json empty.lua run \
    >cut.out 2>cut.err &
wait_for 20 grep -qs '^\[ 2s' cut.out
ip link set "$id-3" down
began=$SECONDS
check "a cut cable: there is a report" wait_for 25 test -s cut.json
check "in time" test $((SECONDS - began)) -le 14
check_match "the rank is named" 'rank 2 \(host3\) was lost' "$(cat cut.err)"
check_equal "requests add up" true "$(jq '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished' cut.json)"
check_equal "the end is an error" error "$(jq -r .summary.end cut.json)"
# mpirun would wait longer, and does not always end well in this case.
{
    kill $!
    wait
} 2>/dev/null

finish
