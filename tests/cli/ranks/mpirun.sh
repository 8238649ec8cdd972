#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs started by mpirun: which processes join, and the messages if they cannot.
. "$TESTS_DIR/cli/lib.sh"

. "$TESTS_DIR/cli/ranks/mpirun_lib.sh"

echo 'function event() end' >empty.lua
# unlike RANK FROM TO COMMAND...: runs the command; on rank RANK, with FROM replaced by TO.
cat >unlike <<'END'
#!/bin/bash
rank=$1 from=$2 to=$3
shift 3
[ "$OMPI_COMM_WORLD_RANK" = "$rank" ] && exec "${@/#$from/$to}"
exec "$@"
END
chmod +x unlike
arrivals() {
    sort -n "$@" | grep -v '^#' | cut -d' ' -f1
}

ranks 1 "$SYSRATE" --time=1 --events=3 cpu run
check_equal "a single rank runs without the launcher" 0 "$status"
check_equal "a single rank counts its own events" 3 "$(figure 'total number of events')"
check_no_match "and has no ranks" "rank" "$out"

# One run: the schedule is that of one process, and the report has the figures of all ranks.
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
    # Completion minus arrival, from the columns of the log.
    longest=$(cat "log$n".rank* | awk '!/^#/ && $3 - $1 > max { max = $3 - $1 } END { printf "%.6f", max / 1e6 }')
    check_equal "$n ranks: the maximum is exact" "$longest" "$(json_figure .summary.response_ms.max | xargs printf '%.6f')"
    check_match "$n ranks: the start skew is printed" "began within [0-9.]+ ms of each other, which is known to within [0-9.]+ ms" "$out"
    check_equal "$n ranks: the start skew is in JSON" "$n true" "$(json_figure '"\(.ranks | length) \(.alignment | .bound_ms < 50 and .drift_ms < 50)"')"
    check_equal "$n ranks: all have the same seed" 7 "$(json_figure .config.rand_seed)"
done
check_equal "no spool is left" "" "$(ls ./*.spool 2>/dev/null)"

# If no seed is given, all ranks use the same one. --events is divided.
ranks 3 "$SYSRATE" --threads=5 --events=100 --time=0 --json=a.json empty.lua run
check_equal "a closed loop divides its events" 100 "$(json_figure .summary.requests.completed)"
ranks 2 "$SYSRATE" --threads=4 --tx-rate=1000 --time=0.3 --request-log=seedless empty.lua run
check_equal "two ranks have different arrivals" "" "$(arrivals seedless.rank* | uniq -d)"

# Errors: processes that cannot make one run together.
try_until 'grep -q FATAL <<<"$err"' ranks 64 "$SYSRATE" --threads=64 --tx-rate=100 --drain=abc empty.lua run
check_equal "an invalid option: mpirun ends" 1 "$status"
check_equal "an invalid option: said once" 1 "$(grep -c 'FATAL: invalid value for --drain' <<<"$err")"
ranks 3 ./unlike 2 --drain=1 --drain=abc "$SYSRATE" --threads=4 --drain=1 empty.lua run
check_equal "an invalid option of one rank: it says so" 1 "$(grep -c "FATAL: invalid value for --drain: 'abc'" <<<"$err")"
ranks 3 "$SYSRATE" --threads=2 --time=1 empty.lua run
check_equal "fewer workers than ranks: said once" 1 "$(grep -c 'FATAL: 2 worker(s) cannot be divided among 3 ranks' <<<"$err")"
ranks 3 ./unlike 2 --time=1 --time=2 "$SYSRATE" --threads=4 --time=1 empty.lua run
check_match "another option is named, with the rank" 'FATAL: rank 2 .*: --time is 2 there, 1 here' "$err"
cp empty.lua other.lua
echo '-- another' >>other.lua
ranks 2 ./unlike 1 empty.lua other.lua "$SYSRATE" --threads=4 --time=1 empty.lua run
check_match "another script is named, with the rank" 'FATAL: rank 1 .*: the script is of hash' "$err"
# A program of another version: a copy in which the version number is replaced.
version=$("$SYSRATE" --version | sed -nE '1s/^[^ ]+ ([^ ]+).*/\1/p')
mkdir old
cp "$(dirname "$SYSRATE")/sysrate_mpi.so" old/
VERSION=$version perl -0777 -pe 'my $v = $ENV{VERSION}; (my $o = $v) =~ s/.$/x/; s/(?<![ -~])\Q$v\E\0/$o\0/g' "$SYSRATE" >old/sysrate
chmod +x old/sysrate
ranks 2 ./unlike 1 "$SYSRATE" old/sysrate "$SYSRATE" --threads=4 --time=1 empty.lua run
check_match "another version is named, with the rank" "FATAL: rank 1 .*: the version is ${version%?}x there, $version here" "$err"
ranks 2 "$SYSRATE" --threads=2 --time=1 - run
check_equal "standard input is refused" 1 "$(grep -c 'FATAL: .*standard input reaches one of 2 ranks' <<<"$err")"
cat >fails.lua <<'END'
function thread_init() if os.getenv("OMPI_COMM_WORLD_RANK") == "1" then error("no such server") end end
function event() end
END
ranks 3 "$SYSRATE" --threads=3 --time=1 fails.lua run
check "a rank that cannot begin ends all" test "$status" -ne 0
check_match "a rank that fails: its message is logged" 'FATAL: rank 1: .*no such server' "$err"
check_match "a rank that fails: it is named" 'FATAL: rank 1 \(.*\) has ended before the run began' "$err"

