# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate replay of a slow log of Percona Server that has only one of N sessions or statements, and --scale-sampled.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

json() { jq -c "$1" report.json; }
replay() { run "$SYSRATE" --db-driver=null --json=report.json --request-log=requests replay "$@" run; }

# record TYPE N SESSION SECOND: a record of the format of Percona Server 8.0 with log_slow_verbosity=full.
record() {
    printf '# Time: 2026-11-25T10:00:%09.6fZ\n# User@Host: app[app] @ web [10.0.0.7]  Id: %5d\n' "$4" "$3"
    printf '# Schema: shop  Last_errno: 0  Killed: 0\n'
    printf '# Query_time: 0.000000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 1  Rows_affected: 0  Bytes_sent: 56\n'
    [ "$2" -eq 1 ] || printf '# Log_slow_rate_type: %s  Log_slow_rate_limit: %s\n' "$1" "$2"
    printf 'SET timestamp=1795600800;\nSELECT %s;\n' "$3"
}
# Two sessions with gaps of their own.
slow_log() {
    for second in 0 0.2 0.5; do record "$1" "$2" 7 "$second"; done
    for second in 0.6 0.61 1.3; do record "$1" "$2" 8 "$second"; done
}

slow_log session 4 >session.log
replay session.log
check_equal "without the option: each session once" 6 "$(json .summary.requests.offered)"
check_match "without the option: a note" 'logged only one of 4 sessions .*: set log_slow_rate_limit=1, or replay each session 4 times with --scale-sampled' "$out"
check_no_match "whole sessions are complete" 'lack statements' "$out"

replay session.log --scale-sampled --rand-seed=5
check_equal "scaled: exit code" 0 "$status"
check_equal "scaled: four times the statements, each completed" '[24,24]' "$(json '[.summary.requests.offered, .summary.requests.completed]')"
check_match "scaled: four times the sessions" '^Replay of a MySQL slow log: 24 statements of 8 sessions' "$out"
check_equal "scaled: a worker and a connection for each session" 8 "$(json .config.threads)"
check_match "scaled: the note" 'one of 4 sessions .Log_slow_rate_limit.: each session is replayed 4 times, each copy begins up to 1 s later' "$out"

# copies FILE...: "ok" if the arrivals are four copies of each session, shifted by different times below a second, of which one is 0.
# Arrivals that would coincide are 1 ns apart.
cat >copies.py <<'PY'
import sys
for name in sys.argv[1:]:
    times = sorted(int(line.split()[0]) for line in open(name) if line[0] != "#")
    shifts = []
    for gaps, begin in (((0, 2e8, 5e8), 0), ((0, 1e7, 7e8), 6e8)):
        for _ in range(4):
            for first in times:
                copy = [min(times, key=lambda t: abs(t - first - gap)) for gap in gaps]
                if all(abs(t - first - gap) < 100 for t, gap in zip(copy, gaps)) and 0 <= first - begin < 1e9:
                    break
            else:
                sys.exit("no copy")
            for t in copy:
                times.remove(t)
            shifts.append(round(first - begin))
    good = not times and len(set(shifts)) == 7 and sum(s == 0 for s in shifts) == 2
    print("ok" if good else f"{times} {shifts}")
PY
cp requests first
check_equal "scaled: copies keep their gaps and begin at different times" ok "$(python3 copies.py first)"
replay session.log --scale-sampled --rand-seed=5
check_equal "scaled: the same seed gives the same times" "$(cut -d' ' -f1 first | grep -v '#' | sort)" "$(cut -d' ' -f1 requests | grep -v '#' | sort)"
replay session.log --scale-sampled --rand-seed=6
check_equal "scaled: another seed gives the same times, too" "$(cut -d' ' -f1 first | grep -v '#' | sort)" "$(cut -d' ' -f1 requests | grep -v '#' | sort)"

# The limit changes within the log: each record has its own.
{
    slow_log session 4
    for second in 2 2.1; do record session 1 9 "$second"; done
    for second in 3 3.2 3.3; do record session 3 10 "$second"; done
} >changed.log
replay changed.log
check_match "another limit later: a note" 'logged only one of 1 to 4 sessions .*: set log_slow_rate_limit=1, or replay each session 1 to 4 times' "$out"
replay changed.log --scale-sampled
check_equal "another limit later: 4 x 6 + 2 + 3 x 3 statements" '[35,35]' "$(json '[.summary.requests.offered, .summary.requests.completed]')"
check_match "another limit later: 4 x 2 + 1 + 3 sessions" '^Replay of a MySQL slow log: 35 statements of 12 sessions' "$out"
{ slow_log session 4; for second in 2 2.1; do record session 1 9 "$second"; done; } >whole_later.log
replay whole_later.log --scale-sampled
check_equal "no limit later: 4 x 6 + 2 statements" 26 "$(json .summary.requests.offered)"

# A session of which one of 2, and later one of 5 statements was logged.
{ for second in 0 0.2; do record query 2 7 "$second"; done; for second in 1.5 1.6; do record query 5 7 "$second"; done; } >steps.log
replay steps.log --scale-sampled
check_equal "another limit in a session: 2 x 2 + 2 x 5 statements" 14 "$(json .summary.requests.offered)"

# Memory does not grow with N: 300 statements of 20 000 bytes within a second are 6 MB; 100 copies of each are 600 MB.
python3 - >large.log <<'PY'
for i in range(300):
    print(f"# Time: 2026-11-25T10:00:00.{i * 3000:06}Z\n# User@Host: app[app] @ web [10.0.0.7]  Id: {i % 50}\n"
          "# Schema: shop  Last_errno: 0  Killed: 0\n# Query_time: 0.000000  Lock_time: 0.000000  Rows_sent: 1\n"
          "# Log_slow_rate_type: session  Log_slow_rate_limit: 100\nSET timestamp=1795600800;\n"
          f"SELECT '{'x' * 20000}';")
PY
run python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$SYSRATE" --db-driver=null replay large.log --scale-sampled replay-load:load.json
check_equal "memory: all statements were counted" 30000 "$(jq .statements load.json)"
check_between "memory: KiB" 1000 "$out" 300000

# One of N statements: the load is that of the server, the sessions are incomplete.
slow_log query 10 >query.log
replay query.log
check_match "statements: a note" 'logged only one of 10 statements' "$out"
check_match "statements: transactions" 'the sessions lack statements that were not logged' "$out"
replay query.log --scale-sampled
check_equal "statements: ten times as many" 60 "$(json .summary.requests.offered)"

# The order of a session holds in each copy: one worker, and statements of 30 ms that arrive 10 ms apart.
for i in 1 2 3; do record session 3 7 "0.0$i"; done >line.log
replay line.log --scale-sampled --null-service=30ms
check_match "statements of a copy wait for its own earlier ones" 'previous statement of the same session: 6 statements' "$out"

# Logs that are not sampled, and limits.
slow_log session 1 >whole.log
replay whole.log --scale-sampled
check_equal "a whole log: exit code" 0 "$status"
check_match "a whole log: a warning" 'WARNING: --scale-sampled has no effect: the log does not say' "$err"
check_equal "a whole log: once" 6 "$(json .summary.requests.offered)"
slow_log session 1001 >many.log
replay many.log --scale-sampled
check_equal "too many: exit code" 1 "$status"
check_match "too many: message" 'FATAL: --scale-sampled cannot be used with this log: Log_slow_rate_limit is 1001 .allowed: up to 1000' "$err"

finish
