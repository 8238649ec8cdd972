# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Functions for shell tests, which source this file as `. "$TESTS_DIR/cli/lib.sh"`. A test is a bash script that runs
# checks and ends with `finish`:
#
#   run "$SYSRATE" --version                     sets $status, $out (standard output) and $err (standard error)
#   check_equal "exits 0" 0 "$status"
#   check_match "names itself" '^sysrate ' "$out"
#   check "wrote a file" test -s result.json
#   finish
#
# A test starts in an empty folder of its own, which is removed at the end. Each check prints "ok - NAME" or "not ok -
# NAME", and after a failure the actual value. `make check` sets SYSRATE (the program), TESTS_DIR, SRCDIR and SANITIZER
# ("no", "address,undefined" or "thread").

set -u

: "${TESTS_DIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${SRCDIR:=$(dirname "$TESTS_DIR")}"
: "${SYSRATE:=$SRCDIR/build/src/sysrate}"
: "${SANITIZER:=no}"
export TESTS_DIR SRCDIR SYSRATE SANITIZER

checks_passed=0
checks_failed=0
# Number of steps that a busy machine may spoil, and of their repetitions.
steps=0
repeats=0

WORK_DIR=$(mktemp -d "${TMPDIR:-/tmp}/sysrate-test.XXXXXX")
trap 'cd / && rm -rf "$WORK_DIR"' EXIT
# A signal ends the test through the EXIT trap.
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$WORK_DIR" || exit 1

pass() {
    checks_passed=$((checks_passed + 1))
    printf 'ok - %s\n' "$1"
}

# fail NAME [SEEN]
fail() {
    checks_failed=$((checks_failed + 1))
    printf 'not ok - %s\n' "$1"
    if [ $# -gt 1 ]; then
        printf '%s\n' "$2" | sed 's/^/#   /'
    fi
}

# skip NAME REASON: prints that a check was skipped. It counts neither as passed nor as failed.
skip() {
    printf 'skip - %s (%s)\n' "$1" "$2"
}

# needs_http NAME: ends a test that needs libmicrohttpd if the program was built without it.
needs_http() {
    if "$SYSRATE" --version | grep -q '^Metrics over HTTP .*: left out'; then
        skip "$1" "built without libmicrohttpd"
        exit 77
    fi
}

# check NAME COMMAND...: the command must succeed.
check() {
    local name=$1
    shift
    if "$@"; then
        pass "$name"
    else
        fail "$name" "failed: $*"
    fi
}

# check_not NAME COMMAND...: the command must fail.
check_not() {
    local name=$1
    shift
    if "$@"; then
        fail "$name" "succeeded: $*"
    else
        pass "$name"
    fi
}

# check_equal NAME EXPECTED SEEN
check_equal() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "expected: $2
seen:     $3"
    fi
}

# check_match NAME EXTENDED-REGEX TEXT: at least one line of the text must match.
check_match() {
    if printf '%s\n' "$3" | grep -Eq -- "$2"; then
        pass "$1"
    else
        fail "$1" "no line matches: $2
$3"
    fi
}

# check_no_match NAME EXTENDED-REGEX TEXT
check_no_match() {
    if printf '%s\n' "$3" | grep -Eq -- "$2"; then
        fail "$1" "a line matches: $2
$3"
    else
        pass "$1"
    fi
}

# check_between NAME LOW SEEN HIGH: decimal numbers, bounds included.
check_between() {
    if awk -v low="$2" -v seen="$3" -v high="$4" \
        'BEGIN { exit !(seen ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ &&
                        seen + 0 >= low + 0 && seen + 0 <= high + 0) }'; then
        pass "$1"
    else
        fail "$1" "not between $2 and $4: '$3'"
    fi
}

# settled FILE...: prints the messages of a run, except for verdicts that other load on the machine may cause. The
# verdict is in the report as well.
settled() { grep -avE '^WARNING: verdict (CLIENT-LIMITED|NON-STATIONARY): ' "$@" || true; }

# run COMMAND...: runs the command for at most RUN_TIMEOUT seconds (then status is 124). Sets status, out, and err
# without the lines that settled() removes.
run() {
    timeout --kill-after=5 "${RUN_TIMEOUT:-60}" "$@" >"$WORK_DIR/.out" 2>"$WORK_DIR/.err"
    # shellcheck disable=SC2034  # for the test
    status=$?
    out=$(cat "$WORK_DIR/.out")
    err=$(settled "$WORK_DIR/.err")
    # shellcheck disable=SC2034  # for the test
    both="$out
$err"
}

