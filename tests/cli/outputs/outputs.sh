# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Measurements reach their files in spite of other errors: the reader of standard output ends, the terminal is lost, a
# disk is full.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

# Runs until the file "stop" exists.
cat >sleep.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event()
   ffi.C.usleep(1000)
   return io.open("stop")
end
LUA

# Resets signals, in case the test itself was started with other actions.
DEFAULT_SIGNALS=(env --default-signal=HUP,PIPE)

FILES=(--report-interval=0.1 --json=a.json --html=a.html --csv=a.csv --hlog=a.hlog)
WRITTEN='a.csv a.hlog a.html a.json'

# written: lists the output files that exist, under their final or temporary names.
written() {
    echo a.*
}

# into_pipe COMMAND...: starts the command ($pid) with standard output into a pipe. The reader ($reader) writes what it
# receives to .out.
into_pipe() {
    rm -rf pipe .out .err
    mkfifo pipe
    cat pipe >.out &
    reader=$!
    "$@" >pipe 2>.err &
    pid=$!
}

# end_with SIGNAL: ends the command that was started last, and waits for it.
end_with() {
    kill "-$1" "$pid"
    wait "$pid" 2>/dev/null
    status=$?
    err=$(cat .err)
}

lose_reader() {
    kill "$reader"
    wait "$reader"
}

# A reader may be late, but only for some seconds.
test_pipe_as_file() {
    rm -f fifo
    mkfifo fifo
    (sleep 1; cat fifo >read.json) &
    run "$SYSRATE" "$TESTS_DIR/cli/scripts/empty_event.lua" run --events=1 --json=fifo
    wait $!
    check_equal "a pipe with a late reader: exit code and report" "0 1" "$status $(jq .summary.counters.events read.json)"
    RUN_TIMEOUT=30 run "$SYSRATE" "$TESTS_DIR/cli/scripts/empty_event.lua" run --events=1 --json=fifo
    check_equal "a pipe without a reader: exit code" 1 "$status"
    check_match "a pipe without a reader: a warning" "^WARNING: .*'fifo'.* 10 s " "$err"
    check_match "a pipe without a reader: the error" "^FATAL: cannot write 'fifo': " "$err"
    into_pipe "$SYSRATE" sleep.lua run --time=1 --report-interval=1 --csv=fifo
    wait_for 40 grep -qs 'has no reader' .err
    local begun=$SECONDS
    end_with TERM
    check_between "SIGTERM ends the wait for a reader: seconds" 0 $((SECONDS - begun)) 5
}

BROKEN='FATAL: cannot write to standard output: Broken pipe'

test_reader_gone() {
    into_pipe "$SYSRATE" sleep.lua run --time=60 "${FILES[@]}"
    wait_for 40 grep -qs '^Threads started!' .out
    lose_reader
    touch stop
    wait "$pid"
    check_equal "| head: exit code" 1 $?
    check_equal "| head: one message" "$BROKEN" "$(cat .err)"
    check_equal "| head: all files" "$WRITTEN" "$(written)"
    check_equal "| head: in the JSON" "script 1" "$(json_figure '"\(.summary.end) \(.summary.exit_code)"')"
    rm -f a.* stop
    into_pipe "$SYSRATE" sleep.lua run --time=60 "${FILES[@]}"
    wait_for 40 grep -qs ' thds: ' .out
    lose_reader
    end_with INT
    check_equal "| tee and Ctrl-C: exit code" 130 "$status"
    check_equal "| tee and Ctrl-C: one message" "$BROKEN" "$err"
    check_equal "| tee and Ctrl-C: all files" "$WRITTEN" "$(written)"
    check_equal "| tee and Ctrl-C: in the JSON" "signal 130" "$(json_figure '"\(.summary.end) \(.summary.exit_code)"')"
    rm -f a.*
}

# Programs started by a script have the default action of SIGPIPE; otherwise `yes` would report a write error.
test_children_and_pipes() {
    cat >child.lua <<'LUA'
function event() os.execute("yes 2>yes.err | head -n 1 >yes.out") return true end
LUA
    run "${DEFAULT_SIGNALS[@]}" "$SYSRATE" child.lua run
    check_equal "a pipe of a script's own: output" y "$(cat yes.out)"
    check_equal "a pipe of a script's own: no error" "" "$(cat yes.err)"
}