# The rate begins at 100/s and grows by 50/s per second: an error of one rank ends all ranks before
# 2 s.
echo 'local n = 0 function event() n = n + 1 if n > 90 then error("no luck", 0) end end' >stops.lua
ranks 2 "$SYSRATE" --tx-rate=0s:100,60s:3100 --arrival=constant --threads=2 --time=60 --json=a.json stops.lua run
check_between "a rate that changes, ended early: its mean until then" 118 "$(sed -nE 's|^ *asked ([0-9.]+)/s \(mean\).*|\1|p' <<<"$out")" \
    "$(json_figure '100.1 + 25 * .summary.elapsed_s')"

# A rank is killed, or the launcher is interrupted: the results are reported.
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
    wait_for 30 has_ended "$WORK_DIR/part.lua"
    out=$(tr -d '\0' <part.out)
    err=$(tr -d '\0' <part.err)
}
began=$SECONDS
during 'kill -KILL "$(part 1 "$WORK_DIR/part.lua")"' --json=a.json
check "a killed rank: the run ends early" test $((SECONDS - began)) -lt 25
check "it is an error" test "$status" -ne 0
check_match "the rank is named" 'ALERT: rank 1 \(.*\) was lost .* Its figures until .* are included' "$err"
check_match "the run is cut short" 'CUT-SHORT:? +the report of rank 1 ' "$out"
check_equal "requests add up" true "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
check_match "ranks that were not killed have all requests" '^[0-9]{2,}$' "$(json_figure .summary.requests.completed)"

# interrupted WHAT: checks the report.
interrupted() {
    check_equal "$1: all ranks report" "signal 3" "$(json_figure '"\(.summary.end) \([.ranks[] | select(.partial | not)] | length)"')"
    check_no_match "$1: nobody is lost" 'was lost' "$err"
    check_equal "$1: intervals add up" "$(json_figure '[.intervals[].completed] | add')" "$(json_figure .summary.requests.completed)"
    check_equal "$1: the text has the report" 1 "$(grep -c '^ *ended by a signal after' <<<"$out")"
    local intervals
    intervals=$(json_figure '.intervals | length')
    # mpirun of Open MPI 5 may not have read a line that was written just before mpirun was ended.
    check_between "$1: with a line for each interval" $((intervals - (openmpi >= 5))) "$(grep -c '^\[ .*thds:' <<<"$out")" "$intervals"
    check_match "$1: as the last of it" '^ *response ms ' "$(tail -n 1 <<<"$out")"
}
during 'kill -INT "$(part 0 "$WORK_DIR/part.lua")"' --json=a.json
interrupted "rank 0 is interrupted"
check_equal "rank 0 is interrupted: no spool is left" "" "$(ls ./a.json.*spool 2>/dev/null)"
during 'kill -INT "$(pgrep -P $pid)"' --json=a.json --html=a.html --csv=a.csv
interrupted "mpirun is interrupted"
check_match "mpirun is interrupted: there is a page" '</html>' "$(tail -n 1 a.html)"
check_equal "mpirun is interrupted: there is a table" "$(json_figure '.intervals | length')" "$(($(wc -l <a.csv) - 1))"

