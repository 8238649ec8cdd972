#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every output of a run started by mpirun is about all ranks, and is written once. If one rank finds
# a reason to end, all ranks end.
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"
. "$TESTS_DIR/cli/outputs/metrics_lib.sh"

# Hooks record their calls; each rank records its own beginning and end.
lua_tell told >hooks.lua
cat >>hooks.lua <<'END'
function init() tell("init", rank) end
function done() tell("end", rank) end
function event() end
sysbench.hooks.report_intermediate = function(stat) tell("interval", rank, stat.events) end
sysbench.hooks.report_cumulative = function(stat) tell("whole", rank, stat.events) end
END
# told WHAT: prints the rest of the lines that begin with WHAT, sorted.
told() {
    sed -n "s/^$1 //p" told | sort | xargs
}

three_ranks() {
    rm -f told injected
    ranks 3 "$SYSRATE" "$@"
}
steadily three_ranks --threads=4 --tx-rate=600 --rand-seed=7 --time=1.5 --drain=10 --report-interval=0.5 --json=a.json --csv=a.csv --hlog=a.hlog \
    --hgrm=a.hgrm --html=a.html --prom-file=a.prom --slo='p99<60s' --inject="0.5s: sh: echo \$OMPI_COMM_WORLD_RANK >>injected" hooks.lua run
check_equal "exit code" 0 "$status"
completed=$(json_figure .summary.requests.completed) intervals=$(json_figure '.intervals | length')
check "the ranks have completed requests" test "$completed" -gt 500
check_equal "each rank begins" "0 1 2" "$(told init)"
check_equal "and ends" "0 1 2" "$(told end)"
check_equal "hooks are called by rank 0 with the figures of all: intervals" "$(json_figure '[.intervals[].completed | "0 \(.)"] | sort | join(" ")')" \
    "$(told interval)"
check_equal "hooks are called by rank 0 with the figures of all: the end" "0 $completed" "$(told whole)"
check_equal "an injection is rank 0's alone" 0 "$(xargs <injected)"
check_equal "and in JSON, with its mark" "1 done true 1" "$(json_figure '.injections[] | "\(.number) \(.state) \(.before.requests > 0 and .after.requests > 0)"') $(json_figure '.marks | length')"
check_match "in the text, which says whose requests these are" '^Injections \(.* of rank 0 that arrived then\):$' "$out"
check_equal "objectives are judged" "true" "$(json_figure .summary.slo.met)"
check_match "and said once" '^Objectives: met$' "$out"
check_equal "--csv: a row for each interval" "$intervals" "$(($(wc -l <a.csv) - 1))"
check_equal "--hlog: the longest response time" "$(json_figure .summary.response_ms.max | xargs printf '%.6f')" \
    "$(sed -n 's/^Tag=response,[^,]*,[^,]*,\([^,]*\),.*/\1/p' a.hlog | sort -g | tail -n 1)"
check_match "--hgrm: all requests" "Total count +=  *$completed\]" "$(cat a.hgrm)"
check_equal "--prom-file: all requests" "$completed" "$(sed -n 's/^sysrate_requests_completed_total //p' a.prom)"
check "--html: the ranks" grep -q '"ranks":\[' a.html
check_match "how far clocks have moved apart" '^ +Their clocks drifted apart by at most [0-9.]+ ms during the run\.$' "$out"
check_equal "what is known of clocks, in JSON" true "$(json_figure '.alignment | [.apart_ms, .bound_ms, .drift_ms, .ends_apart_ms] | all(. >= 0)')"

# Four workers of two ranks are busy all the time with events of 1.9 s, which end in every other interval. The bounds leave room
# for ticks that are 250 ms late.
cat >busy.lua <<'END'
ffi.cdef("int poll(void *, unsigned long, int)")
function event() ffi.C.poll(nil, 0, 1900) end
END
steadily ranks 2 "$SYSRATE" --threads=4 --tx-rate=1000 --rand-seed=7 --time=3.5 --report-interval=1 --json=busy.json busy.lua run
check_equal "workers are busy in each interval, whether events end in it or not" true \
    "$(jq '[.intervals[:3][].busy_mean] | length == 3 and all(. > 3 and . < 5)' busy.json)"

