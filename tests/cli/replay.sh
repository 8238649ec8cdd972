# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate replay without a server: options, truncated logs, the order of sessions, the end of a run. db/replay.sh tests
# it with servers.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

samples=$TESTS_DIR/unit/workloads/replay/logs
json() { jq -c "$1" report.json; }
replay() { run "$SYSRATE" --db-driver=null --json=report.json replay "$@" run; }

# Wrong calls: standard error contains only the message.
refused() {
    run "$SYSRATE" "${@:2}"
    check_equal "$1: exit code" 1 "$status"
    check_match "$1: message" "$1" "$err"
}
refused 'replay needs a log and a command: sysrate replay LOG run' replay
refused 'Unknown command: walk' replay "$samples/mariadb-general.txt" walk
refused 'cannot read the log no.log: No such file' replay no.log run
refused 'unknown log format' replay "$TESTS_DIR/cli/lib.sh" run
refused '^FATAL: --tx-rate cannot be used with replay, where the log says when' replay x run --tx-rate=3
refused '^FATAL: --rate cannot be used with replay, where the log says when' replay x run --rate=3
refused '^FATAL: --arrival_trace cannot be used with replay, where the log says when' replay x run --arrival_trace=x
refused '^FATAL: --burst cannot be used with replay, where the log says when' replay x run '--burst=x2 1s every 5s'
refused 'queue-full=drop cannot be used with replay .allowed: stop' replay x run --queue-full=drop
refused 'node cannot be used with replay' replay x run --node=0/2 --rand-seed=1
printf '2026-11-25 10:00:00.000 UTC [7] app LOG:  statement: SELECT 1\n' >prefix.log
refused 'value for --log-line-prefix: .app . .allowed: a log_line_prefix with %m' replay prefix.log run --log-format=pgsql-stderr \
    '--log-line-prefix=app '
refused 'value for --speed: .0. .allowed' replay x run --speed=0
run "$SYSRATE" replay help
check_equal "help: exit code" 0 "$status"
check_match "help: an option" '^  --allow-writes' "$out"

# Syslog has the time and the process, so its prefix needs neither.
for n in 1 2 3; do
    printf 'Nov 25 10:00:0%s db postgres[71]: [%s-1] app=x LOG:  statement: SELECT %s\n' $n $n $n
done >syslog.log
replay syslog.log --speed=100 '--log-line-prefix=app=%a '
check_equal "syslog with a prefix that has no time and no process: exit code" "0 " "$status $err"
check_match "syslog with a prefix that has no time and no process: its statements" '^Replay of .*: 3 statements of 1 sessions' "$out"

# A log, and statements that are not replayed.
replay "$samples/mariadb-general.txt" --speed=100 --allow-writes
check_equal "all of it: exit code" 0 "$status"
check_equal "all of it: requests" '[20,20]' "$(json '[.summary.requests.offered, .summary.requests.completed]')"
check_match "the kind of the log is printed" '^Replay of a MySQL general log: 20 statements of 5 sessions, at most 1 at a time, 5.933 s in the log$' "$out"
check_match "the resolution of the clock is printed" "the log's clock ticks every 1000 ms" "$out"
replay "$samples/mariadb-general.txt" --speed=100
check_equal "without writes" 17 "$(json .summary.requests.offered)"
check_match "writes are named" 'not replayed without --allow-writes: 3 statements that may write \(line [0-9]+: CREATE DATABASE sbtest\)' "$out"
replay "$samples/postgresql.csv" --speed=100 --log-database=sbtest
check_equal "a csvlog, one database" 14 "$(json .summary.requests.offered)"
check_equal "logged durations next to it, in JSON" true \
    "$(json '.summary.remarks.comparisons | map(select(.name == "all")) | .[0] | .count == 13 and .logged_ms.max > 0.7 and .now_ms.mean > 0')"
check_match "and in text" '^    all +logged +13 ' "$out"

# Truncated, rotated and compressed logs.
gzip -c "$samples/mariadb-general.txt" >whole.gz
head -c $(($(wc -c <whole.gz) / 2)) whole.gz >cut.gz
replay whole.gz --speed=1000 --allow-writes
check_equal "gzip: as without" 20 "$(json .summary.requests.offered)"
replay cut.gz --speed=1000 --allow-writes
check_equal "gzip, cut off: exit code" 0 "$status"
check_match "gzip, truncated: message" 'the log could not be read to its end' "$out"
# bzip2, xz and zstd, if this build has libarchive.
printf '\357\273\277' | cat - "$samples/mariadb-general.txt" >mark.log
replay mark.log --speed=1000 --allow-writes
check_equal "a byte order mark is skipped" '20 []' "$(json .summary.requests.offered) $(json '[.summary.remarks.notes[] | select(test("skipped|lines"))]')"
for program in bzip2 xz zstd; do
    command -v "$program" >/dev/null || continue
    "$program" -qc "$samples/mariadb-general.txt" >"whole.$program"
    if ldd "$SYSRATE" | grep -q libarchive; then
        replay "whole.$program" --speed=1000 --allow-writes
        check_equal "$program: as without" 20 "$(json .summary.requests.offered)"
        head -c $(($(wc -c <"whole.$program") / 2)) "whole.$program" >"cut.$program"
        replay "cut.$program" --speed=1000 --allow-writes
        check_match "$program, truncated: message" 'the log cut.*could not be read|cannot read the log cut' "$out$err"
    else
        replay "whole.$program"
        check_match "$program: this build cannot read it" 'cannot read the log whole.*libarchive' "$err"
    fi
