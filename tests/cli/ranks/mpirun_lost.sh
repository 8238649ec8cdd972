#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ranks that are stopped, killed or late at the start, and a launcher that ends: which ranks are
# reported as lost, and which figures are included. The cases run at the same time, because they
# mostly wait.
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"
. "$TESTS_DIR/cli/ranks/exact_lib.sh"

recovery=

# begin NAME OPTION...: starts a run of three ranks in its own folder, with its own script.
begin() {
    local name=$1
    shift
    mkdir "$name"
    [ -e "$name.lua" ] || echo 'function event() end' >"$name.lua"
    # shellcheck disable=SC2086  # several words
    timeout --kill-after=5 120 $launch $recovery -n 3 --wdir "$WORK_DIR/$name" "$SYSRATE" --threads=3 --tx-rate=600 --rand-seed=7 \
        --report-interval=0.5 --json=a.json "$@" "$WORK_DIR/$name.lua" run >"$name/out" 2>"$name/err" </dev/null &
}
# Waits until the run has printed a line.
runs() {
    # shellcheck disable=SC2016  # for wait_for
    wait_for 60 grep -qs '^\[ 1s' "$1/out"
}
# act SIGNAL RANK NAME: sends a signal to a rank.
act() {
    kill "-$1" "$(part "$2" "$WORK_DIR/$3.lua")"
}
# look NAME: selects the run that the following checks use.
look() {
    out=$(tr -d '\0' <"$1/out")
    err=$(tr -d '\0' <"$1/err" | settled)
    cp "$1/a.json" a.json
}

# A rank is stopped for five seconds.
pause() {
    begin pause --time=8 --drain=20 --request-log=log
    local pid=$!
    runs pause
    act STOP 1 pause
    sleep 5
    act CONT 1 pause
    wait $pid
    echo $? >pause/status
}
# A rank is stopped for twenty seconds.
silence() {
    begin silence --time=60
    local pid=$! began
    runs silence
    began=$SECONDS
    act STOP 1 silence
    wait_for 60 test -s silence/a.json
    echo $((SECONDS - began)) >silence/took
    sleep $((20 - (SECONDS - began) > 0 ? 20 - (SECONDS - began) : 0))
    act CONT 1 silence 2>/dev/null
    wait $pid
    echo $? >silence/status
}
# both_kept FILE: succeeds when two ranks have written their results.
both_kept() {
    [ "$(grep -acs 'the result of this rank is in' "$1")" -eq 2 ]
}
# Rank 0 is stopped, so no rank can combine the results. Rank 0 continues only after the other ranks
# have ended their part, because its messages would end the wait of the other ranks.
leaderless() {
    begin leaderless --time=60
    local pid=$! began
    runs leaderless
    began=$SECONDS
    act STOP 0 leaderless
    wait_for 60 both_kept leaderless/err
    echo $((SECONDS - began)) >leaderless/took
    act CONT 0 leaderless 2>/dev/null
    wait $pid
    echo $? >leaderless/status
}
# A rank is killed, and the other ranks continue.
go_on() {
    recovery=--enable-recovery
    begin go_on --time=6 --rank-lost=continue
    local pid=$!
    runs go_on
    act KILL 1 go_on
    wait $pid
    echo $? >go_on/status
}
# A rank is stopped for more than ten seconds and continues with a full queue: the other ranks
# continue without it.
back() {
    recovery=--enable-recovery
    begin back --time=24 --rank-lost=continue --queue-size=4500
    local pid=$!
    runs back
    act STOP 1 back
    sleep 12.5
    act CONT 1 back
    wait $pid
    echo $? >back/status
}
# mpirun receives SIGTERM.
terminated() {
    begin terminated --time=60
    local pid=$! began
    runs terminated
    began=$SECONDS
    kill -TERM "$(pgrep -P $pid)"
    wait $pid
    wait_for 30 has_ended "$WORK_DIR/terminated.lua"
    echo $((SECONDS - began)) >terminated/took
}
# mpirun is killed: ranks of Open MPI 5 report their results. Ranks of Open MPI 4 are killed with
# it.
orphaned() {
    begin orphaned --time=60
    local pid=$!
    runs orphaned
    kill -KILL "$(pgrep -P $pid)"
    wait $pid
    wait_for 30 has_ended "$WORK_DIR/orphaned.lua"
}
# Rank 0 stops itself before it measures the clock of rank 1, and then that of rank 2. Rank 2 is
# stopped before that, rank 1 after it. Rank 1 continues when the other ranks have begun.
cat >late.lua <<'END'
function thread_init()
   if os.getenv("OMPI_COMM_WORLD_RANK") == "0" then os.execute("kill -STOP $PPID") end
end
function event() end
END
stopped() {
    local pid
    pid=$(part "$1" "$WORK_DIR/$2.lua")
    [ -n "$pid" ] && grep -q '^State:.T' "/proc/$pid/status"
}
late() {
    begin late --time=4 --report-interval=1 --drain=20
    local pid=$!
    wait_for 60 stopped 0 late
    sleep 1
    act STOP 2 late
    act CONT 0 late
    sleep 2
    act STOP 1 late
    act CONT 2 late
    runs late
    act CONT 1 late
    wait $pid
    echo $? >late/status
}

pause &
silence &
leaderless &
go_on &
back &
wait_for 60 test -s go_on/out
terminated &
[ "${openmpi:-4}" -lt 5 ] || orphaned &
wait
late