during 'kill -KILL "$(part 0 "$WORK_DIR/part.lua")"' --json=lost.json
check_equal "rank 0 is killed: the others leave what they have" 2 "$(find . -name 'lost.json.rank*.spool' -size +1k | wc -l)"
run "$SYSRATE" merge lost.json.rank*.spool --json=a.json
check_equal "rank 0 is killed: merge combines the spools" "1 2" "$(json_figure '.ranks | map(.rank) | join(" ")')"
check_match "rank 0 is killed: merge names the missing rank" 'CUT-SHORT:? +only 2 of 3 ranks' "$out"

# Commands.
tables=(--db-driver=sqlite --sqlite-db=t.db --threads=3 --tables=4 --table-size=100)
ranks 3 "$SYSRATE" "${tables[@]}" oltp_read_write prepare
check_equal "prepare is divided" "0 100 100" "$status $(sqlite3 t.db 'SELECT count(*) FROM sbtest1') $(sqlite3 t.db 'SELECT count(*) FROM sbtest4')"
check_equal "each table is made once" 4 "$(grep -c '^Creating table' <<<"$out")"
# One large table has the same rows as from one process, and each rank has written a part of it.
large=(--db-driver=sqlite --threads=5 --tables=1 --table-size=3000 --rand-seed=7)
run "$SYSRATE" "${large[@]}" --sqlite-db=alone.db oltp_read_write prepare
ranks 3 "$SYSRATE" "${large[@]}" --sqlite-db=shared.db oltp_read_write prepare
check_equal "one table is prepared by all" "0 3000" "$status $(sqlite3 shared.db 'SELECT count(*) FROM sbtest1')"
check "with the rows of one process" cmp -s <(sqlite3 alone.db 'SELECT * FROM sbtest1 ORDER BY id') \
    <(sqlite3 shared.db 'SELECT * FROM sbtest1 ORDER BY id')
check_equal "one table is prepared by all: its index" 1 "$(sqlite3 shared.db "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'k_1'")"
lua_tell parts >parts.lua
cat >>parts.lua <<'END'
local tables = require("table_schema")
sysbench.cmdline.options = {fails = {"a rank", -1}, alone = {"its first thread fails, and the other comes later", false}}
sysbench.cmdline.commands = {prepare = {function()
   if rank == "2" then os.execute("sleep 0.5") end
   if rank == tostring(sysbench.opt.fails) then
      if sysbench.tid == 0 or not sysbench.opt.alone then error("no such table") end
      os.execute("sleep 0.5")
   end
   tell("before", rank, tables.progress.claim())
   if not tables.progress.barrier() then return end
   tell("after", rank, tables.progress.claim())
end, sysbench.cmdline.PARALLEL_COMMAND}}
END
ranks 3 "$SYSRATE" --threads=4 parts.lua prepare
check_equal "a barrier is one of all ranks: exit code" 0 "$status"
check_equal "a barrier is one of all ranks" "before before before before after after after after" "$(cut -d' ' -f1 parts | xargs)"
check_equal "each rank has done a part" "0 0 1 2" "$(sed -n 's/before \([0-9]\).*/\1/p' parts | sort | xargs)"
check_equal "no number is claimed twice" "" "$(sed -n 's/^before .* //p' parts | sort | uniq -d)"
for fails in 0 1 "0 --alone"; do
    rm -f parts
    # shellcheck disable=SC2086  # two options
    ranks 3 "$SYSRATE" --threads=4 --fails=$fails parts.lua prepare
    check "rank $fails fails: an error" test "$status" -ne 0 -a "$status" -ne 124
    check_no_match "rank $fails fails: nobody goes on" after "$(cat parts)"
