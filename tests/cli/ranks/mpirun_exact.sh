#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The combined results of ranks started by mpirun are exact: their arrivals are the schedule of one
# process, figures are those of all requests, and sysrate merge makes the same report from the
# spools of the ranks.
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"
. "$TESTS_DIR/cli/ranks/exact_lib.sh"

seq 1 900 | awk '{ t += ($1 * 7919 % 13) / 10000; printf "%.6f\n", t }' >trace
LOAD="--db-driver=null --null-service=2ms:exp --threads=7 --rand-seed=7 --time=0.4 --drain=20 --percentile=50,95,99,99.9 --report-interval=0.1"

# Spools are removed when a run has ended well. Here they are symbolic links: the links are removed,
# and their targets stay.
keep_spools() {
    local rank
    for ((rank = 0; rank < $2; rank++)); do
        ln -s "$1.$rank.kept" "$1.json.rank$rank.spool"
    done
}
# Removes what only one of the two reports can have: parts of a merged run have no intervals, only
# the run itself knows the clocks, and the batches of a merged run are its intervals, which are too few here.
known_to_both() {
    jq -S 'del(.intervals, .summary.precision, .alignment, .ranks[]?.started_at)' "$1"
}

# measure N NAME OPTION...: runs N ranks, with files called NAME.
measure() {
    local n=$1 name=$2
    shift 2
    keep_spools "$name" "$n"
    # shellcheck disable=SC2086  # several options
    timeout --kill-after=5 120 $launch -n "$n" "$SYSRATE" $LOAD --json="$name.json" --request-log="$name.log" "$@" \
        oltp_point_select run >"$name.out" 2>"$name.err" </dev/null
    echo $? >"$name.status"
}
# Runs 1, 2, 4 and 7 ranks at the same time.
measure_all() {
    local n pids=()
    for n in 1 2 4 7; do
        rm -f "${name}_$n".*
        # shellcheck disable=SC2086
        measure $n "${name}_$n" $options &
        pids+=($!)
    done
    wait "${pids[@]}"
}
# check_run N NAME: compares with the arrivals of one process in the file "one".
check_run() {
    local n=$1 name=$2
    check_equal "$name: exit code" 0 "$(cat "$name.status")"
    check_equal "$name: no message" "" "$(settled "$name.err")"
    check "$name: the schedule is that of one" cmp -s one <(arrivals "$name".log*)
    check_equal "$name: intervals add up" "$(wc -l <one)" "$(jq '[.intervals[].completed] | add' "$name.json")"
    check_exact "$name" "$name.json" "$name".log*
    [ "$n" -gt 1 ] || return
    check_equal "$name: no spool is left" "" "$(find . -name "$name.json.*")"
    run "$SYSRATE" merge --json="$name.merged" "$name".?.kept
    check_equal "$name: merging: exit code" 0 "$status"
    check_equal "$name: merge makes the same report of the spools" "" \
        "$(diff <(known_to_both "$name.json") <(known_to_both "$name.merged") | head -n 20)"
}

while read -r name options; do
    # shellcheck disable=SC2086  # several options
    run "$SYSRATE" $LOAD --request-log=one.log $options oltp_point_select run </dev/null
    arrivals one.log >one
    check "$name: there are arrivals" test "$(wc -l <one)" -gt 100
    steadily measure_all
    for n in 1 2 4 7; do
        check_run $n "${name}_$n"
    done
done <<'END'
poisson --tx-rate=1500
sine --tx-rate=sine(1500,1400,0.2s)
constant --tx-rate=1500 --arrival=constant
trace --arrival-trace=trace
END
finish
