# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# --inject: commands and statements during a run, which work, fail, hang, print without end or cannot be ended. No
# results of the run may be lost, and no process may be left. tests/db/inject.sh tests real servers.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

cat >idle.lua <<'EOF'
function event() end
EOF
cat >query.lua <<'EOF'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOF

# Early injections can take the rest of the run, more than a second, which is enough on a busy machine.
TIME=1.6

inject_once() {
    rm -f pids left
    run "$SYSRATE" "$@"
}
injected() {
    steadily inject_once --db-driver=null --null-service=1ms --threads=2 --rate=300 --time=$TIME --percentile=50,99 --json=a.json \
        "$@" query.lua run
}

check_whole() {
    check_equal "$1: exit code" 0 "$status"
    check_equal "$1: no request is lost" true "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished
        and .offered > 0')"
}

# Valid injections: several at a time, from a file and from the command line.
test_good_ones() {
    cat >options.cnf <<'EOF'
inject = 0.3s: exec: cat
EOF
    injected --config-file=options.cnf --report-interval=0.5 --inject="100ms: exec: printf '%s|' 'a b' \"c d\" e\\ f ''" \
        --inject='0.2: sh: echo $((6 * 7)); echo marker >&2; exit 0' --inject='0.4 : sql :  SELECT 1' --inject='1.5s:exec:sleep 0.01'
    check_whole "commands and statements"
    check_equal "all have run, in the order of their times" "exec sh exec sql exec" "$(json_figure '[.injections[].kind] | join(" ")')"
    check_equal "the first four went well" "done done done done" "$(json_figure '[.injections[:4][].state] | join(" ")')"
    check_equal "exec: words and quotes" "a b|c d|e f||" "$(json_figure '.injections[0].output')"
    check_equal "sh: the shell's output, errors too" $'42\nmarker' "$(json_figure '.injections[1].output')"
    check_equal "there is nothing to read" "0 0" "$(json_figure '.injections[2] | "\(.exit_code) \(.output_bytes)"')"
    check_equal "a statement has no exit code" null "$(json_figure '.injections[3].exit_code')"
    check_equal "each has a mark" true "$(json_figure '[.marks[] | [.from_s, .to_s]] == [.injections[] | [.from_s, .to_s]]')"
    check_equal "no injection begins early" true "$(json_figure '[.injections[] | .from_s >= .at_s and .to_s >= .from_s] | all')"
    check_match "a line at the beginning" '^\[ [0-9.]+s \] injection 1 begins: exec: printf' "$out"
    check_match "a line at the end" '^\[ [0-9.]+s \] injection 2 ends: sh: .* \([0-9.]+ s, done\)$' "$out"
    check_match "the table" '^ +before +during +after$' "$out"
    check_no_match "their output is not ours" '^(42|marker)' "$both"
    check_match "the output of a command that succeeded" '^    \| 42$' "$out"
    check_equal "in the report only, not among the intervals" 1 "$(grep -c '| marker$' <<<"$both")"
    check_equal "the options are in the report" 5 "$(json_figure '.config.inject | length')"
}

# The requests before, during and after an injection are all measured requests.
test_spans() {
    local add_up='.summary.requests.offered == ([.injections[0] | .before, .during, .after | .requests] | add)'
    injected --time=1.5 --warmup-time=0.2 --inject='0.6s: exec: sleep 0.3'
    check_whole "one command"
    check_equal "before, during and after: all requests" true "$(json_figure "$add_up")"
    check_equal "the spans meet" true "$(json_figure '.injections[0] | .before.from_s == 0.2 and .before.to_s == .from_s and
        .during.from_s == .from_s and .during.to_s == .to_s and .after.from_s == .to_s and .after.to_s == 1.7')"
    check_equal "the longest is that of the run" true "$(json_figure '.summary.response_ms.max ==
        ([.injections[0] | .before, .during, .after | .response_ms.max] | max)')"
    check_equal "the level before is known" true "$(json_figure '.injections[0].recovery |
        .level_ms > 0 and .percentile == 99 and .window_s == 0.1')"
    run "$SYSRATE" --threads=3 --time=0.6 --json=a.json --inject='0.2s: exec: sleep 0.1' idle.lua run
    check_equal "closed loop: all requests" true "$(json_figure '.summary.requests.offered > 0 and '"$add_up")"
    injected --warmup-time=0.3 --time=0.5 --inject='0s: exec: true'
    check_equal "in the warm-up: nothing before, nothing lost" true "$(json_figure '.injections[0].before.requests == 0 and '"$add_up")"
    run "$SYSRATE" --rate=2000 --threads=1 --queue-size=5 --queue-full=drop --time=0.6 --db-driver=null --null-service=2ms \
        --json=a.json --inject='0.3s: exec: sleep 0.1' query.lua run
    check_equal "dropped requests are in the spans" true "$(json_figure '.summary.requests.dropped > 0 and '"$add_up")"
    run "$SYSRATE" --rate=2000 --threads=1 --time=0.6 --db-driver=null --null-service=2ms --json=a.json \
        --inject='0.3s: exec: sleep 0.1' query.lua run
    check_equal "unfinished requests are in the spans" true "$(json_figure '.summary.requests.unfinished > 0 and '"$add_up")"
}