look pause
check_equal "a pause: exit code" 0 "$(cat pause/status)"
check_no_match "a pause: nobody is lost" 'was lost' "$err"
run "$SYSRATE" --threads=3 --tx-rate=600 --rand-seed=7 --time=8 --drain=20 --request-log=one.log pause.lua run
look pause
check "a pause: the schedule is that of one process" cmp -s <(arrivals one.log) <(arrivals pause/log.rank?)
check_equal "a pause: all requests are completed" "$(arrivals one.log | wc -l)" "$(json_figure .summary.requests.completed)"
check_equal "a pause: intervals add up" "$(arrivals one.log | wc -l)" "$(json_figure '[.intervals[].completed] | add')"
check_match "a pause: late figures are said to be late" 'figures of 2 of 3 ranks; those of rank 1 \(.*\) are late' "$err"
check_between "a pause: the longest response time (ms)" 4500 "$(json_figure '.ranks[1].response_ms.max')" 60000
check_match "a pause: the verdict names the rank" 'CLIENT-LIMITED: .*rank 1' "$out"

look silence
check "silence: an error" test "$(cat silence/status)" -ne 0
check_between "silence: it takes ten seconds to be lost, and not ten more to report it" 9 "$(cat silence/took)" 20
check_match "silence: the rank is named" 'rank 1 \(.*\) was lost .*: no message arrived for 10 s' "$err"
check_equal "silence: the end is an error" error "$(json_figure .summary.end)"
check_match "silence: the run is cut short" 'CUT-SHORT:? +the report of rank 1 ' "$out"
check_equal "silence: what the others measured is there" "0 2" \
    "$(json_figure '[.ranks[] | select(.requests.completed > 1000) | .rank | tostring] | join(" ")')"
check_equal "silence: requests add up" true \
    "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"

err=$(tr -d '\0' <leaderless/err)
check "rank 0 stands still: an error" test "$(cat leaderless/status)" -ne 0
check_between "rank 0 stands still: the others wait for ten seconds, and not ten more" 9 "$(cat leaderless/took)" 20
check_match "rank 0 stands still: rank 1 says so" 'rank 1: no message from rank 0 for 10 s' "$err"
check_match "rank 0 stands still: rank 2 says so" 'rank 2: no message from rank 0 for 10 s' "$err"
run "$SYSRATE" merge --json=a.json leaderless/a.json.rank[12].spool
check_match "rank 0 stands still: merge makes a report of what the others had" 'CUT-SHORT:? +only 2 of 3 ranks .* rank\(s\) 0 ' "$out"
check_between "rank 0 stands still: of ten seconds and more" 10 "$(json_figure .summary.elapsed_s)" 60

look go_on
# With --enable-recovery, mpirun of Open MPI 4 always returns 0.
check_equal "going on: an error" 1 "$(json_figure .summary.exit_code)"
check_match "going on: the rank is named" 'rank 1 \(.*\) was lost' "$err"
check_no_match "going on: mpirun was told" 'unless it is given --enable-recovery' "$err"
check_between "going on: the others have run to the end" 5.9 "$(json_figure .summary.elapsed_s)" 30
check_equal "going on: at their own rates" true "$(json_figure '.ranks | .[0].requests.offered > 1000 and .[2].requests.offered > 1000 and
    .[0].requests.offered < 1500')"
check_match "going on: the run is cut short" 'CUT-SHORT:? +the report of rank 1 ' "$out"

look back
check_match "back again: the rank is named" 'rank 1 \(.*\) was lost' "$err"
check_match "back again: it ends" 'FATAL: rank 1: rank 0 has declared this rank lost' "$err"
check_match "back again: and keeps what it has" 'ALERT: rank 1: the result of this rank is in a.json.rank1.spool' "$err"
check "back again: in a file" test -s back/a.json.rank1.spool
check_equal "back again: it is an error" 1 "$(json_figure .summary.exit_code)"
check_between "back again: all of it" 23.9 "$(json_figure .summary.elapsed_s)" 30

look terminated
check_between "SIGTERM at mpirun: the report is there within ten seconds" 0 "$(cat terminated/took)" 10
check_equal "SIGTERM at mpirun: all ranks report" "signal 3" "$(json_figure '"\(.summary.end) \([.ranks[] | select(.partial | not)] | length)"')"
check_no_match "SIGTERM at mpirun: nobody is lost" 'was lost' "$err"
check_equal "SIGTERM at mpirun: intervals add up" "$(json_figure '[.intervals[].completed] | add')" \
    "$(json_figure .summary.requests.completed)"
check_match "SIGTERM at mpirun: the text has the report" 'ended by a signal after' "$out"

if [ "${openmpi:-4}" -ge 5 ]; then
    look orphaned
    check_equal "mpirun is killed: all ranks report" "signal 3" "$(json_figure '"\(.summary.end) \([.ranks[] | select(.partial | not)] | length)"')"
    check_match "mpirun is killed: the text has the report" 'ended by a signal after' "$out"
fi

look late
check_equal "a late rank: exit code" 0 "$(cat late/status)"
check_match "a late rank is named" 'WARNING: rank 1 \(.*\) began [0-9.]+ ms after the common start' "$err"
check_match "a late rank: the run is not aligned" '^ *NOT-ALIGNED: ' "$out"
check_equal "a late rank: not valid" false "$(json_figure .summary.audit.verdict.valid)"
finish
