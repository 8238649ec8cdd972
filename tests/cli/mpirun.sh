#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Started by mpirun: who joins whom, and what is said when that cannot be.
. "$TESTS_DIR/cli/lib.sh"

plugin=$(dirname "$SYSRATE")/sysrate_mpi.so
if ! command -v mpirun >/dev/null || [ ! -e "$plugin" ]; then
    skip "several ranks" "there is no mpirun, or the program was built without Open MPI"
    pass "nothing to do"
    finish
fi
# prterun of Open MPI 5 crashes when programs with different options are started as one job, and ends the others when one is killed.
if mpirun --version | grep -q '(Open MPI) [5-9]'; then
    skip "several ranks" "not written for Open MPI 5 or later"
    pass "nothing to do"
    finish
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1
# Ranks on one machine need no network; more of them than processors may run.
launch="mpirun --oversubscribe --mca btl self,vader"
ranks() {
    local n=$1
    shift
    # shellcheck disable=SC2086  # several words
    run $launch -n "$n" "$@"
}

echo 'function event() end' >empty.lua
# part RANK: the process of that rank of the run that uses part.lua.
part() {
    local pid
    for pid in $(pgrep -f "^$SYSRATE .*$WORK_DIR/part.lua run"); do
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -q "^OMPI_COMM_WORLD_RANK=$1\$"; then
            echo "$pid"
        fi
    done
}
arrivals() {
    sort -n "$@" | grep -v '^#' | cut -d' ' -f1
}

ranks 1 "$SYSRATE" --time=1 --events=3 cpu run
check_equal "one rank is no launcher's business" 0 "$status"
check_equal "and counts its own events" 3 "$(figure 'total number of events')"
check_no_match "and has no ranks" "rank" "$out"

# One run: the schedule of one process, and all figures of all.
schedule=(--threads=7 --tx-rate=1500 --rand-seed=7 --time=0.5 --drain=5 --report-interval=0.1)
run "$SYSRATE" "${schedule[@]}" --request-log=single empty.lua run
for n in 2 4; do
    ranks "$n" "$SYSRATE" "${schedule[@]}" --request-log="log$n" --json=a.json empty.lua run
    check_equal "$n ranks: exit code" 0 "$status"
    check "$n ranks: the arrivals are those of one" cmp -s <(arrivals single) <(arrivals "log$n".rank*)
    check_equal "$n ranks: as many logs" "$n" "$(echo "log$n".rank* | wc -w)"
    check_equal "$n ranks: all completed" "$(arrivals single | wc -l)" "$(json_figure .summary.requests.completed)"
    check_equal "$n ranks: intervals add up" "$(arrivals single | wc -l)" \
        "$(json_figure '[.intervals[].completed] | add')"
    check_equal "$n ranks: one line for all" "$(json_figure '.intervals | length')" "$(grep -c '^\[ .*thds:' <<<"$out")"
    # When a request was done, less when it arrived; the columns of the log.
    longest=$(cat "log$n".rank* | awk '!/^#/ && $3 - $1 > max { max = $3 - $1 } END { printf "%.6f", max / 1e6 }')
    check_equal "$n ranks: the maximum is exact" "$longest" "$(json_figure .summary.response_ms.max | xargs printf '%.6f')"
    check_match "$n ranks: how far they began apart" "began within [0-9.]+ ms of each other, which is known to within [0-9.]+ ms" "$out"
    check_equal "$n ranks: in JSON, too" "$n true" "$(json_figure '"\(.ranks | length) \(.alignment | .bound_ms < 50 and .drift_ms < 50)"')"
    check_equal "$n ranks: the seed is everybody's" 7 "$(json_figure .config.rand_seed)"
done
check_equal "no spool is left" "" "$(ls ./*.spool 2>/dev/null)"

# One seed for all where none is given, and events that are divided.
ranks 3 "$SYSRATE" --threads=5 --events=100 --time=0 --json=a.json empty.lua run
check_equal "a closed loop has its events in all" 100 "$(json_figure .summary.requests.completed)"
ranks 2 "$SYSRATE" --threads=4 --tx-rate=1000 --time=0.3 --request-log=seedless empty.lua run
check_equal "arrivals of two ranks are no twice the same" "" "$(arrivals seedless.rank* | uniq -d)"

# What cannot be one run.
ranks 3 "$SYSRATE" --threads=2 --time=1 empty.lua run
check_equal "fewer workers than ranks: said once" 1 "$(grep -c 'FATAL: 2 worker(s) cannot be divided among 3 ranks' <<<"$err")"
# shellcheck disable=SC2086  # several words
run $launch -n 2 "$SYSRATE" --threads=4 --time=1 empty.lua run : -n 1 "$SYSRATE" --threads=4 --time=2 empty.lua run
check_match "another option is named, with the rank" 'FATAL: rank 2 .* something else than rank 0: --time is 2 there, 1 here' "$err"
cp empty.lua other.lua
echo '-- another' >>other.lua
# shellcheck disable=SC2086  # several words
run $launch -n 1 "$SYSRATE" --threads=4 --time=1 empty.lua run : -n 1 "$SYSRATE" --threads=4 --time=1 other.lua run
check_match "another script is, too" 'FATAL: rank 1 .*: the script is of hash' "$err"
ranks 2 "$SYSRATE" --threads=2 --time=1 - run
check_equal "standard input is refused" 1 "$(grep -c 'FATAL: .*standard input reaches one of 2 ranks' <<<"$err")"
cat >fails.lua <<'END'
function thread_init() if os.getenv("OMPI_COMM_WORLD_RANK") == "1" then error("no such server") end end
function event() end
END
ranks 3 "$SYSRATE" --threads=3 --time=1 fails.lua run
check "a rank that cannot begin ends all" test "$status" -ne 0
check_match "and says why" 'FATAL: rank 1: .*no such server' "$err"
check_match "and is named" 'FATAL: rank 1 \(.*\) has ended before the run began' "$err"