# try_until CONDITION COMMAND...: runs a step that a busy machine may spoil although the program is right. Repeats the
# step up to 5 times while CONDITION, a shell command, fails. The checks after it decide; facts that must hold on any
# machine are checked separately. The pauses between attempts grow, so that one disturbance spoils one attempt: if a
# tenth of the attempts is spoilt, all six are spoilt once in a million. scripts/test.sh adds up the repetitions of all
# tests, and fails if that tenth does not explain them.
try_until() {
    local condition=$1 pause
    shift
    steps=$((steps + 1))
    for pause in 1 2 4 8 16 ''; do
        "$@"
        if eval "$condition"; then
            return
        fi
        [ -n "$pause" ] || break
        echo "# to be made again (load $(cut -d ' ' -f 1 /proc/loadavg)): $condition"
        repeats=$((repeats + 1))
        sleep "$pause"
    done
}

# run_until CONDITION COMMAND...: the same for run(). For figures that depend on when threads are scheduled, such as
# the number of interval lines. If the program fails, CONDITION is not checked and the step is not repeated.
run_until() {
    local condition=$1
    shift
    # shellcheck disable=SC2016  # for try_until
    try_until '[ "$status" -ne 0 ] || '"$condition" run "$@"
}

# Whenever a sleep of 0.1 s takes more than 0.3 s, prints how many seconds it took: the machine stood still. Ends with the test.
note_standstills() {
    local before took_us
    while kill -0 $$ 2>/dev/null; do
        before=$EPOCHREALTIME
        sleep 0.1
        took_us=$((${EPOCHREALTIME/[.,]/} - ${before/[.,]/}))
        [ "$took_us" -le 300000 ] || printf '%d.%03d\n' $((took_us / 1000000)) $((took_us % 1000000 / 1000))
    done
}

# steadily COMMAND...: runs a step, and repeats it up to 4 times if the machine stood still during the step. Only a program that takes all
# processors could cause this itself. The checks after it decide about the last attempt.
steadily() {
    local pause notes_pid
    for pause in 1 2 4 8 ''; do
        note_standstills >"$WORK_DIR/.standstills" &
        notes_pid=$!
        "$@"
        sleep 0.1 # a standstill at the end is noted, too
        kill "$notes_pid"
        wait "$notes_pid" 2>/dev/null
        [ -s "$WORK_DIR/.standstills" ] || return 0
        if [ -z "$pause" ]; then
            echo "# the machine stood still in the last attempt, too"
            return 0
        fi
        echo "# again, because the machine stood still (in s): $(xargs <"$WORK_DIR/.standstills")"
        sleep "$pause"
    done
}

# wait_for SECONDS COMMAND...: repeats the command until it succeeds. Returns 1 if it has not after SECONDS.
wait_for() {
    local tries=$(($1 * 20))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}

# figure NAME: prints the number after "NAME:" in the report of the last run; of a lower bound, the number only.
figure() {
    printf '%s\n' "$out" | sed -nE "s/^ *$1: +>?([0-9.]+).*/\1/p" | head -n 1
}

# Prints "READ WRITE OTHER", the numbers of statements of the last run.
statement_counts() {
    echo "$(figure read) $(figure write) $(figure other)"
}

# times N "A B C": prints "N·A N·B N·C".
times() {
    local n=$1
    # shellcheck disable=SC2086  # three words
    set -- $2
    echo "$(($1 * n)) $(($2 * n)) $(($3 * n))"
}

# json_figure FILTER: applies the jq filter to the JSON report a.json.
json_figure() {
    jq -r "$1" a.json
}

# Prints the summary and ends the test.
finish() {
    if [ "$steps" -gt 0 ]; then
        printf '# %d steps, made again: %d\n' "$steps" "$repeats"
    fi
    printf '# %d checks passed, %d failed\n' "$checks_passed" "$checks_failed"
    if [ "$checks_failed" -gt 0 ] || [ "$checks_passed" -eq 0 ]; then
        exit 1
    fi
    exit 0
}
