# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate sweep: combinations, order, table, page; continuing after kill -9, Ctrl-C and failures; errors.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
# A temporary folder for files that a killed run leaves.
export TMPDIR=$WORK_DIR

# Each run adds a line to the file "runs" and, if it completes, to "ends". The run with --time=1000 lasts while the file
# "block" exists.
cat >point.lua <<'EOF'
sysbench.cmdline.options = {flavour = {"a text", "sweet"}, fail_at = {"number of threads that fails", 0}}

local function note(file, text)
   local out = io.open(file, "a")
   out:write(text, "\n")
   out:close()
end

local function describe() return sysbench.opt.threads .. ":" .. sysbench.opt.time end

function init()
   note("runs", describe())
   note("users", tostring(sysbench.opt.mysql_user) .. "/" .. tostring(sysbench.opt.mysql_password))
   note("cmdlines", (io.open("/proc/self/cmdline"):read("*a"):gsub("%z", " ")))
   note("pids", io.open("/proc/self/stat"):read("*n"))
end

function thread_init()
   if sysbench.opt.flavour == "deadly" then
      ffi.cdef("int raise(int)")
      ffi.C.raise(9)
   end
   assert(sysbench.opt.threads ~= sysbench.opt.fail_at, "no such luck")
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("SELECT 1")
   if sysbench.opt.time == 1000 then return io.open("block") == nil end
end

function done() note("ends", describe()) end

function prepare()
   assert(sysbench.opt.flavour ~= "bitter", "nobody likes that")
   note("steps", "prepare:" .. sysbench.opt.time)
   -- In the way of the report.
   if sysbench.opt.flavour == "dull" then os.execute("mkdir dir/001-flavour=dull.json") end
end

function cleanup()
   note("steps", "cleanup:" .. sysbench.opt.time)
   -- Fails the first time.
   if sysbench.opt.flavour == "stubborn" and not io.open("stubborn") then
      os.execute("touch stubborn")
      error("not now")
   end
end
EOF

# begin: removes the files of earlier runs.
begin() {
    rm -rf dir runs ends users cmdlines pids steps block injected stubborn
    touch runs ends steps
}

# Runs end after a number of events, so that each has measured some, however late its threads start.
options=(point.lua --db-driver=null --null-service=1ms --time=0 --events=30 --report-interval=0.01 --percentile=50,99)

# sweep OPTION...: runs a sweep with the options above after "--", and further options of the test in the array "more".
more=()
sweep() {
    run "$SYSRATE" sweep --out=dir "$@" -- "${options[@]}" "${more[@]}"
}

# start_sweep OPTION...: starts a sweep in the background; its process is $pid.
start_sweep() {
    "$SYSRATE" sweep --out=dir "$@" -- "${options[@]}" >sweep.out 2>sweep.err &
    pid=$!
}