test_hangup() {
    into_pipe "${DEFAULT_SIGNALS[@]}" "$SYSRATE" sleep.lua run --time=60 "${FILES[@]}"
    wait_for 40 grep -qs ' thds: ' .out
    kill -HUP "$pid"
    end_with HUP
    check_equal "SIGHUP, twice: exit code" 129 "$status"
    check_equal "SIGHUP, twice: all files" "$WRITTEN" "$(written)"
    check_equal "SIGHUP, twice: in the JSON" "signal 129" "$(json_figure '"\(.summary.end) \(.summary.exit_code)"')"
    check_match "SIGHUP, twice: the report" '^Threads fairness:$' "$(cat .out)"
    rm -f a.*
    into_pipe nohup "$SYSRATE" sleep.lua run --time=60
    wait_for 40 grep -qs '^Threads started!' .out
    kill -HUP "$pid"
    end_with TERM
    check_equal "SIGHUP under nohup is ignored: exit code" 143 "$status"
}

# test_tool NAME SIGN OPTION...: a sweep or search loses first its reader, then its terminal.
test_tool() {
    local name=$1 sign=$2
    shift 2
    into_pipe "${DEFAULT_SIGNALS[@]}" "$SYSRATE" "$name" --out="$name" "$@" -- sleep.lua
    wait_for 40 grep -qs "$sign" .err
    lose_reader
    end_with HUP
    check_equal "$name: exit code" 129 "$status"
    check_match "$name: standard output" "^$BROKEN\$" "$err"
    check "$name: a page of the existing report" test -s "$name/page.html"
}

# The descriptor that replaces the closed one is read-only.
test_closed_output() {
    "$SYSRATE" sleep.lua run --time=0.1 2>err >&-
    check_equal "standard output is closed: exit code" 1 $?
    check_equal "standard output is closed: one message" "FATAL: cannot write to standard output: Bad file descriptor" "$(cat err)"
    test -e /dev/full || return
    "$SYSRATE" sleep.lua run --time=0.1 2>err >/dev/full
    check_equal "standard output to a full disk: one message" \
        "FATAL: cannot write to standard output: No space left on device" "$(cat err)"
}

# limited COMMAND...: runs the command with a file size limit of 8192 bytes.
limited() {
    trap '' XFSZ
    ulimit -f 8
    exec "$@"
}

# test_full_disk NAME: rows and histograms exceed the limit.
test_full_disk() {
    local kept
    into_pipe limited "$SYSRATE" sleep.lua run --time=60 --report-interval=0.01 "--$1=a.$1"
    wait_for 40 grep -qs '^WARNING' .err
    check_match "--$1, full disk: reported at once" \
        "^WARNING: cannot write 'a.$1' \\(what was written until then is in 'a.$1\..{6}'\\): File too large \(see ulimit -f\)\$" "$(cat .err)"
    end_with TERM
    kept=$(written)
    check_equal "--$1, full disk: exit code" 143 "$status"
    check_match "--$1, full disk: the message at the end" "^FATAL: cannot write 'a.$1' .* '$kept'\): File too large \(see ulimit -f\)\$" "$err"
    check_equal "--$1, full disk: two messages" 2 "$(printf '%s\n' "$err" | wc -l)"
    check_equal "--$1, full disk: complete rows are kept" 8192 "$(stat -c %s "$kept")"
    rm -f a.*
}

test_full_disk_at_end() {
    into_pipe limited "$SYSRATE" sleep.lua run --time=60 --html=a.html
    wait_for 40 grep -qs '^Threads started!' .out
    touch stop
    wait "$pid"
    check_equal "--html, full disk: exit code" 1 $?
    check_match "--html, full disk: the reason" "^FATAL: cannot write 'a\.html' \(.*\): File too large \(see ulimit -f\)\$" "$(cat .err)"
    rm -f a.* stop
}