# Metrics while it runs: those of all ranks, told each second, without lines.
rates() { fetch /metrics | sed -n 's/^sysrate_requests_completed_total //p'; }
more_than_one_has() { [ "$(rates)" -gt 300 ]; } 2>/dev/null
# shellcheck disable=SC2086  # several words
timeout 60 $launch -n 3 "$SYSRATE" --threads=3 --tx-rate=300 --rand-seed=7 --time=40 --prom=0 hooks.lua run >run.out 2>run.err </dev/null &
launcher=$!
wait_for 30 grep -qs '^Metrics: ' run.out
address=$(sed -n 's/^Metrics: //p' run.out)
check "--prom: the requests of all ranks" wait_for 30 more_than_one_has
check_equal "--prom: one of them serves" 1 "$(grep -c '^Metrics: ' run.out)"
kill -INT "$(pgrep -P $launcher)"
wait $launcher
wait_for 30 has_ended hooks.lua

# An end that follows from the figures of all ranks, and an end that one rank finds.
slow=(--db-driver=null --rand-seed=7 --threads=4 --time=30 --json=a.json)
ranks 3 "$SYSRATE" "${slow[@]}" --null-service=20ms --tx-rate=150 --slo='p99<1ms' --slo-abort=1 oltp_point_select run
check_equal "--slo-abort: exit code, end" "3 slo" "$(json_figure '"\(.summary.exit_code) \(.summary.end)"')"
check_equal "--slo-abort: said once" 1 "$(grep -c 'WARNING: the run ends early: it misses its objectives' <<<"$err")"
check_between "--slo-abort: long before the end" 0 "$(json_figure .summary.elapsed_s)" 20
check_match "--slo-abort: how far apart the ranks ended" '^ +Arrivals ended within [0-9.]+ ms of each other\.$' "$out"
check_match "waits are named beneath the verdict" \
    '^ +each rank has a queue of its own: of a mean response time of >?[0-9.]+ ms, >?[0-9.]+ ms are waits, which one$' "$(sed -n '/^Result/,$p' <<<"$out")"
ranks 3 "$SYSRATE" "${slow[@]}" --null-service=50ms --tx-rate=1000 --queue-size=10 oltp_point_select run
check_equal "a full queue: exit code, end, of all" "1 queue_full 3" \
    "$(json_figure '"\(.summary.exit_code) \(.summary.end) \([.ranks[] | select(.end == "queue_full" and (.partial | not))] | length)"')"
check_match "a full queue: is said" 'FATAL: .*The event queue is full' "$err"
check_match "a full queue: the verdict names the rank" 'rank [0-9] \(.*\): ' \
    "$(json_figure '.summary.audit.verdict.findings[] | select(.name == "OVERLOADED") | .figure')"
check_equal "a full queue: requests add up" true "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"

# A warning if a required option of the launcher is missing.
if [ "${openmpi:-4}" -lt 5 ]; then
    ranks 2 "$SYSRATE" --threads=2 --tx-rate=100 --time=0.2 --rank-lost=continue hooks.lua run
    check_equal "--rank-lost=continue without --enable-recovery is told, once" 1 \
        "$(grep -c 'WARNING: --rank-lost=continue: .*unless it is given --enable-recovery' <<<"$err")"
fi
if [ "$(nproc)" -gt 1 ]; then
    launch=${launch/--bind-to none/--bind-to core}
    ranks 2 "$SYSRATE" --threads=2 --tx-rate=100 --time=0.2 hooks.lua run
    check_equal "ranks that are bound are told, once" 1 \
        "$(grep -c 'WARNING: the launcher has bound rank 0 (.*) to 1 of .*--bind-to none' <<<"$err")"
fi
finish