done
split -l 22 "$samples/mariadb-general.txt" part.
replay part.aa,part.ab --speed=1000 --allow-writes
check_equal "rotated: both files are the log" 20 "$(json .summary.requests.offered)"
replay part.ab --speed=1000 --allow-writes --log-format=mysql-general
check_equal "rotated: one alone: exit code" 1 "$status"
check_match "rotated: one alone has no time" 'not replayed: [0-9]+ records before the first time of the log \(first: line [0-9]+\): give the log from' "$err"

# Reasons are counted, with the first line and file, and with the setting that avoids them.
record() { printf '# User@Host: a[a] @ h [] %s\n# Query_time: 0.5  Lock_time: 0.0\nSET timestamp=179549081%s;\n%s;\n' "$@"; }
{
    record ' Id: 3' 1 'SELECT 1'
    record '' 2 'SELECT 2'
    record '' 3 'SELECT 3'
} >no-id.log
replay no-id.log
check_equal "reasons: the rest is replayed" 1 "$(json .summary.requests.offered)"
check_match "reasons: count, first line and advice" \
    'not replayed: 2 statements without a connection id \(first: line 5\): MySQL 5.6 and later log it' "$out"
replay no-id.log --log-sessions=user@host
check_equal "records without an id: a session for each user and host" '[3,2]' \
    "$(json '[.summary.requests.offered, .config.threads]')"
run "$SYSRATE" --db-driver=null replay no-id.log run --log-sessions=all
check_match "an unknown kind of sessions" 'value for --log-sessions: .all. .allowed: one of id, user@host' "$err"
sed 's/^SET/# Log_slow_rate_type: query  Log_slow_rate_limit: 10\n&/' no-id.log >rate.log
replay rate.log
check_match "a log of some statements" 'logged only one of 10 statements .* set log_slow_rate_limit=1' "$out"
sed 's/ Id: 3$/&\n# Schema: shop  Last_errno: 1146  Killed: 0/' no-id.log >errno.log
replay errno.log
check_match "errors in a slow log" 'errors: 0; in the log: 1; not in the log: 0; only in the log: 1' "$out"
record '' 2 'SELECT 2' >none.log
replay none.log
check_equal "reasons: nothing to replay: exit code" 1 "$status"
check_match "reasons: nothing to replay: message" 'none.log, read as a MySQL slow log, has no statement that can be replayed$' "$err"
check_match "reasons: nothing to replay: the reason" '^not replayed: 1 statements without a connection id \(first: line 1\)' "$err"
printf '261124  3:37:01\t     7 Connect\troot@localhost on test\n' >idle.log
replay idle.log
check_match "reasons: a log without statements" '^FATAL: the log idle.log, read as a MySQL general log, has no statements$' "$err"
replay part.aa,no-id.log --log-format=mysql-slow
check_match "reasons: the file of the first line" 'not of the log.s format \(first: line [0-9]+ of part.aa\)' "$out"

# Five simultaneous statements of one session, 20 ms each, and one statement of another session.
{
    for i in 1 2 3 4 5; do
        echo "2026-11-24 03:37:01.000 UTC [7] LOG:  statement: SELECT $i"
    done
    echo "2026-11-24 03:37:01.000 UTC [8] LOG:  statement: SELECT 6"
} >burst.log
replay burst.log --null-service=20ms
check_equal "a worker for each session" 2 "$(json .config.threads)"
check_match "statements that waited for the one before" 'previous statement of the same session: 4 statements' "$out"
check_equal "the fifth waited for four" true "$(json '.summary.response_ms.max > 95')"
replay burst.log --null-service=20ms --threads=1
check_equal "one worker: all are served" '[6,6]' "$(json '[.summary.requests.offered, .summary.requests.completed]')"

# The end of a run: statements that wait in a session are unfinished, and requests add up.
steadily replay burst.log --null-service=300ms --time=0.1
check_equal "ends by --time: exit code" 0 "$status"
check_equal "statements that wait in a session are unfinished" '[6,2,4,4]' \
    "$(json '.summary.requests | [.offered, .completed, .unfinished, .queued]')"
for i in 0 1 2 3 4 5; do
    echo "2026-11-24 03:37:01.${i}00 UTC [7] LOG:  statement: SELECT $i"
