# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The first impression: the first steps, the lists of tests and tools, suggestions for misspelt words, and the result
# of a run.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"

cp "$TESTS_DIR/cli/scripts/empty_event.lua" e.lua

# on_terminal COMMAND: prints the output of the command on a terminal, without carriage returns.
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }

test_list() {
    run "$SYSRATE" list
    check_equal "list: exit code" 0 "$status"
    check_match "list: a test of the program" '^  fileio  +[A-Z]' "$out"
    check_match "list: a bundled script, with a sentence" '^  oltp_read_only  +a transaction that only reads: point reads' "$out"
    check_match "list: a tool" '^  sweep  +run a test' "$out"
    check_no_match "list: no modules" 'oltp_common' "$out"
    local name
    while read -r name _; do
        [ -n "$name" ] || continue
        run "$SYSRATE" "$name" help
        check_no_match "list: '$name' is there" 'Cannot find' "$both"
    done < <("$SYSRATE" list | sed -n '/^Tests/,/^Tools/s/^  //p')
    check_equal "list: every sentence is there" "" "$("$SYSRATE" list | grep -E '^  [a-z_]+ *$')"
    check_match "--help has the bundled scripts" '^  select_random_points  +the reading of rows' "$("$SYSRATE" --help)"
}

# meant NAME LINE ARGUMENT...: checks the last line of an error message.
meant() {
    local name=$1 line=$2
    shift 2
    run "$SYSRATE" "$@"
    check_equal "$name: exit code" 1 "$status"
    check_equal "$name" "$line" "$(tail -n 1 <<<"$err")"
}

test_hints() {
    meant "a misspelt script" "Did you mean oltp_read_write? See 'sysrate list'." oltp_readwrite run
    meant "a misspelt built-in test" "Did you mean fileio? See 'sysrate list'." fielio run
    meant "a misspelt option" "Did you mean --threads?" cpu run --thread=4
    meant "a misspelt option of a script" "Did you mean --table-size?" oltp_read_only run --tabel-size=4
    meant "a misspelt option that is a second name" "Did you mean --tx-rate?" cpu run --tx-rte=4
    meant "-V" "Did you mean --version?" -V
    meant "an unknown short option" "invalid option: -x" -x
    meant "an option far from all" "invalid option: --xyzzy=4" cpu run --xyzzy=4
    meant "a value without =" "Options are written with '=': --threads=4" --threads 4 cpu run
    meant "a value without =, behind the test" "Options are written with '=': --threads=4" cpu --threads 4 run
    meant "a value without =, as the test" "Options are written with '=': --threads=4" --threads 4
    meant "a switch is none" "Unrecognized command line argument: more" --debug cpu run more
    meant "a misspelt command of a script" "Did you mean run?" e.lua runn
    meant "a misspelt command of a test" "Did you mean prepare?" fileio perpare
    meant "a command that the test has not" "'e.lua' test does not implement the 'warmup' command." e.lua warmup
    run "$SYSRATE" --mysql-password secret cpu run
    check_no_match "a password without = is not shown" secret "$both"
    ln -sf "$SYSRATE" sysbench
    run ./sysbench cpu run --thread=4
    check_equal "under the name sysbench: no hint" "invalid option: --thread=4" "$err"
    run ./sysbench -h
    check_equal "under the name sysbench: -h is no option" "1 invalid option: -h" "$status $err"
    run ./sysbench help
    check_equal "under the name sysbench: no hint on help" "FATAL: Cannot find benchmark 'help': no such built-in test, file or module" "$err"
    run ./sysbench </dev/null
    check_equal "under the name sysbench: an empty script is one" "0 " "$status $err"
    run ./sysbench e.lua runn
    check_equal "under the name sysbench: no hint on commands" "Unknown command: runn" "$(tail -n 1 <<<"$err")"
}

# leads NAME LINE ARGUMENT...: checks that the arguments print a page with this line to standard output, and no messages.
leads() {
    local name=$1 line=$2
    shift 2
    run "$SYSRATE" "$@"
    check_equal "$name: exit code, no message" "0 " "$status $err"
    check "$name: the page" grep -qxF -e "$line" <<<"$out"
}