# A row is written after the line of its interval, and before the next line.
test_killed() {
    into_pipe "$SYSRATE" sleep.lua run --time=60 --report-interval=0.05 --csv=a.csv --hlog=a.hlog
    wait_for 40 awk '/ thds: / { n++ } END { exit n < 5 }' .out
    end_with KILL
    check_between "kill -9: rows are there" 4 "$(grep -c '^[0-9]' a.csv.*)" 10000
    check_between "kill -9: histograms are there" 3 "$(grep -c '^Tag=response' a.hlog.*)" 10000
    rm -f a.*
}

test_one_file_twice() {
    local names
    ln -s new.json link
    echo >a.csv
    ln -s a.csv b.csv
    ln a.csv c.csv
    for names in '--json=one --html=one' '--csv=one --hlog=./one' '--hgrm=one --request-log=one' '--csv=one --prom-file=one' \
        '--json=link --html=new.json' '--json=b.csv --csv=a.csv' '--json=c.csv --csv=a.csv'; do
        # shellcheck disable=SC2086  # two words
        set -- $names
        run "$SYSRATE" sleep.lua run --time=0.1 --report-interval=1 "$@"
        check_equal "$names: exit code" 1 "$status"
        check_equal "$names: refused" "FATAL: $1 and $2 name one file (allowed: a file for each)" "$err"
    done
    check_not "a file of two outputs: not written" test -e one
    for names in '--json=/dev/null --html=/dev/null' '--json=/dev/stdout --html=/dev/stdout'; do
        # shellcheck disable=SC2086  # two words
        run "$SYSRATE" sleep.lua run --time=0.1 $names
        check_equal "$names: exit code" 0 "$status"
    done
    rm link [abc].csv
}

# Text from other programs must not contain bytes that control a terminal.
test_control_characters() {
    local raw=$'\e[31mred\a\x7f'
    cat >error.lua <<LUA
function event() error("$raw") end
LUA
    run "$SYSRATE" error.lua run
    check_match "control characters: of an error in a script" '^FATAL: .*\?\[31mred\?\?$' "$err"
    run "$SYSRATE" $'no\xc2\x9b31m\nWARNING: such' run
    check_match "control characters: of Unicode, and line ends in a name" "^FATAL: .*'no\?31m WARNING: such'" "$err"
    run "$SYSRATE" sleep.lua run --time=60 "--inject=0.01s: sh: echo '$raw' >&2; touch stop; exit 1"
    rm stop
    check_match "control characters: of a command's output" '^    \| \?\[31mred\?\?$' "$out"
    check_match "control characters: of the command" "^  1\\. sh: echo ' \\[31mred  '" "$out"
    check_no_match "control characters: not in injections" '[[:cntrl:]]' "$both"
    run "$SYSRATE" sweep --out=controls "--vary=rand-seed=1,$raw" -- sleep.lua --time=0.1
    check_match "control characters: of values that are refused" '\?\[31mred\?\?' "$err"
    run "$SYSRATE" sweep --out=controls "--vary=inject=0.01s: sh: true,0.01s: sh: true '$raw'" -- sleep.lua --time=0.05
    check_match "control characters: of a sweep's label" "^\[2/2\] inject=0\.01s: sh: true '\?\[31mred\?\?': " "$err"
    check_match "control characters: of a sweep's table" "^\| 0\.01s: sh: true '\?\[31mred\?\?' " "$out"
    check_no_match "control characters: not in a sweep" '[[:cntrl:]]' "$both"
}

# has_ended PID: true also for a zombie.
has_ended() {
    ! grep -qs '^State:.[^XZ]' "/proc/$1/status"
}

test_command_of_a_killed_run() {
    into_pipe "$SYSRATE" sleep.lua run --time=60 '--inject=0.01s: sh: echo $$ >command; exec sleep 1000'
    wait_for 40 test -s command
    end_with KILL
    check "kill -9: an injected command ends" wait_for 40 has_ended "$(cat command)"
}

test_pipe_as_file
test_reader_gone
test_children_and_pipes
test_hangup
test_tool sweep '^\[1/2\]' --vary=time=0.2,60
test_tool capacity '^probe 1:' '--slo=p99<10s' --min-rate=200 --probe-time=0.5 --pause=60
test_closed_output
test_full_disk csv
test_full_disk hlog
test_full_disk_at_end
test_killed
test_one_file_twice
test_control_characters
test_command_of_a_killed_run
finish