done
# If rank 0 has less to do, the other ranks use barriers without it.
cat >uneven.lua <<'END'
local tables = require("table_schema")
sysbench.cmdline.commands = {prepare = {function()
   if os.getenv("OMPI_COMM_WORLD_RANK") == "0" then return end
   io.write(tables.progress.barrier() and tables.progress.barrier() and "went on\n" or "was stopped\n")
end, sysbench.cmdline.PARALLEL_COMMAND}}
END
ranks 3 "$SYSRATE" --threads=3 uneven.lua prepare
check_equal "rank 0 is done first: the others go on" "0 2" "$status $(grep -c '^went on$' <<<"$out")"
cat >serial.lua <<'END'
function prepare() io.write("made by " .. os.getenv("OMPI_COMM_WORLD_RANK") .. "\n") end
function event() end
END
ranks 3 "$SYSRATE" --threads=3 serial.lua prepare
check_equal "a prepare that is not parallel is rank 0's alone" "made by 0" "$(grep '^made' <<<"$out")"
ranks 3 "$SYSRATE" "${tables[@]}" oltp_read_write cleanup
check_equal "cleanup is rank 0's alone" 4 "$(grep -c '^Dropping table' <<<"$out")"
run "$SYSRATE" sweep --vary=threads=2,3 --out=sweep --launcher="$launch -n 2" -- --time=0.2 --tx-rate=100 "$WORK_DIR/empty.lua"
check_equal "sweep: each run is one of several ranks" "2 2" "$(jq '.ranks | length' sweep/*.json | xargs)"
run "$SYSRATE" sweep --vary=threads=2,3 --out=sweep2 --launcher='no-such-launcher -n 2' -- cpu
check_match "a missing launcher is an error" "FATAL: invalid value for --launcher: .*a program in PATH" "$err"
run "$SYSRATE" capacity --slo='p99<1s' --out=c --launcher="$launch" -- --mysql-password=x cpu
check_match "passwords do not reach all ranks" 'FATAL: with --launcher, passwords must be in a file' "$err"
# Open MPI 5 may lose output of a process that ends immediately.
try_until 'grep -q FATAL <<<"$err"' ranks 2 "$SYSRATE" selftest --quick
check_equal "a tool is not run by several processes" 1 "$(grep -c 'FATAL: a launcher .*processes of sysrate selftest' <<<"$err")"
run "$SYSRATE" --version
check_match "--version names the plug-in" '^Plug-in for Open MPI: .*/sysrate_mpi.so$' "$out"

# Without the plug-in.
cp "$SYSRATE" alone
try_until 'grep -q FATAL <<<"$err"' ranks 2 ./alone --time=1 cpu run
check "a missing plug-in is an error" test "$status" -ne 0
check_equal "a missing plug-in: one message" 1 "$(grep -c 'FATAL: .*plug-in sysrate_mpi.so .* is missing' <<<"$err")"
check_match "a missing plug-in: the message names the package" 'install the Debian package sysrate-mpi' "$err"
echo 'no library' >sysrate_mpi.so
try_until 'grep -q FATAL <<<"$err"' ranks 2 ./alone --time=1 cpu run
check_match "a broken plug-in is named" 'FATAL: .*sysrate_mpi.so .*cannot be used: ' "$err"
rm sysrate_mpi.so
# A process with a keeper forks before the plug-in is opened, because libraries may start threads
# when they are loaded. Here the plug-in is a FIFO, so that opening it blocks.
mkfifo sysrate_mpi.so
PRTE_LAUNCHED=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 timeout 60 ./alone --time=1 cpu run >/dev/null 2>keeper.err </dev/null &
divided=$!
divided_in_two() {
    pgrep -P "$(pgrep -P $divided)" >/dev/null
}
check "a process is divided before it has threads" wait_for 10 divided_in_two
echo 'no library' >sysrate_mpi.so
wait $divided
check_equal "the keeper has the exit status of the rank" 1 $?
check_match "the message of the rank is logged" 'FATAL: .*sysrate_mpi.so .*cannot be used: ' "$(cat keeper.err)"
rm sysrate_mpi.so
ranks 1 ./alone --time=1 --events=3 cpu run
check_equal "one rank does not need the plug-in" 0 "$status"
run env SLURM_PROCID=0 SLURM_NTASKS=4 ./alone --time=1 --events=3 cpu run
check_equal "a batch script of Slurm is no launcher" 0 "$status"
for task in 0 1; do
    run env SLURM_PROCID=$task SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 ./alone --time=1 --events=3 cpu run
    check_equal "task $task of srun without PMIx is no run of its own" 1 "$status"
    check_equal "srun without PMIx: one message" $((1 - task)) "$(grep -c 'FATAL: srun has started 4 processes .*srun --mpi=pmix' <<<"$err")"
done
run env SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2 ./alone --node=1/2 --threads=2 --rand-seed=7 --events=3 --time=0 \
    --json=task.json cpu run
check_equal "srun without PMIx: --node is accepted" 0 "$status"

# A launcher that Open MPI does not support.
run env PMI_RANK=0 PMI_SIZE=4 "$SYSRATE" --time=1 cpu run
check_equal "a launcher of another kind is refused" 1 "$status"
check_match "another launcher: the message has both numbers of ranks" 'started 4 processes \(PMI_RANK is set\), but Open MPI sees 1' "$err"
check_match "another launcher: the message has advice" "mpirun .*or with srun --mpi=pmix" "$err"

finish