reports() {
    (cd dir && ls ./*.json) 2>/dev/null | xargs
}

test_table() {
    begin
    more=(run)
    sweep --vary=threads=1,2 --vary=flavour='sweet,so\,ur|<b>'
    check_equal "sweep: exit code" 0 "$status"
    check_equal "sweep: all combinations, in order" "1:0 1:0 2:0 2:0" "$(xargs <runs)"
    check_equal "sweep: the reports" \
        "./001-threads=1-flavour=sweet.json ./002-threads=1-flavour=so_ur__b_.json ./003-threads=2-flavour=sweet.json ./004-threads=2-flavour=so_ur__b_.json" \
        "$(reports)"
    check_match "sweep: a line of progress with what is left" '^\[4/4\] threads=2 flavour=so,ur\|<b>: [0-9.]+/s, p99 [0-9.]+ ms; about 0:00 left$' "$err"
    check_match "sweep: the table" '^\| +threads \| +flavour \| completed \| .*p99 ms .*\| note +\|$' "$out"
    check_equal "sweep: where the page is" "The page is dir/page.html" "$(tail -n 1 <<<"$out")"
    check_equal "sweep: the table is in the folder too" "$(grep '^|' <<<"$out")" "$(cat dir/table.md)"
    check_equal "sweep: as many cells in each line" 1 "$(awk -F '|' '{ print NF }' dir/table.md | sort -u | wc -l)"
    check_equal "sweep: figures are those of the reports" same "$(compare_table)"
    check "sweep: the page is there" test -s dir/page.html
    check_equal "without writes or warnings: nothing of either" "" \
        "$(grep WARNING <<<"$err")$(python3 -c 'import csv; print(next(csv.DictReader(open("dir/table.csv")))["no_op_writes_percent"])')"
    sweep --vary=threads=1,2 --vary=flavour='sweet,so\,ur|<b>'
    check_equal "finished: exit code" 0 "$status"
    check_equal "finished: nothing is run again" 4 "$(wc -l <runs)"
    check_equal "finished: the same table" "$(cat dir/table.md)" "$(grep '^|' <<<"$out")"
    more=()
}

compare_table() {
    python3 - 2>&1 <<'EOF'
import csv, json
rows = list(csv.DictReader(open('dir/table.csv', newline=''), strict=True))
assert [(row['threads'], row['flavour']) for row in rows] == [(t, f) for t in '12' for f in ('sweet', 'so,ur|<b>')], rows
lines = [line.split('|')[1:-1] for line in open('dir/table.md')][2:]
for row, line in zip(rows, lines, strict=True):
    report = json.load(open('dir/' + row['file']))
    summary = report['summary']
    assert (str(report['config']['threads']), report['config']['flavour']) == (row['threads'], row['flavour'])
    assert float(row['response_ms_p99']) == summary['response_ms']['percentiles']['p99']['value']
    assert int(row['completed']) == summary['counters']['events'] == int(line[2])
    assert abs(float(line[-3]) - summary['response_ms']['max']) <= 0.005001
    assert row['state'] == 'measured' and None not in row.values()
print('same')
EOF
}

test_folder() {
    begin
    run "$SYSRATE" sweep --vary=threads=1 --out=dir/of//many/ -- "${options[@]}"
    check_equal "a folder below others: made with them" 0 "$status"
    check "a folder below others: the report" test -s dir/of/many/001-threads=1.json
    run "$SYSRATE" sweep --vary=threads=1 --out=point.lua/sub/dir -- "${options[@]}"
    check_equal "a folder below a file: refused" "FATAL: cannot make the folder --out=point.lua/sub/dir: Not a directory" "$err"
}

test_repeats() {
    begin
    sweep --vary=threads=1,2,3 --repeat=3 --seed=7
    check_equal "repeats: exit code" 0 "$status"
    check_match "repeats: the seed is printed" '^Order shuffled with --seed=7$' "$out"
    check_equal "repeats: each so often" "1 1 1 2 2 2 3 3 3" "$(cut -d: -f1 runs | sort | xargs)"
    check_equal "repeats: each round has each once" "1 2 3 1 2 3 1 2 3" \
        "$(cut -d: -f1 runs | paste - - - | while read -r line; do tr ' \t' '\n\n' <<<"$line" | sort; done | xargs)"
    check_not "repeats: shuffled" test "$(xargs <runs)" = "$(sort runs | xargs)"
    check_match "repeats: a line per combination, with the ranges" '^\| +3 \| +3 \| .*( +[0-9.]+ to [0-9.]+ \|){2}' "$out"
    check_equal "repeats: figures are medians" same "$(python3 - 2>&1 <<'EOF'
import csv
rows = [row for row in csv.DictReader(open('dir/table.csv', newline='')) if row['threads'] == '2']
assert [row['repeat'] for row in rows] == ['1', '2', '3'], rows
line = [line for line in open('dir/table.md') if line.split('|')[1].strip() == '2'][0].split('|')
assert int(line[3]) == sorted(int(row['completed']) for row in rows)[1], line
print('same')
EOF
)"
    local order
    order=$(xargs <runs)
    begin
    sweep --vary=threads=1,2,3 --repeat=3 --seed=7
    check_equal "repeats: the same seed, the same order" "$order" "$(xargs <runs)"
    begin
    sweep --repeat=2
    check_equal "repeats: of one setting" "./001-r1.json ./002-r2.json" "$(reports)"
    check_between "repeats: a seed from the clock" 1 "$(sed -n 's/^Order shuffled with --seed=//p' <<<"$out")" 1000000000
}

# row NUMBER: a row of the table, with the medians of the percentiles and their ranges.
row() { sed -n "$1p" dir/table.md | awk -F '|' '{ print $9, $10, $13, $14 }' | xargs; }

# Reports with known percentiles: the table is made from the reports in the folder.
test_ranges() {
    begin
    sweep --repeat=3 --seed=1
    python3 - <<'EOF'
import json
import re
for run in 1, 2, 3:
    path = f'dir/00{run}-r{run}.json'
    with open(path) as file:
        text = file.read()
    figures = {'p50': {'value': 4 - run, 'censored': run == 1}, 'p99': {'value': run + 3, 'censored': run == 1}}
    at = text.index('"percentiles"', text.index('"response_ms"', text.rindex('"summary"')))
    text = text[:at] + re.sub(r'{[^{}]*({[^{}]*}[^{}]*)*}', json.dumps(figures), text[at:], count=1)
    with open(path, 'w') as file:
        file.write(text)
EOF
    sweep --repeat=3 --seed=1
    check_equal "ranges: of each percentile" "p50 ms p99 ms p50 ms from-to p99 ms from-to" "$(row 1)"
    check_equal "ranges: what may be higher than it looks" "2.00 >5.00 1.00 to >3.00 >4.00 to >6.00" "$(row 3)"
    begin
    sweep --repeat=2 --seed=1 --vary=percentile=0
    check_no_match "ranges: of nothing" 'from-to| to ' "$(cat dir/table.md)"
}

# A quality figure of the workload has a column, and runs without it have an empty field.
test_qualities() {
    cat >figure.lua <<'LUA'
sysbench.cmdline.options = {value = {"Value", 0}}
function event() if sysbench.opt.value > 0 then sysbench.quality("score", sysbench.opt.value / 4) end end
LUA
    run "$SYSRATE" sweep --vary=value=0,1,3 --out=figures -- figure.lua --events=10 --time=0
    check_equal "quality figures: exits 0" 0 "$status"
    check_equal "quality figures: the table" "score - 0.2500 0.7500" \
        "$(awk -F'|' '/score/ { for (i = 1; i <= NF; i++) if ($i ~ /score/) c = i } c && !/---/ { gsub(/ /, "", $c); printf "%s%s", s, $c; s = " " }' figures/table.md)"
    check_equal "quality figures: the CSV file" "quality_score  0.25 0.75" \
        "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "quality_score") c = i } { printf "%s%s", s, $c; s = " " }' figures/table.csv)"
}

test_percentiles() {
    begin
    sweep --vary=percentile='95,50\,99,99'
    check_equal "percentiles vary: a column for each" '| p95 ms | p50 ms | p99 ms | max ms |' \
        "$(head -n 1 dir/table.md | grep -o '| *p95 ms .*max ms |' | tr -s ' ')"
    check_equal "percentiles vary: those that a run has" "+-- -++ --+" \
        "$(awk -F '|' '$2 ~ /[0-9]/ { for (i = 9; i <= 11; i++) printf "%s", $i ~ /[0-9]/ ? "+" : "-"; print "" }' dir/table.md | xargs)"
    check_equal "percentiles vary: in the CSV" "+-- -++ --+" "$(python3 - 2>&1 <<'EOF' | xargs
import csv
for row in csv.DictReader(open('dir/table.csv', newline=''), strict=True):
    print(''.join('+' if row[f'response_ms_p{p}'] else '-' for p in (95, 50, 99)))
EOF
)"
}

# wait_for_run LINE: waits until that run has begun. It is the run that lasts, so there is no hurry.
wait_for_run() {
    for _ in $(seq 1200); do
        ! grep -qx "$1" runs || return 0
        sleep 0.05
    done
    fail "the run $1 begins" "$(cat runs sweep.err)"
}

# is_running PID: a zombie is not running.
is_running() {
    grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null
}

has_ended() { ! is_running "$1"; }

# injection_runs: true if the last injection is running.
injection_runs() { test -s injected && is_running "$(tail -n 1 injected)"; }

test_kill() {
    local before options=("${options[@]}" --events=0 --inject='0s: sh: echo $$ >>injected; exec sleep 600')
    begin
    touch block
    start_sweep --vary=time=0.1,0.2,1000,0.3
    wait_for_run 1:1000
    check "kill -9: a command beside the run" wait_for 60 injection_runs
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    check_equal "kill -9: two points are finished" "./001-time=0.1.json ./002-time=0.2.json" "$(reports)"
    check "kill -9: the run ends too" wait_for 60 has_ended "$(tail -n 1 pids)"
    check_not "kill -9: and its command with it" injection_runs
    before=$(ls -i dir/00[12]*.json)
    rm block
    sweep --vary=time=0.1,0.2,1000,0.3
    check_equal "started again: exit code" 0 "$status"
    check_equal "started again: only the unfinished points are run" "1:0.1 1:0.2 1:1000 1:1000 1:0.3" "$(xargs <runs)"
    check_equal "started again: the others are as they were" "$before" "$(ls -i dir/00[12]*.json)"
    check_match "started again: it says so" '^Sweep of point.lua: 4 runs, 2 of them finished earlier, results in dir$' "$out"
    check_equal "started again: the table is whole" 4 "$(grep -c '^| *[0-9]' dir/table.md)"
}

test_interrupt() {
    local options=("${options[@]}" --events=0)
    begin
    touch block
    start_sweep --vary=time=0.1,1000,0.3
    wait_for_run 1:1000
    kill -INT "$pid"
    wait "$pid"
    check_equal "Ctrl-C: exit code" 130 $?
    check_equal "Ctrl-C: the run ended in order" "1:0.1 1:1000" "$(xargs <ends)"
    check_equal "Ctrl-C: a run that was ended is not finished" "./001-time=0.1.json" "$(reports)"
    check_match "Ctrl-C: the table of what is there" '^\| +0.1 \| +[0-9]+ \|' "$(cat sweep.out)"
    check_match "Ctrl-C: and of what is not" '^\| +1000 \| +- \|.*\| not run +\|$' "$(cat sweep.out)"
    : >runs
    start_sweep --vary=time=0.1,1000,0.3
    wait_for_run 1:1000
    run "$SYSRATE" sweep --out=dir --vary=time=0.1,1000,0.3 -- "${options[@]}"
    check_equal "two at a time: refused" "FATAL: another sweep is using 'dir'" "$err"
    kill -TERM "$pid"
    wait "$pid"
    check_equal "SIGTERM: exit code" 143 $?
    rm block
    sweep --vary=time=0.1,1000,0.3
    check_equal "after Ctrl-C: goes on" "./001-time=0.1.json ./002-time=1000.json ./003-time=0.3.json" "$(reports)"
}

test_failures() {
    begin
    more=(--fail_at=2)
    sweep --vary=threads=1,2,3
    check_equal "a failed point: exit code" 1 "$status"
    check_equal "a failed point: the others are run" "./001-threads=1.json ./003-threads=3.json" "$(reports)"
    check_match "a failed point: shown as failed" '^\| +2 \| +- \|.*\| run failed: .*no such luck.*\|$' "$out"
    check_match "a failed point: in the CSV" '^2,1,failed,.*no such luck' "$(cat dir/table.csv)"
    sweep --vary=threads=1,2,3
    check_equal "a failed point: tried again" "1 2 2 3" "$(cut -d: -f1 runs | sort | xargs)"
    begin
    more=(--flavour=deadly)
    sweep --vary=threads=1
    check_match "a run that is killed: named" '\| run failed: ended by signal 9 \(Killed\) +\|$' "$out"
    begin
    # One worker needs 50 ms for each request, and all arrive within 1 ms: six wait on any machine.
    more=(--null-service=50ms --rate=1000 --time=10 --events=0)
    sweep --vary=queue-size=6
    check_equal "a full queue: exit code" 0 "$status"
    check_match "a full queue: what it measured, marked" '^\| +6 \| +[0-9]+ \|.*\| queue full.*\|$' "$out"
    more=()
}

test_steps() {
    begin
    sweep --prepare --cleanup --vary=flavour=sweet,bitter,sour
    check_equal "prepare: exit code" 1 "$status"
    check_equal "prepare: before and behind each run" "prepare:0 cleanup:0 prepare:0 cleanup:0" "$(xargs <steps)"
    check_match "prepare: its failure is that of the point" '^\| +bitter \| +- \|.*\| prepare failed: .*nobody likes that.*\|$' "$out"
}

# A prepare that was begun is cleaned up by the next call, with the options of its point. Nothing else is cleaned up.
test_leftovers() {
    local options=("${options[@]}" --events=0)
    begin
    touch block
    start_sweep --prepare --cleanup --vary=time=0.1,1000,0.3
    wait_for_run 1:1000
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    check "killed: its run ends" wait_for 60 has_ended "$(tail -n 1 pids)"
    rm block
    sweep --prepare --cleanup --vary=time=0.1,1000,0.3
    check_equal "killed behind a prepare: cleaned up first" "prepare:0.1 cleanup:0.1 prepare:1000 cleanup:1000 prepare:1000 cleanup:1000 prepare:0.3 cleanup:0.3" \
        "$(xargs <steps)"
    sweep --prepare --cleanup --vary=time=0.1,1000,0.3
    check_equal "cleaned up: nothing more to do" 8 "$(wc -l <steps)"
    echo 2 >dir/sweep.prepared
    sweep --prepare --cleanup --vary=time=0.1,1000,0.3
    check_equal "killed in the last cleanup: done by the next start" "cleanup:1000" "$(tail -n +9 steps | xargs)"
    check_not "killed in the last cleanup: only once" test -e dir/sweep.prepared
    begin
    sweep --prepare --cleanup --vary=flavour=stubborn,sweet --vary=time=0.1
    check_equal "a cleanup that fails: again before the next prepare" \
        "prepare:0.1 cleanup:0.1 cleanup:0.1 prepare:0.1 cleanup:0.1" "$(xargs <steps)"
}

# With --strict, a verdict changes the exit code.
test_objectives() {
    begin
    # 5000 requests per s with a service time of 1 ms: the verdict is never VALID.
    more=(--rate=5000 --time=0.2 --events=0 --slo='max<1us')
    sweep --vary=strict=on,off
    check_equal "a missed objective: noted, strict or not" 2 "$(grep -c '^| .*objective missed' dir/table.md)"
    check_equal "a missed objective: the codes" "3 4" "$(jq .summary.exit_code dir/*.json | sort | xargs)"
    more=(--slo='max<1000s')
    begin
    sweep --vary=threads=1
    check_no_match "an objective that is met" 'objective' "$out"
    more=()
}

test_unwritten_report() {
    begin
    sweep --prepare --vary=flavour=dull
    check_equal "a report that cannot be written: exit code" 1 "$status"
    check_match "a report that cannot be written: named" "^FATAL: .*dir/001-flavour=dull.json" "$err"
    check_match "a report that cannot be written: its point is open" '^\| +dull \| +- \|.*\| not run +\|$' "$out"
}

test_passwords() {
    begin
    printf 'mysql-user=someone\nmysql-password=fromfile\n' >secret.conf
    more=(--config-file=secret.conf --mysql-password=hunter2 --pgsql-password=)
    sweep --vary=threads=1,2
    check_equal "passwords: exit code" 0 "$status"
    check_equal "passwords: in no file" "" "$(grep -rlE 'hunter2|fromfile' dir)"
    check_no_match "passwords: not shown" 'hunter2|fromfile' "$both"
    check_match "passwords: the runs have other options" '--config-file=secret.conf' "$(cat cmdlines)"
    check_no_match "passwords: but these not on the command line" 'mysql-password' "$(cat cmdlines)"
    more=(--mysql-password=' x')
    sweep --vary=threads=1,2
    check_match "passwords: one that cannot be handed on" '^FATAL: --mysql-password: a value that begins or ends with a blank' "$err"
    begin
    more=(--config-file=secret.conf --mysql-password='a b=#"')
    sweep --vary=threads=1
    check_equal "passwords: reach the test as they are" 'someone/a b=#"' "$(cat users)"
    begin
    more=(--inject='0s: exec: echo -phunter2 #' --inject='0s: sh: : --password=hunter3; echo two' --inject='0s: exec: echo three')
    sweep --vary=threads=1
    check_equal "injections with passwords: exit code" 0 "$status"
    check_equal "injections with passwords: all are there" ": --password=*** echo two|echo -p*** #|echo three" \
        "$(jq -r '[.injections[].text] | sort | join("|")' dir/001-threads=1.json)"
    check_equal "injections with passwords: on no command line" 1 "$(grep -o -e --inject cmdlines | wc -l)"
    more[0]="--inject=1s: exec: echo -phunter4"
    sweep --vary=threads=1
    check_match "injections with passwords: another plan" 'another plan: options was .*-p\*\*\*.*, is now .*-p\*\*\*' "$err"
    check_equal "injections with passwords: in no file" "" "$(grep -rl hunter dir)"
    check_no_match "injections with passwords: not shown" hunter "$both"
    more=()
}

# The injection fails in the runs with two and three workers.
test_failed_injections() {
    begin
    more=(--events=3000 --inject='0s: sh: test $(tail -n 1 runs | cut -d: -f1) = 1')
    sweep --vary=threads=1,2,3
    check_equal "failed injections: exit code" 1 "$status"
    check_equal "failed injections: states" "measured,injection failed,injection failed" \
        "$(python3 -c 'import csv; print(",".join(row["state"] for row in csv.DictReader(open("dir/table.csv"))))')"
    check_match "failed injections: a note" '^\| +3 \| .*injection 1 failed: ' "$out"
    check_equal "failed injections: each is shown" 2 "$(grep -c '^WARNING: threads=[23]: injection 1 .* failed: ' <<<"$err")"
    check_match "failed injections: counted at the end" '^ALERT: sweep: an injection failed in 2 of 3 runs' "$err"
    check_match "failed injections: what to do" 'remove their reports from dir' "$err"
    sweep --vary=threads=1,2,3
    check_equal "failed injections: still so without a run" 1 "$status"
    # The injection fails in one of two runs of each combination.
    begin
    more=(--events=3000 --inject='0s: sh: test $(grep -c "^$(tail -n 1 runs | cut -d: -f1):" runs) = 1')
    sweep --vary=threads=1,2 --repeat=2
    check_equal "failed injections: notes of repeats are counted" "1 2" \
        "$(sed -nE 's/^\| +([12]) \| .*injection 1 failed: [^|]* \(1 of 2\).*/\1/p' <<<"$out" | xargs)"
    more=()
}

# refused NAME MESSAGE ARGUMENT...: checks exit code 1, this message, and that nothing was run.
refused() {
    local name=$1 message=$2
    shift 2
    : >runs
    run "$SYSRATE" sweep "$@"
    check_equal "$name: exit code" 1 "$status"
    check_equal "$name: the message" "$message" "$err"
    check_equal "$name: nothing was run" "" "$(cat runs)$(ls -d new 2>/dev/null)"
}

test_refusals() {
    local values='(allowed: NAME=VALUE,VALUE,... with values that are all different; \, is a comma within a value)'
    refused "an unknown option" "$(printf '%s\n' "invalid option: --thread=1" "Did you mean --threads?")" \
        --vary=thread=1,2 --out=new -- "${options[@]}"
    refused "a bad value" "FATAL: invalid value for --threads: 'x' (allowed: a whole number (also 1k, 1M, 1G) from 1 to 1000000)" \
        --vary=threads=1,x --out=new -- "${options[@]}"
    refused "an unknown option of the test" "invalid option: --spin=1" --vary=threads=1,2 --out=new -- "${options[@]}" --spin=1
    refused "a value twice" "FATAL: invalid value for --vary: 'threads=1,1' $values" --vary=threads=1,1 --out=new -- "${options[@]}"
    refused "no values" "FATAL: invalid value for --vary: 'threads' $values" --vary=threads --out=new -- "${options[@]}"
    refused "an empty value" "FATAL: invalid value for --vary: 'threads=1,' $values" --vary=threads=1, --out=new -- "${options[@]}"
    refused "no name" "FATAL: invalid value for --vary: '=1' $values" --vary==1 --out=new -- "${options[@]}"
    refused "the same option twice" "FATAL: sweep: --vary=null_service was given twice" --vary=null-service=1 --vary=null_service=2 \
        --out=new -- "${options[@]}"
    refused "a password" "FATAL: sweep: passwords cannot be varied" --vary=mysql-password=a,a --out=new -- "${options[@]}"
    refused "an injection with a password" "FATAL: sweep: passwords cannot be varied" --vary=inject='0s: exec: x -pa' --out=new \
        -- "${options[@]}"
    refused "a file of each run" "FATAL: --json cannot be used here: each run would overwrite the file" --vary=json=a,b --out=new -- "${options[@]}"
    refused "a file of all runs" "FATAL: --html cannot be used here: each run would overwrite the file" \
        --vary=threads=1 --out=new -- "${options[@]}" --html=x
    refused "too many runs" "FATAL: sweep: more than 100000 runs are not possible" --vary=threads="$(seq -s, 101)" \
        --vary=events="$(seq -s, 100)" --repeat=10 --out=new -- "${options[@]}"
    local server=(--out=new --allow-server-changes -- "${options[@]}")
    refused "a setting without permission" \
        "FATAL: sweep: --vary-server changes settings of the server, which must be permitted by --allow-server-changes" \
        --vary-server=work_mem=1MB --out=new -- "${options[@]}"
    refused "a setting with a bad name" \
        "FATAL: invalid value for --vary-server: 'a b=1' $values" --vary-server='a b=1' "${server[@]}"
    refused "a setting with a command" \
        "FATAL: invalid value for --vary-server: 'archive_command=x' (allowed: a setting that holds no password, address with a password, or command)" \
        --vary-server=archive_command=x "${server[@]}"
    refused "a setting twice" "FATAL: sweep: --vary-server=work_mem was given twice" --vary-server=work_mem=1 --vary-server=work_mem=2 "${server[@]}"
    refused "a bad host" "FATAL: invalid value for --server-setting-host: 'a,b' (allowed: one HOST, HOST:PORT or socket path)" \
        --vary-server=work_mem=1 --server-setting-host=a,b "${server[@]}"
    refused "a restart command that does not exist" \
        "FATAL: invalid value for --restart-command: '/none' (allowed: a program in PATH and its options, separated by blanks)" \
        --vary-server=work_mem=1 --restart-command=/none "${server[@]}"
    refused "no time for a restart" \
        "FATAL: invalid value for --restart-timeout: '0' (allowed: seconds (also 1ms, 1m, 1h) from 1 to 86400)" \
        --vary-server=work_mem=1 --restart-timeout=0 "${server[@]}"
    run "$SYSRATE" sweep --vary-server=work_mem=1 "${server[@]}"
    check_equal "a driver without a server: the message" "FATAL: the null driver cannot change settings of a server" "$err"
    rm -r new
    run "$SYSRATE" "${options[@]}" --server-setting=work_mem run
    check_equal "a setting without a value, for a run" "FATAL: invalid value for --server-setting: 'work_mem' (allowed: NAME=VALUE)" "$err"
    refused "no folder" "FATAL: sweep: --out=DIR is needed, a folder for the results" --vary=threads=1 -- "${options[@]}"
    refused "no --vary" "FATAL: sweep: nothing to compare: --vary=NAME=VALUE,... or --repeat=N is needed" --out=new -- "${options[@]}"
    refused "no test" "FATAL: sweep: the test and its options follow '--': sysrate sweep [options] -- TEST [options]" \
        --vary=threads=1 --out=new
    refused "no --" "FATAL: sweep: the test and its options follow '--': sysrate sweep [options] -- TEST [options]" \
        --vary=threads=1 --out=new "${options[@]}"
    refused "another command" "FATAL: the only command allowed after '--' is run: prepare" --vary=threads=1 --out=new -- "${options[@]}" prepare
    refused "standard input" "FATAL: a script that is run several times cannot come from standard input" --vary=threads=1 --out=new -- -
    refused "a folder of other things" "FATAL: --out=. is not empty and has no sweep: name a new folder" \
        --vary=threads=1 --out=. -- "${options[@]}"
    refused "a file as folder" "FATAL: cannot use --out=point.lua: Not a directory" --vary=threads=1 --out=point.lua -- "${options[@]}"
    refused "an unknown option of sweep" "invalid option: --xml=1"$'\n'"Options of the test follow '--': sysrate sweep [options] -- TEST [options]" --xml=1
    run "$SYSRATE" sweep help
    check_match "help: exit code 0 and options" '^  --vary=STRING +NAME=VALUE' "$status $out"
}

REMOVE="FATAL: sweep: remove 'dir/001-threads=1.json' to repeat its run"

# A folder gets more repeats: the runs that are there are kept, under their new numbers.
test_more_repeats() {
    local before
    begin
    sweep --vary=threads=1,2
    before=$(ls -i dir/001-threads=1.json dir/002-threads=2.json | cut -d ' ' -f 1 | xargs)
    sweep --vary=threads=1,2 --repeat=3 --seed=4
    check_equal "more repeats: exit code" 0 "$status"
    check_match "more repeats: says what is there" '^Sweep of point.lua: 6 runs, 2 of them finished earlier' "$out"
    check_equal "more repeats: the runs are numbered again" "./001-threads=1-r1.json ./002-threads=1-r2.json ./003-threads=1-r3.json\
 ./004-threads=2-r1.json ./005-threads=2-r2.json ./006-threads=2-r3.json" "$(reports)"
    check_equal "more repeats: the first round is kept" "$before" \
        "$(ls -i dir/001-threads=1-r1.json dir/004-threads=2-r1.json | cut -d ' ' -f 1 | xargs)"
    before=$(ls -i dir/00*.json | cut -d ' ' -f 1 | sort | xargs)
    sweep --vary=threads=1,2 --repeat=4
    check_equal "once more: two more runs" 8 "$(wc -l <runs)"
    check_equal "once more: the seed is kept" "Order shuffled with --seed=4" "$(grep '^Order' <<<"$out")"
    check_equal "once more: the others are kept" "$before" \
        "$(ls -i dir/00*-r[123].json | cut -d ' ' -f 1 | sort | xargs)"
    sweep --vary=threads=1,2 --repeat=3
    check_match "fewer repeats: refused" "another plan: repeat was 4, is now 3 " "$err"
    sweep --vary=threads=1,3 --repeat=5
    check_match "more repeats and other values: refused" "another plan: vary was " "$err"
    # The point that was prepared has another number, too.
    begin
    sweep --vary=threads=1,2 --prepare --cleanup
    echo 2 >dir/sweep.prepared
    rm dir/002-threads=2.json
    mkdir dir/003-threads=2-r1.json
    sweep --vary=threads=1,2 --repeat=2 --prepare --cleanup
    check_equal "more repeats: the number of the prepared point" 3 "$(cat dir/sweep.prepared)"
}

test_foreign_reports() {
    local one=dir/001-threads=1-r1.json two=dir/002-threads=1-r2.json three=dir/003-threads=2-r1.json
    begin
    sweep --vary=threads=1,2 --repeat=2 --seed=1
    cp $one kept && cp $three $one
    sweep --vary=threads=1,2 --repeat=2
    check_equal "the report of another point: refused" "FATAL: cannot use '$one': it belongs to a run with another value of --threads
FATAL: sweep: remove '$one' to repeat its run" "$err"
    cp $two $one
    sweep --vary=threads=1,2 --repeat=2
    check_match "the report of another turn: refused" "^FATAL: cannot use '$two': it is the report of the same run as '$one'" "$err"
    mv kept $one && rm $three
    touch $three.aB1cD2 dir/table.md.aB1cD2 dir/sweep.plan.aB1cD2 dir/notes.txt.aB1cD2
    sweep --vary=threads=1,2 --repeat=2
    check_equal "what was left half written: removed" "0 dir/notes.txt.aB1cD2" "$status $(echo dir/*.aB1cD2)"
}

test_other_plan() {
    begin
    sweep --vary=threads=1,2
    refused "other values" \
        "FATAL: 'dir' has a sweep with another plan: vary was [[\"threads\",\"1\",\"2\"]], is now [[\"threads\",\"1\",\"2\",\"4\"]] (use another folder for this sweep)" \
        --out=dir --vary=threads=1,2,4 -- "${options[@]}"
    more=(--flavour=sour)
    sweep --vary=threads=1,2
    check_match "another option: refused" "another plan: options was " "$err"
    more=()
    jq 'del(.summary.end)' dir/001-threads=1.json >cut && cp cut dir/001-threads=1.json
    sweep --vary=threads=1,2
    check_equal "a report without an end: refused" \
        "FATAL: cannot use 'dir/001-threads=1.json': it has no end of its run (\"summary.end\")
$REMOVE" "$err"
    head -c 100 dir/001-threads=1.json >cut && cp cut dir/001-threads=1.json
    sweep --vary=threads=1,2
    check_equal "a report cut short: refused" "FATAL: cannot use 'dir/001-threads=1.json': it is not JSON, or cut short
$REMOVE" "$err"
    echo '{' >dir/sweep.plan
    sweep --vary=threads=1,2
    check_match "a plan that is no JSON: refused" "^FATAL: cannot use 'dir/sweep.plan': " "$err"
}

test_table
test_folder
test_repeats
test_ranges
test_qualities
test_percentiles
test_kill
test_interrupt
test_failures
test_steps
test_leftovers
test_objectives
test_unwritten_report
test_passwords
test_failed_injections
test_refusals
test_more_repeats
test_foreign_reports
test_other_plan
finish