test_ways_to_help() {
    local word tool usage='  sysrate [options]... [testname] [command]'
    for word in help -h '-?' -help --help 'help help'; do
        # shellcheck disable=SC2086  # two words
        leads "$word" "$usage" $word
    done
    for tool in $("$SYSRATE" list | sed -n '/^Tools:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        for word in "help $tool" "$tool help" "$tool -h" "$tool --help"; do
            # shellcheck disable=SC2086  # two words
            run "$SYSRATE" $word
            check_match "$word" "^0 Usage: +sysrate $tool .* $tool options:.* --help" \
                "$status $(tr '\n' ' ' <<<"$out")"
            check_equal "$word: no message" "" "$err"
        done
    done
    for word in 'help replay' 'replay help' 'replay --help' 'replay -h' 'replay some.log --help'; do
        # shellcheck disable=SC2086  # two words
        leads "$word" "replay options:" $word
    done
    leads "help oltp_read_only" "oltp_read_only options:" help oltp_read_only
    leads "help cpu" "cpu options:" help cpu
    echo 'sysbench.cmdline.options = {size = {"size", 1}}' >sized.lua
    leads "help of a script" "./sized.lua options:" help ./sized.lua
    leads "help list" "Tools:" help list
    leads "--help with a test names its help" "See 'sysrate cpu help' for a list of options for this test." cpu --help
    meant "help of an unknown test" "Did you mean fileio? See 'sysrate list'." help fielio
    mkdir own && cd own || return
    "$SYSRATE" trend help >../page
    mkdir help
    run "$SYSRATE" trend help
    check_no_match "a folder with the name help is a folder" '^Usage:' "$both"
    echo 'print("own script")' >help.lua
    run "$SYSRATE" help
    check_equal "a script with the name help is a test" "own script" "$(tail -n 1 <<<"$out")"
    cd ..
    check "no folder of this name: the page" grep -q '^  sysrate trend \[options\] DIR' page
}

# Each option of the program is on the page once.
test_topics() {
    run "$SYSRATE" --help
    check_equal "options that are twice on the page" "" "$(grep -oE '^  --[a-z-]+' <<<"$out" | sort | uniq -d)"
    check_equal "the page has the options that it has under the name sysbench" \
        "$(./sysbench --help | grep -oE '^  --[a-z-]+' | sort)" "$(grep -oE '^  --[a-z-]+' <<<"$out" | sort)"
    check_equal "the options that only the last topic has" \
        "forced-shutdown thread-stack-size thread-init-timeout arrival-wait debug validate help version config-file luajit-cmd num-threads max-requests max-time" \
        "$(sed -n '/^Set up the program:/,/^$/s/^  --\([a-z-]*\).*/\1/p' <<<"$out" | tr '\n' ' ' | sed 's/ $//')"
    check_equal "the first option" threads "$(sed -n '/^Put load on a server:/,/^$/s/^  --\([a-z-]*\).*/\1/p' <<<"$out" | head -n 1)"
}

test_hints_of_tools() {
    local behind="Options of the test follow '--': sysrate sweep [options] -- TEST [options]"
    meant "a misspelt option of sweep" "Did you mean --vary?" sweep --vry=threads=1 --out=x -- cpu
    meant "an option of the test before --" "$behind" sweep --threads=2 --out=x -- cpu
    meant "a value without =, sweep" "Options are written with '=': --vary=threads=1,2" sweep --vary threads=1,2 --out=x -- cpu
    meant "a misspelt option of capacity" "Did you mean --precision?" capacity --precison=3 --out=x -- cpu
    meant "a misspelt option of compare" "Did you mean --min-change?" compare --min-chnage=3 a.json b.json
    meant "a misspelt option of report" "Did you mean --html?" report --htm=x a.json
    meant "a value without =, report" "Options are written with '=': --html=x.html" report --html x.html a.json
    meant "a misspelt option of selftest" "Did you mean --quick?" selftest --quik
    meant "a misspelt test behind a tool" "Did you mean cpu? See 'sysrate list'." sweep --vary=threads=1 --out=x -- cpus
}

# Files of a failed sweep do not prevent the next one.
test_second_try() {
    run "$SYSRATE" sweep --vary=threads=1,2 --out=tried -- oltp_read_only --db-driver=sqlite --sqlite-db=/nowhere/test.db
    check_equal "a sweep of which all runs fail: exit code, no report" "1 sweep.plan table.csv table.md" "$status $(cd tried && echo *)"
    run "$SYSRATE" sweep --vary=threads=1,4 --out=tried -- e.lua --events=1
    check_equal "another sweep in its folder: exit code" 0 "$status"
    check_equal "another sweep in its folder: its plan" '["threads","1","4"]' "$(jq -c '.vary[0]' tried/sweep.plan)"
    run "$SYSRATE" sweep --vary=threads=1,8 --out=tried -- e.lua --events=1
    check_match "one that has measured keeps its plan" 'another plan: vary was .*"4".* is now .*"8"' "$err"
}

test_beginning() {
    check_match "at a terminal: where to begin" '^  sysrate list +list of tests' "$(script -qec "$SYSRATE" /dev/null | tr -d '\r')"
    run "$SYSRATE" <<<'print(1 + 1)'
    check_equal "with a script on standard input: no hint" "0  2" "$status $err $(tail -n 1 <<<"$out")"
    run "$SYSRATE" </dev/null
    check_equal "with empty standard input: a hint, and the behaviour of sysbench" \
        "0 No test was named, and no script came from standard input: see 'sysrate --help'" "$status $err"
}

headline() { tail -n 3 <<<"$out"; }

test_headline() {
    local wide="( ± [0-9.]+| \\(needs [0-9]+ times as many requests\\))?"
    run "$SYSRATE" --tx-rate=500 --arrival=constant --time=1 e.lua run
    check_match "headline: verdict" '^Result  (VALID|CLIENT-LIMITED|NON-STATIONARY)' "$(grep -A9 '^Result' <<<"$out")"
    check_match "headline: requests" \
        '^        asked 500/s  offered [0-9.]+/s  completed [0-9.]+/s \([0-9.]+ %\)  failed 0  dropped 0  unfinished [0-9]+$' "$(headline)"
    check_match "headline: times" \
        '^        response ms  p50 >?[0-9.]+'"$wide"'  p95 >?[0-9.]+'"$wide"'  p99 >?[0-9.]+'"$wide"'  p99\.9 >?[0-9.]+'"$wide"'  max >?[0-9.]+  mean >?[0-9.]+ = wait >?[0-9.]+ \+ service >?[0-9.]+( \(of those that began\))?$' \
        "$(tail -n 1 <<<"$out")"
    # On a busy machine, the requests of a run may depend on each other so much that its median is not known.
    local try
    for try in 1 2 3 4 5; do
        run "$SYSRATE" --tx-rate=500 --time=2 --percentile=50,75 --json=wide.json e.lua run
        jq -e '.summary.precision.response_ms.p50.low != null' wide.json >/dev/null && break
    done
    check_equal "precision: the mean, the percentiles asked for and those of the last lines" "mean p50 p75 p95 p99 p99.9" \
        "$(jq -r '[.summary.precision.response_ms | keys[]] | join(" ")' wide.json)"
    check_equal "precision: the median is within its interval" true \
        "$(jq '.summary | .precision.response_ms.p50.low as $l | .precision.response_ms.p50.high as $h | .response_ms.percentiles.p50.value |
            $l != null and $l <= . and . <= $h' wide.json)"
    check_equal "precision: 1000 requests do not know p99.9" true \
        "$(jq '.summary.precision.response_ms["p99.9"] | .low == null and (.needs_times == null or .needs_times >= 3)' wide.json)"
    local first
    first=$(tail -n 1 <<<"$out")
    run "$SYSRATE" report wide.json
    check_equal "precision: and again from JSON" "$first" "$(tail -n 1 <<<"$out")"
    # The only worker is in the events of the warm-up all the time.
    echo 'ffi.cdef("int poll(void *, unsigned long, int)") function event() ffi.C.poll(nil, 0, 1000) end' >long.lua
    run "$SYSRATE" --tx-rate=200 --threads=1 --warmup-time=1 --time=0.3 long.lua run
    check_match "headline: no measured request began" '^        response ms  p50 >' "$(tail -n 1 <<<"$out")"
    check_no_match "headline: no measured request began: no means" 'service' "$(tail -n 1 <<<"$out")"
    run "$SYSRATE" --tx-rate=0s:200,1s:400 --time=1 e.lua run
    check_match "headline: the mean of a rate that changes" '^        asked 300\.00/s \(mean\)  offered ' "$out"
    # The rate starts at 100 and grows by 50 per second: the mean over t seconds is 100 + 25 t. The 91st request
    # arrives at 0.76 s.
    local most
    echo 'local n = 0 function event() n = n + 1 if n > 90 then error("no luck", 0) end end' >stops.lua
    run "$SYSRATE" --tx-rate=0s:100,60s:3100 --arrival=constant --threads=1 --time=60 --json=a.json stops.lua run
    asked() { sed -n 's|^        asked \([0-9.]*\)/s (mean).*|\1|p' <<<"$out"; }
    most=$(jq '100.1 + 25 * .summary.elapsed_s' a.json)
    check_between "headline: a rate that changes, ended early: its mean until then" 118 "$(asked)" "$most"
    run "$SYSRATE" report a.json
    check_between "headline: and again from JSON" 118 "$(asked)" "$most"
    run "$SYSRATE" --tx-rate=20000 --queue-size=10 --threads=1 --time=1 - run <<<'function event() for i = 1, 1e7 do end end'
    check_match "headline: of a run that is not valid" '^Result  [A-Z-]+  .*' "$out"
    check_match "headline: advice" '^        [A-Z].*\.$' "$(grep -A1 '^Result' <<<"$out")"
    run "$SYSRATE" --events=10 e.lua run
    check_no_match "headline: in a pipe, a closed loop has sysbench's lines only" '^Result' "$out"
    # A client that is busy all the time results in a finding.
    run "$SYSRATE" --time=1.2 - run <<<'function event() for i = 1, 1e6 do end end'
    check_equal "in a pipe, a closed loop prints the lines of sysbench on standard error" "" "$(cat .err)"
    run "$SYSRATE" --events=10 --report=full e.lua run
    check_match "headline: closed loop" '^Result  VALID  closed loop: .*use --tx-rate$' "$out"
    check_match "closed loop: the audit, where it is asked for" '^    client CPU: ' "$out"
    check_match "headline: closed loop, requests" '^        completed [0-9.]+/s  failed 0  unfinished 0$' "$(headline)"
    echo 'function event() error("no luck") end' >unlucky.lua
    run "$SYSRATE" --report=brief unlucky.lua run
    check_match "headline: a closed loop that is not valid" '^Result  CUT-SHORT  an error ended the run after 0\.[0-9]{3} ' "$out"
    check_match "headline: problems that it does not show" '^        closed loop: ' "$out"
    run "$SYSRATE" unlucky.lua run
    check_equal "in a pipe: the reason of the end is printed once" 1 "$(grep -c . <<<"$err")"
    run "$SYSRATE" --events=10 --report=sysbench-1.1 e.lua run
    check_no_match "headline: in no layout of sysbench" '^Result' "$out"
    run "$SYSRATE" --events=10 --report=full --report-format=json e.lua run
    check_equal "a layout without a report: exit code" 1 "$status"
    check_match "a layout without a report" '--report cannot be used with --report-format=json' "$err"
    run "$SYSRATE" --tx-rate=500 --time=1 --report=brief e.lua run
    check_match "brief: the headline" '^Result  ' "$out"
    check_no_match "brief: and not the rest" '^(Latency|Requests|Generator)' "$out"
    check_match "brief: passed audits are one line" '^(Audit: |Result  (OVERLOADED|[A-Z]+-))' "$out"
    run "$SYSRATE" --events=10 --report=brief --slo='max<1000s' e.lua run
    check_equal "brief: a closed loop" "Audit: all passed||Objectives: met|" "$(tail -n 7 <<<"$out" | head -n 4 | paste -sd '|')"
    run "$SYSRATE" --tx-rate=500 --time=1 --report=brief --slo='max<1us' e.lua run
    check_match "brief: problems" '^Objectives: MISSED$' "$out"
}

test_colour() {
    local escape=$'\033' run="$SYSRATE --events=10 e.lua run"
    check_match "colour: on a terminal" "^Result  $escape" "$(on_terminal "$run")"
    check_no_match "colour: not with NO_COLOR" "$escape" "$(NO_COLOR=1 on_terminal "$run")"
    check_no_match "colour: not when asked not to" "$escape" "$(on_terminal "$run --color=never")"
    check_no_match "colour: not in a pipe" "$escape" "$($run --report=full)"
    check_match "colour: unless asked to" "^Result  $escape" "$($run --report=full --color=always)"
}

test_once() {
    local shown
    shown=$(on_terminal "$SYSRATE --tx-rate=500 --time=0.5 e.lua run")
    check_no_match "on a terminal each figure is printed once" '^(Latency|Throughput|Verdict: [A-Z]*$)' "$shown"
    check_match "on a terminal: requests and times" '^Response time \(ms\):' "$shown"
    shown=$(on_terminal "$SYSRATE --tx-rate=500 --time=0.5 --report=full e.lua run")
    check_match "--report=full has all of it" '^Latency' "$shown"
    check_match "--report=full has the verdict with all findings" '^Verdict: ' "$shown"
    shown=$(on_terminal "$SYSRATE --tx-rate=500 --time=0.5 --report-checkpoints=0.2 e.lua run")
    check_equal "with checkpoints, sections are of a part" 2 "$(grep -c '^Latency' <<<"$shown")"
}

intervals() { on_terminal "$SYSRATE --tx-rate=200 --time=1 --report-interval=1 $* e.lua run" | grep '^\[ 1s \]'; }

test_intervals() {
    local n='[0-9.]+'
    check_match "an interval on a terminal is one line" \
        "^\[ 1s \] thds: 1 eps: $n lat \(ms,95%\): $n queue: $n busy: $n offered: $n$" "$(intervals)"
    check_match "a rate that changes: the requested rate, too" ' busy: .* asked: [0-9.]+ offered: [0-9.]+$' "$(intervals --tx-rate=0s:200,1s:300)"
    check_match "--report=full: as in a pipe" '^\[ 1s \] arrivals/s asked: ' "$(intervals --report=full)"
    check_match "--report=sysbench-1.1: as in a pipe" '^\[ 1s \] queue length: ' "$(intervals --report=sysbench-1.1)"
}

# progress OPTION...: sets `out` to the output of a run on a wide terminal.
progress() { out=$(TERM=xterm on_terminal "stty rows 24 cols 80; $SYSRATE --time=1.3 $* e.lua run"); }

test_progress() {
    # Retried, because the program may be delayed on a busy machine.
    try_until '[[ $out == *" of 1 s ]"* ]]' progress --tx-rate=200
    check_match "progress of a run without intervals" '\[ 1 of 1 s \] [0-9.]+/s, mean [0-9.]+ ms, queue [0-9]+, busy [0-9]+' "$out"
    try_until '[[ $out == *" of 1 s ]"* ]]' progress
    check_match "progress of a closed loop" '\[ 1 of 1 s \] [0-9.]+/s, mean [0-9.]+ ms' "$out"
    progress --report-interval=1
    check_no_match "progress: not with intervals" ' of 1 s \]' "$out"
    progress --report=sysbench-1.0
    check_no_match "progress: not in a layout of sysbench" ' of 1 s \]' "$out"
    check_no_match "progress: not on a terminal that cannot" ' of 1 s \]' "$(TERM=dumb on_terminal "$SYSRATE --time=1.3 e.lua run")"
}

test_list
test_hints
test_ways_to_help
test_topics
test_hints_of_tools
test_second_try
test_beginning
test_headline
if command -v script >/dev/null; then
    test_colour
    test_once
    test_intervals
    test_progress
else
    skip "the output on a terminal (script is not installed)"
fi
finish