# Failing injections: errors; a command that ignores SIGTERM and has two children, one of them with its output closed;
# a command that prints without end; a command that ends before its child.
test_bad_ones() {
    local pid
    cat >hang.sh <<'EOF'
trap '' TERM
echo $$ >pids
sleep 600 & echo $! >>pids
sleep 600 >/dev/null 2>&1 & echo $! >>pids
while :; do sleep 600; done
EOF
    injected --inject='0.1s: exec: no-such-program -x' --inject='0.1s: sh: echo it is broken; exit 3' \
        --inject="0.1s: sh: kill -9 \$\$" --inject='0.1s: exec: sh hang.sh' --inject='0.1s: exec: yes' \
        --inject='0.1s: sh: sleep 600 & echo $! >left; exit 0'
    check_whole "bad ones"
    check_equal "one cannot be started" "failed null it cannot be started: No such file or directory" \
        "$(json_figure '.injections[0] | "\(.state) \(.exit_code) \(.error)"')"
    check_equal "one exits with 3" "failed 3 exit code 3" "$(json_figure '.injections[1] | "\(.state) \(.exit_code) \(.error)"')"
    check_equal "one is killed" "failed null 9" "$(json_figure '.injections[2] | "\(.state) \(.exit_code) \(.signal)"')"
    check_match "its last words are shown" '^ +\| it is broken$' "$out"
    check_match "a warning is printed" '^WARNING: injection 2 \(sh: .*\) failed: exit code 3$' "$err"
    check_equal "ended by the end of the run" "stopped stopped done" "$(json_figure '[.injections[3:][].state] | join(" ")')"
    check_equal "the hang had to be killed" 9 "$(json_figure '.injections[3].signal')"
    check_equal "the flood was asked to end" 15 "$(json_figure '.injections[4].signal')"
    # A pipe holds 64 KiB, so output beyond that was read. Only the end of the output is kept.
    check_equal "the flood was taken away" true "$(json_figure '.injections[4] | .output_bytes > 1e6 and (.output | length) <= 4096')"
    check_match "the report has it" 'injection 4 ends: .*ended by the end of the run\)$' "$out"
    check_equal "all processes had begun" "3 1" "$(wc -l <pids) $(wc -l <left)"
    # A killed process is a zombie until its parent has waited for it.
    for pid in $(cat pids left); do
        check_match "process $pid is gone" '^Z?$' "$(ps -o stat= -p "$pid" | cut -c1)"
    done
}

# wait_for_line REGEX: waits until a run in the background has printed a matching line.
wait_for_line() { wait_for 40 grep -qs "$1" run.out; }

test_end_of_run() {
    local pid
    run "$SYSRATE" --events=100 --time=0 --json=a.json --inject='1h: exec: true' --inject='2h: sql: SELECT 1' idle.lua run
    check_equal "too late: exit code" 0 "$status"
    check_equal "too late: in the report" '["not_started","not_started"] null' "$(json_figure '"\([.injections[].state]) \(.marks)"')"
    check_match "too late: in the text" 'not started: ' "$out"
    rm -f run.out
    "$SYSRATE" --time=600 --json=a.json --inject='0s: exec: sleep 600' --inject="500: sh: true" idle.lua run >run.out 2>run.err &
    pid=$!
    wait_for_line 'injection 1 begins'
    kill -INT $pid
    wait $pid
    check_equal "Ctrl-C: exit code" 130 $?
    check_equal "Ctrl-C: the command is ended, the other one not begun" "stopped not_started" "$(json_figure '[.injections[].state] | join(" ")')"
}

