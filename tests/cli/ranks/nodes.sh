#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run that is divided among several processes by --node: together they have the schedule, the
# workers and the random numbers of one process.
. "$TESTS_DIR/cli/lib.sh"

echo 'function event() end' >empty.lua

# nodes N NAME OPTION...: runs ranks 0 … N−1, with request logs NAME.0 ….
nodes() {
    local count=$1 name=$2 rank pids=()
    shift 2
    for ((rank = 0; rank < count; rank++)); do
        timeout "${RUN_TIMEOUT:-60}" "$SYSRATE" --node="$rank/$count" --rand-seed=7 --request-log="$name.$rank" "$@" run \
            >"$name.$rank.out" 2>&1 &
        pids+=($!)
    done
    for ((rank = 0; rank < count; rank++)); do
        wait "${pids[rank]}" || fail "$name: rank $rank of $count ends well" "$(cat "$name.$rank.out")"
    done
}

# Prints the arrival times in request logs.
arrivals() {
    sort -n "$@" | grep -v '^#' | cut -d' ' -f1
}

# Schedules: 7 threads on 1, 2, 4 and 7 ranks, so that shares are uneven.
seq 1 400 | awk '{ t += ($1 * 7919 % 13) / 10000; printf "%.6f\n", t }' >trace
while read -r name options; do
    for ranks in 1 2 4 7; do
        # shellcheck disable=SC2086  # several options
        nodes $ranks "$name$ranks" --threads=7 --time=0.3 --drain=5 $options empty.lua
        arrivals "$name$ranks".[0-9] >"$name$ranks"
        check "$name: $ranks rank(s) have arrivals" test "$(wc -l <"$name$ranks")" -gt 100
        check "$name: $ranks rank(s) have the schedule of one" cmp -s "${name}1" "$name$ranks"
    done
done <<'END'
poisson --tx-rate=1500
sine --tx-rate=sine(1500,1400,0.2s)
points --tx-rate=0s:100,0.2s:3000,0.3s:500
constant --tx-rate=1500 --arrival=constant
gamma --tx-rate=1500 --arrival=gamma(2)
mmpp --tx-rate=1500 --arrival=mmpp(1,9,100ms,50ms)
trace --arrival-trace=trace
END

nodes 4 events --threads=7 --tx-rate=3000 --time=30 --events=400 --drain=5 empty.lua
nodes 1 alone --threads=7 --tx-rate=3000 --time=30 --events=400 --drain=5 empty.lua
arrivals events.[0-9] >events
check_equal "--events at a rate counts the arrivals of all" 400 "$(wc -l <events)"
check "all stop at the same one" cmp -s events <(arrivals alone.0)

nodes 3 closed --threads=5 --events=100 --time=0 empty.lua
check_equal "--events of a closed loop are divided" 100 "$(arrivals closed.[0-9] | wc -l)"
nodes 3 few --threads=5 --events=2 --time=0 empty.lua
check_equal "fewer events than ranks" 2 "$(arrivals few.[0-9] | wc -l)"

# Worker numbers and random streams are those of the whole run.
cat >draw.lua <<'END'
function thread_init()
   io.write(("worker %d of %d: %d %d\n"):format(sysbench.tid, sysbench.opt.threads, sysbench.rand.uniform(1, 1000000000), sysbench.rand.unique()))
end
function event() end
END
for rank in 0 1; do
    run "$SYSRATE" --node=$rank/2 --threads=5 --events=5 --time=0 --rand-seed=7 draw.lua run
    grep '^worker ' <<<"$out"
done | sort >divided
run "$SYSRATE" --threads=5 --events=5 --time=0 --rand-seed=7 draw.lua run
grep '^worker ' <<<"$out" | sort >whole
check_equal "five workers draw something" 5 "$(wc -l <whole)"
check "a worker draws the same in a rank as in one process" cmp -s whole divided
nodes 2 tid --threads=5 --tx-rate=300 --time=0.5 --drain=5 empty.lua
check_equal "rank 0 logs workers 0 to 2 alone" "" "$(grep -v '^#' tid.0 | cut -d' ' -f4 | sort -u | grep -v '^[012]$')"
check_equal "rank 1 logs workers 3 and 4 alone" "" "$(grep -v '^#' tid.1 | cut -d' ' -f4 | sort -u | grep -v '^[34]$')"

run "$SYSRATE" --node=1/3 --threads=7 --rand-seed=7 --tx-rate=700 --time=0.1 empty.lua run
check_match "the header names the rank" '^Rank: 1 of 3, counted from 0, with 2 of 7 workers$' "$out"
check_match "without --json there is nothing to merge" "^WARNING: --node without --json" "$err"
check_match "and its part of the rate" '^Target transaction rate: 200/sec$' "$out"

# Options that --node requires.
run "$SYSRATE" --node=0/2 --threads=2 --time=0.1 empty.lua run
check_equal "without a seed: exit code" 1 "$status"
check_match "without a seed" '^FATAL: --node needs a seed, the same for all ranks \(--rand-seed\)$' "$err"
run "$SYSRATE" --node=0/3 --threads=2 --rand-seed=1 --time=0.1 empty.lua run
check_equal "fewer workers than ranks: exit code" 1 "$status"
check_match "fewer workers than ranks" \
    '^FATAL: 2 worker\(s\) cannot be divided among 3 ranks, each of which needs one: give more --threads$' "$err"

# Commands: prepare divides tables, other commands run on rank 0 only.
DB="--db-driver=sqlite --sqlite-db=test.db --tables=3 --table-size=100 --threads=5 --rand-seed=1 oltp_read_write"
tables() {
    sqlite3 test.db .tables | tr -s ' \n' ' '
}
# shellcheck disable=SC2086
run "$SYSRATE" --node=1/2 $DB prepare
check_equal "rank 1 of 2 prepares its tables: exit code" 0 "$status"
check_equal "rank 1 of 2 prepares its tables" "sbtest2 " "$(tables)"
# shellcheck disable=SC2086
run "$SYSRATE" --node=0/2 $DB prepare
check_equal "rank 0 of 2 prepares its own: exit code" 0 "$status"
check_equal "rank 0 of 2 prepares its own" "sbtest1 sbtest2 sbtest3 " "$(tables)"
check_equal "with all rows, by whatever thread" "100 5050 100 5050 100 5050" "$(for n in 1 2 3; do
    sqlite3 -separator ' ' test.db "SELECT count(*), sum(id) FROM sbtest$n"
done | xargs)"
# shellcheck disable=SC2086
run "$SYSRATE" --node=1/2 $DB cleanup
check_equal "cleanup is not for rank 1: exit code" 0 "$status"
check_match "cleanup is not for rank 1" "^'cleanup' is executed by rank 0 alone$" "$out"
check_equal "it dropped nothing" "sbtest1 sbtest2 sbtest3 " "$(tables)"
# shellcheck disable=SC2086
run "$SYSRATE" --node=0/2 $DB cleanup
check_equal "rank 0 drops all" "" "$(tables)"
finish