done >slow.log
replay slow.log --null-service=2s --threads=3 --queue-size=2
check_equal "more wait than may: exit code" 1 "$status"
check_match "more requests wait than allowed: message" 'too many statements wait .*\(--queue-size\)' "$err"
check_equal "more wait than may: all adds up" true "$(json '.summary.requests | .offered == .completed + .failed + .unfinished + .dropped')"
replay burst.log --events=3
check_equal "ends by --events" 3 "$(json .summary.requests.offered)"

# Two statements that are months apart are a valid schedule.
printf '2026-%s-24 03:37:01.000 UTC [7] LOG:  statement: SELECT 1\n' 02 11 >seldom.log
replay seldom.log --time=0.2
check_equal "months between two statements" '[1,1]' "$(json '[.summary.requests.offered, .summary.requests.completed]')"

# Errors and read-only sessions, on a database.
sqlite=(--db-driver=sqlite --sqlite-db=test.db --json=report.json)
cat >errors.log <<'LOG'
2026-11-24 03:37:01.000 UTC [7] LOG:  statement: SELECT 1
2026-11-24 03:37:01.001 UTC [7] LOG:  statement: SELECT * FROM nosuch
2026-11-24 03:37:01.002 UTC [7] LOG:  statement: SELECT * FROM nowhere
2026-11-24 03:37:01.002 UTC [7] ERROR:  relation "nowhere" does not exist
2026-11-24 03:37:01.002 UTC [7] STATEMENT:  SELECT * FROM nowhere
2026-11-24 03:37:01.003 UTC [7] LOG:  statement: CREATE TABLE made (a int)
2026-11-24 03:37:01.003 UTC [9] LOG:  checkpoint starting: time
LOG
run "$SYSRATE" "${sqlite[@]}" replay errors.log run
check_match "errors: counted next to those of the log" \
    'errors: 2; in the log: 1; not in the log: 1; only in the log: 0' "$out"
check_match "errors: the first are named" 'not in the log: no such table: nosuch \(SELECT \* FROM nosuch\)' "$out"
check_equal "errors: those of the log are answers" '[2,1]' "$(json '.summary.requests | [.completed, .failed]')"
run "$SYSRATE" "${sqlite[@]}" --allow-writes replay errors.log run
check_equal "with writes" 4 "$(json .summary.requests.offered)"

# A statement of more than 64 MB is left out: truncated, it would change every row. long_statement FIRST NEXT: writes a
# log that creates a table of three rows and deletes one of them with a statement of 66 MB. FIRST is written before the
# first statement, NEXT before each further one.
long_statement() {
    printf '%s%s\n' "$1" 'DROP TABLE IF EXISTS long' "$2" 'CREATE TABLE long (id int)' "$2" 'INSERT INTO long VALUES (1), (2), (3)'
    printf '%sDELETE FROM long' "$2"
    head -c 66M /dev/zero | tr '\0' ' '
    printf '%s\n' 'WHERE id = 1' "$2SELECT 1"
}
for format in 'PostgreSQL stderr' 'MySQL general'; do
    case $format in
    PostgreSQL*) long_statement '2026-11-24 03:37:01.000 UTC [7] LOG:  statement: ' '2026-11-24 03:37:01.000 UTC [7] LOG:  statement: ' ;;
    MySQL*) long_statement $'261124  3:37:01\t     7 Query\t' $'\t\t     7 Query\t' ;;
    esac >long.log
    run "$SYSRATE" "${sqlite[@]}" --allow-writes --speed=1000 replay long.log run
    check_equal "$format log, a statement too long: exit code, requests" '0 [4,4]' "$status $(json '.summary.requests | [.offered, .completed]')"
    check_match "$format log, a statement too long: it is counted" "^ *not replayed: 1 statements of more than 64 MB" "$out"
    check_equal "$format log, a statement too long: rows" 3 \
        "$(python3 -c 'import sqlite3; print(sqlite3.connect("test.db").execute("SELECT count(*) FROM long").fetchone()[0])')"
done
rm long.log

run "$SYSRATE" "${sqlite[@]}" --html=page.html --slo='p99<60s' replay burst.log run
check_equal "objectives and a page" 0 "$status"
check "the page is there" test -s page.html
run "$SYSRATE" "${sqlite[@]}" --allow-writes replay errors.log run
check_match "the table was made" 'table made already exists' "$out"
run "$SYSRATE" report report.json
check_equal "its report is read again" 0 "$status"
inject_during_replay() {
    rm -f beside.db
    run "$SYSRATE" --db-driver=sqlite --sqlite-db=beside.db --json=report.json --inject='100ms: sql: CREATE TABLE beside (a int)' replay slow.log run
}
steadily inject_during_replay
check_equal "an injection at the same time: exit code, its result" '0 ["done"]' "$status $(json '[.injections[].state]')"

finish