# On SQLite: valid statements, a wrong statement, a statement that never ends, and a statement with endless rows of 1
# kB, which must not be kept in memory.
test_statements() {
    local endless="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    cat >peak.py <<'EOF'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(status)
EOF
    statements() {
        rm -f a.db
        run python3 peak.py "$SYSRATE" "$@"
    }
    steadily statements --db-driver=sqlite --sqlite-db=a.db --threads=1 --rate=100 --time=$TIME --json=a.json \
        --inject='0.1s: sql: CREATE TABLE t(a);
            INSERT INTO t VALUES (1), (2), (3)' --inject='0.6s: sql: SELECT * FROM t' --inject='0.7s: sql: DROP TABLE no_such' \
        --inject="0.8s: sql: $endless SELECT count(*) FROM c" --inject="0.8s: sql: $endless SELECT printf('%.1000c', 'x') FROM c" query.lua run
    check_whole "statements"
    check_equal "their results" "done done failed stopped stopped" "$(json_figure '[.injections[].state] | join(" ")')"
    check_equal "they are answered" "3 rows changed, 3 rows read" "$(json_figure '[.injections[:2][].output] | join(", ")')"
    check_match "why it failed" 'no such table: no_such' "$(json_figure '.injections[2].error')"
    check_equal "they are not counted" true "$(json_figure '.summary.counters.reads == .summary.counters.events')"
    check_match "a statement on several lines is shown on one" 'begins: sql: CREATE TABLE t\(a\); +INSERT' "$out"
    if [ "$SANITIZER" = no ]; then
        check_between "rows without end: MB of memory" 1 "${out##*$'\n'}" 150
    fi
}

# The null driver sleeps and cannot be cancelled. The report must be written nevertheless. This takes 5 s, so other
# tests run at the same time.
begin_one_that_is_left() {
    "$SYSRATE" --db-driver=null --null-service=3600s --threads=1 --rate=100 --time=0.5 --json=left.json --inject='0s: sql: SELECT 1' idle.lua \
        run >left.out 2>left.err &
    left_pid=$!
}

test_one_that_is_left() {
    wait $left_pid
    check_equal "one that does not end: exit code" 0 $?
    check_equal "it is left alone" left "$(jq -r '.injections[0].state' left.json)"
    check_equal "it spoils nothing" true "$(jq '.summary | .end == "time" and .requests.completed > 0' left.json)"
    check_match "a warning is printed" '^WARNING: injection 1 \(sql: SELECT 1\) did not end within 5 s' "$(cat left.err)"
}

# Secrets must not appear in reports, messages or the list of processes.
test_secrets() {
    local pid
    rm -f run.out
    "$SYSRATE" --threads=1 --rate=10 --time=$TIME --json=a.json --html=a.html --inject='0.1s: exec: echo --password=geheim1 -pgeheim2 x' \
        --inject='0.2s: sh: PGPASSWORD=geheim3; echo $PGPASSWORD; false' --inject="0.3s: sql: CREATE USER u IDENTIFIED BY 'geheim4'" \
        --db-driver=sqlite --sqlite-db=a.db idle.lua run >run.out 2>run.err &
    pid=$!
    wait_for_line 'Threads started'
    check_equal "secrets: not in the list of processes" 0 "$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -c geheim)"
    wait $pid
    check_equal "secrets: messages" '--password=*** -p*** x, ***' "$(json_figure '[.injections[:2][].output | rtrimstr("\n")] | join(", ")')"
    check_equal "secrets: nowhere" 0 "$(cat run.out run.err a.json a.html | grep -c geheim)"
    run "$SYSRATE" --inject='1s: exce: mysqldump --password=geheim' idle.lua run
    check_match "secrets: a wrong value" "^FATAL: invalid value for --inject: '1s: exce: mysqldump --password=\*\*\*' \(allowed: " "$err"
}

# refused NAME LINE ARGUMENT...: checks that LINE is logged before anything runs.
refused() {
    local name=$1 line=$2
    shift 2
    run "$SYSRATE" "$@"
    check_equal "refused: $name" "1 FATAL: $line" "$status $err"
}

test_refused() {
    local many=()
    refused "a time beyond the run" "--inject: 3 s is not before the end of the run, at 3 s (--time, --warmup-time)" \
        --time=2 --warmup-time=1 --inject='1s: exec: true' --inject='3s: exec: true' idle.lua run
    refused "a statement without a database" "--inject: this test has no database to execute 'sql: SELECT 1'" \
        cpu --inject='1s: sql: SELECT 1' run
    for _ in $(seq 101); do many+=('--inject=1s: exec: true'); done
    refused "too many" "--inject: given 101 times (allowed: up to 100 times)" "${many[@]}" idle.lua run
}

test_other_formats() {
    injected --time=1 --report-interval=0.5 --report-format=json --inject='0.1s: sh: echo noise'
    check_whole "json on standard output"
    check_equal "json on standard output: nothing else" true "$(printf '%s\n' "$out" | jq -s 'all(type == "object")')"
}

begin_one_that_is_left
test_good_ones
test_spans
test_bad_ones
test_end_of_run
test_statements
test_secrets
test_refused
test_other_formats
test_one_that_is_left
finish