# A rank is killed, and the launcher is interrupted: what was measured is reported.
echo 'function event() end' >part.lua
# shellcheck disable=SC2086  # several words
during() {
    local act=$1 pid
    shift
    rm -f part.out
    timeout 60 $launch -n 3 "$SYSRATE" --threads=3 --tx-rate=500 --time=30 --report-interval=0.2 "$@" "$WORK_DIR/part.lua" run \
        >part.out 2>part.err &
    pid=$!
    # shellcheck disable=SC2016  # for wait_for
    wait_for 30 grep -qs '^\[ 0.6s' part.out
    eval "$act"
    wait "$pid"
    status=$?
    out=$(cat part.out)
    err=$(cat part.err)
}
began=$SECONDS
during 'kill -KILL "$(part 1)"' --json=a.json
check "a killed rank: within ten seconds" test $((SECONDS - began)) -lt 15
check "it is an error" test "$status" -ne 0
check_match "the rank is named" 'ALERT: rank 1 \(.*\) was lost .* What it had reported until .* counts' "$err"
check_match "the run is cut short" 'CUT-SHORT:? +the report of rank 1 ' "$out"
check_equal "requests add up" true "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
check_match "ranks that live have all of theirs" '^[0-9]{2,}$' "$(json_figure .summary.requests.completed)"

# timeout passes the signal on, to mpirun as to its processes.
during 'kill -INT "$(pgrep -P $pid mpirun)"' --json=a.json
check_equal "interrupted: all ranks report" signal "$(json_figure .summary.end)"
check_no_match "nobody is lost" 'was lost' "$err"
check_equal "intervals add up" "$(json_figure '[.intervals[].completed] | add')" "$(json_figure .summary.requests.completed)"

during 'kill -KILL "$(part 0)"' --json=lost.json
check_equal "rank 0 is killed: the others leave what they have" 2 "$(find . -name 'lost.json.rank*.spool' -size +1k | wc -l)"
run "$SYSRATE" merge lost.json.rank*.spool --json=a.json
check_equal "merge puts it together" "1 2" "$(json_figure '.ranks | map(.rank) | join(" ")')"
check_match "and says who is missing" 'CUT-SHORT:? +of 3 ranks 2 are there' "$out"

# Commands.
tables=(--db-driver=sqlite --sqlite-db=t.db --threads=3 --tables=4 --table-size=100)
ranks 3 "$SYSRATE" "${tables[@]}" oltp_read_write prepare
check_equal "prepare is divided" "0 100 100" "$status $(sqlite3 t.db 'SELECT count(*) FROM sbtest1') $(sqlite3 t.db 'SELECT count(*) FROM sbtest4')"
check_equal "each table is made once" 4 "$(grep -c '^Creating table' <<<"$out")"
ranks 3 "$SYSRATE" "${tables[@]}" oltp_read_write cleanup
check_equal "cleanup is rank 0's alone" 4 "$(grep -c '^Dropping table' <<<"$out")"
run "$SYSRATE" sweep --vary=threads=2,3 --out=sweep --launcher="$launch --bind-to none -n 2" -- --time=0.2 --tx-rate=100 "$WORK_DIR/empty.lua"
check_equal "sweep: each run is one of several ranks" "2 2" "$(jq '.ranks | length' sweep/*.json | xargs)"
run "$SYSRATE" sweep --vary=threads=2,3 --out=sweep2 --launcher='no-such-launcher -n 2' -- cpu
check_match "a launcher that is not there" "FATAL: invalid value for --launcher: .*a program in PATH" "$err"
run "$SYSRATE" capacity --slo='p99<1s' --out=c --launcher="$launch" -- --mysql-password=x cpu
check_match "passwords do not reach all ranks" 'FATAL: with --launcher, passwords must come from a file' "$err"
ranks 2 "$SYSRATE" selftest --quick
check_equal "and of a tool, too" 1 "$(grep -c 'FATAL: a launcher .*processes of sysrate selftest' <<<"$err")"
run "$SYSRATE" --version
check_match "--version names the plug-in" '^Plug-in for Open MPI: .*/sysrate_mpi.so$' "$out"

# Without the plug-in.
cp "$SYSRATE" alone
ranks 2 ./alone --time=1 cpu run
check "a missing plug-in is an error" test "$status" -ne 0
check_equal "said once" 1 "$(grep -c 'FATAL: .*plug-in sysrate_mpi.so .* is missing' <<<"$err")"
check_match "with what to install" 'install the Debian package sysrate-mpi' "$err"
echo 'no library' >sysrate_mpi.so
ranks 2 ./alone --time=1 cpu run
check_match "a broken one is named" 'FATAL: .*sysrate_mpi.so .*cannot be used: ' "$err"
rm sysrate_mpi.so
ranks 1 ./alone --time=1 --events=3 cpu run
check_equal "one rank does not need it" 0 "$status"
run env SLURM_PROCID=0 SLURM_NTASKS=4 ./alone --time=1 --events=3 cpu run
check_equal "a batch script of Slurm is no launcher" 0 "$status"

# A launcher that Open MPI does not understand.
run env PMI_RANK=0 PMI_SIZE=4 "$SYSRATE" --time=1 cpu run
check_equal "a launcher of another kind is refused" 1 "$status"
check_match "with what it sees" 'started 4 processes \(PMI_RANK is set\), but Open MPI sees 1' "$err"
check_match "and what to do" "mpirun .*or with srun --mpi=pmix" "$err"

finish
