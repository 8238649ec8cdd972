# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The interface for scripts: which functions are called and when, run loops in scripts, counters, restarts, random
# numbers, SQL and its hooks. Each kind of script runs in a closed loop and at a rate; requests must add up.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

SCRIPTS=$TESTS_DIR/cli/scripts

# script NAME [ARGUMENT...]: runs the script. If the command is run, results are written to a.json.
script() {
    local name=$1
    shift
    rm -f a.json
    run "$SYSRATE" "$SCRIPTS/$name.lua" --db-driver=sqlite --sqlite-db=test.db --json=a.json "$@"
}

# json EXPRESSION: evaluates the Python expression with `r`, the JSON report.
json() {
    python3 -c 'import json, sys
r = json.load(open("a.json"))
q = r["summary"]["requests"]
print(eval(sys.argv[1]))' "$1" 2>&1
}

# check_adds_up NAME: checks the counting identity in the JSON report.
check_adds_up() {
    check_equal "$1: requests add up" True \
        "$(json 'q["offered"] == q["completed"] + q["failed"] + q["dropped"] + q["unfinished"]')"
}

events() {
    json 'q["completed"]'
}

# A closed loop, and a rate that the machine can easily serve.
MODES="--rate=0 --rate=1000"

test_everything_there() {
    rm -f test.db
    script globals try
    check_equal "all functions: exit code" 0 "$status"
    check_match "all functions: each was tried" '^all is there$' "$out"
    script globals try --db-ps-mode=disable --sqlite-db=ps.db
    check_match "all functions, statements on the client's side" '^all is there$' "$out"
    check_match "a query that fails is shown once" "error 1 \(no such table: nowhere\)" "$err"
    check_match "a closed connection is named" \
        '^ALERT: attempt to use an already closed connection$' "$err"
}

test_first_touch() {
    script first_touch run --time=5
    check_equal "members created when first read: exit code" 0 "$status"
    check_match "members created when first read: all" '^first	nil	true	touch$' "$out"
}

test_lifecycle() {
    local mode stop
    for mode in $MODES; do
        script lifecycle run --threads=2 --events=20 --time=0 "$mode"
        check_equal "life cycle $mode: exit code" 0 "$status"
        check_equal "life cycle $mode: functions that are called" "body tid 0
body tid 0
body tid 1
done tid 0 args 0
init tid 0 args 0
thread_done tid 0 args 1 0
thread_done tid 1 args 1 1
thread_init tid 0 args 1 0
thread_init tid 1 args 1 1" "$(printf '%s\n' "$out" | grep ' tid ' | grep -v '^event' | sort)"
        check_match "life cycle $mode: event gets the thread number" '^event tid ([01]) args 1 \1$' "$out"
        for stop in true 0 empty table; do
            script lifecycle run --time=20 "$mode" --stop=$stop
            check_equal "event returns $stop $mode: exit code" 0 "$status"
            check_equal "event returns $stop $mode: the end" script "$(json 'r["summary"]["end"]')"
            check_equal "event returns $stop $mode: events" 3 "$(events)"
            check_match "event returns $stop $mode: done is called" '^done tid' "$out"
            check_adds_up "event returns $stop $mode"
        done
        for stop in nil false; do
            script lifecycle run --events=20 --time=0 "$mode" --stop=$stop
            check_equal "event returns $stop $mode: goes on" 20 "$(events)"
        done
    done
}

test_errors() {
    local mode name
    for mode in $MODES; do
        for name in event thread_done done; do
            script lifecycle run --threads=2 --events=100 --time=5 "$mode" --fail=$name
            check_equal "an error in $name $mode: exit code" 1 "$status"
            check_match "an error in $name $mode: script and line" \
                "^FATAL: .* function failed: .*lifecycle\.lua:[0-9]+: $name fails as asked" "$err"
            check_match "an error in $name $mode: the report" '^Threads fairness:$' "$out"
            check_equal "an error in $name $mode: JSON" True "$(json '"elapsed_s" in r["summary"]')"
            check_adds_up "an error in $name $mode"
        done
        check_equal "an error in event $mode: JSON has the exit code" 1 \
            "$(script lifecycle run --events=9 --fail=event "$mode"; json 'r["summary"]["exit_code"]')"
        for name in init thread_init; do
            script lifecycle run --threads=2 --time=5 "$mode" --fail=$name
            check_equal "an error in $name $mode: exit code" 1 "$status"
            check_match "an error in $name $mode: script and line" \
                "^FATAL: \`$name' function failed: .*lifecycle\.lua:[0-9]+: $name fails as asked\$" "$err"
            check_no_match "an error in $name $mode: no event ran" '^event' "$out"
        done
    done
    script lifecycle run --threads=8 --time=5 --fail=thread_init
    check_equal "the same error in 8 threads: repeated" 8 \
        "$(printf '%s\n' "$err" |
            awk '/^FATAL: .thread_init/ { n++ } /last message repeated/ { n += $4 } END { print n }')"

    # Error values other than strings.
    local value
    for value in '{}' 'nil' 'true' '42' '1LL' 'setmetatable({}, {__tostring = function() error("x") end})'; do
        echo "function event() error($value) end" >thrown.lua
        run "$SYSRATE" thrown.lua run --time=5
        check_equal "error($value): exit code" 1 "$status"
        check_match "error($value): message" "^FATAL: \`thread_run' function failed: ." "$err"
        check_no_match "error($value): no panic" PANIC "$both"
    done
    # A traceback is printed only on request.
    echo 'local function deep() error("down here") end function event() deep() end' >deep.lua
    run "$SYSRATE" deep.lua run --time=5 --debug
    check_match "--debug shows where from" 'stack traceback' "$both"
}

test_restarts() {
    local mode form
    for mode in $MODES; do
        for form in plain table; do
            script restart run --threads=1 --events=30 --time=0 "$mode" --form=$form
            check_equal "restart, $form $mode: exit code" 0 "$status"
            check_equal "restart, $form $mode: events" 30 "$(events)"
            check_match "restart, $form $mode: attempts" '^attempts 90$' "$out"
            check_adds_up "restart, $form $mode"
        done
        # Restarts end at --time.
        script restart run --threads=3 --time=1 "$mode" --never
        check_equal "restarts without end $mode: exit code" 0 "$status"
        check_equal "restarts without end $mode: nothing is completed" 0 "$(events)"
        check_equal "restarts without end $mode: those begun have failed" 3 "$(json 'q["failed"]')"
        check_between "restarts without end $mode: time" 0.99 "$(json 'r["summary"]["elapsed_s"]')" 50
        check_adds_up "restarts without end $mode"
    done
}

test_own_loop() {
    local mode style
    for mode in $MODES; do
        for style in plain twice; do
            script own_loop run --style=$style --threads=3 --events=200 --time=0 "$mode"
            check_equal "own loop, $style $mode, --events: exit code" 0 "$status"
            check_equal "own loop, $style $mode, --events" 200 "$(events)"
            check_adds_up "own loop, $style $mode, --events"
            script own_loop run --style=$style --threads=3 --time=0.3 "$mode"
            check_equal "own loop, $style $mode, --time: exit code" 0 "$status"
            check_between "own loop, $style $mode, --time" 0.28 "$(json 'r["summary"]["elapsed_s"]')" 50
            # 300 expected at the rate, standard deviation 17
            check_between "own loop, $style $mode, --time: events" 210 "$(json 'q["offered"]')" 1e12
            check_between "own loop, $style $mode, --time: completed events" 1 "$(events)" 1e12
            check_adds_up "own loop, $style $mode, --time"
        done
        script own_loop run --style=unstopped --events=100 --time=0 "$mode"
        check_equal "own loop, half of the events are not stopped $mode" "50 50" \
            "$(json 'q["completed"]') $(json 'q["failed"]')"
        check_adds_up "own loop, unstopped $mode"
        script own_loop run --style=early --threads=2 --time=40 "$mode"
        check_equal "own loop, ends early $mode: exit code" 0 "$status"
        check_equal "own loop, ends early $mode" 10 "$(events)"
        check_adds_up "own loop, ends early $mode"
        script own_loop run --style=idle --time=40 "$mode"
        check_equal "own loop, does nothing $mode: exit code" 0 "$status"
        check_equal "own loop, does nothing $mode" 0 "$(events)"
        check_adds_up "own loop, does nothing $mode"
        script own_loop run --style=fail --threads=1 --time=5 "$mode"
        check_equal "own loop, fails $mode: exit code" 1 "$status"
        check_match "own loop, fails $mode: message" \
            "^FATAL: \`thread_run' function failed: .*own_loop\.lua:[0-9]+: loop has failed\$" "$err"
        check_equal "own loop, fails $mode: the tenth has failed" "9 1" "$(events) $(json 'q["failed"]')"
        check_adds_up "own loop, fails $mode"
        script own_loop run --style=unasked --threads=2 --time=40 "$mode"
        check_equal "own loop, never asks for events $mode" 20 "$(events)"
        check_adds_up "own loop, never asks $mode"
    done
    script own_loop run --style=plain --threads=300 --time=0.3 --rate=2000
    check_equal "own loop, 300 threads: exit code" 0 "$status"
    check_adds_up "own loop, 300 threads"
}

# The sum in the last line of the report: "mean M = wait W + service S".
check_means_add_up() {
    local mean wait service
    read -r mean wait service < <(sed -nE 's/^.*  mean >?([0-9.]+) = wait >?([0-9.]+) \+ service >?([0-9.]+)( .*)?$/\1 \2 \3/p' <<<"$out")
    check_equal "$1: the means add up, but for rounding" True "$(json "abs(${wait:-0} + ${service:-0} - ${mean:--1}) < 0.011")"
    check_equal "$1: the mean of wait in the report" True "$(json "${wait:-0} > 0 and ${service:-0} > 50")"
}

# Events of 50 ms, of which half fail, with four workers: at most 80 events per second are served.
test_failed_events_take_time() {
    # All workers are in an event nearly all the time, even on a busy machine, because delays happen within their
    # events. The first interval begins before they are, and the last one may be short.
    script own_loop run --style=slow --threads=4 --rate=400 --time=2 --report-interval=0.5 --report=full
    check_equal "workers that are busy all the time: exit code" 0 "$status"
    check_equal "workers that are busy all the time: half fails" True "$(json 'q["failed"] > 20 and q["completed"] > 20')"
    check_equal "workers that are busy all the time: are busy in each interval" "[]" \
        "$(json '[i["busy_mean"] for i in r["intervals"][1:3] if not 3 < i["busy_mean"] < 4.4]')"
    check_means_add_up "workers that are busy all the time"
    check_match "workers that are busy all the time: message about the requests" '\(of those that began\)$' "$out"
    check_equal "workers that are busy all the time: service times of failed requests are lower bounds" True \
        "$(json 'r["summary"]["service_ms"]["censored"] == q["failed"] + q["in_service"]')"
    run "$SYSRATE" report a.json
    check_means_add_up "workers that are busy all the time, from JSON"
    # If all requests have started, the means of the summary add up.
    script own_loop run --style=slow --threads=4 --rate=30 --events=20 --time=0 --report=full
    check_equal "requests that all begin: half fails" "20 True" "$(json 'q["offered"]') $(json 'q["failed"] >= 8')"
    check_equal "requests that all begin: response = wait + service" True "$(json '(lambda s:
        abs(s["wait_ms"]["mean"] + s["service_ms"]["mean"] - s["response_ms"]["mean"]) < 1e-6)(r["summary"])')"
    check_equal "requests that all begin: that mean in the last line" True \
        "$(json "abs($(sed -nE 's/^.*  mean >?([0-9.]+) = wait .*$/\1/p' <<<"$out") - r['summary']['response_ms']['mean']) < 0.006")"
    local node
    for node in 0 1; do
        script own_loop run --style=slow --threads=4 --rate=400 --time=1.5 --report-interval=0.5 --rand-seed=5 --node=$node/2
        mv a.json "node$node.json"
    done
    run "$SYSRATE" merge --json=a.json node0.json node1.json
    check_equal "two ranks: service times of failed requests are lower bounds" True \
        "$(json 'r["summary"]["service_ms"]["censored"] == q["failed"] + q["in_service"] and q["failed"] > 10')"
    check_means_add_up "two ranks"
    check_equal "two ranks: all workers are busy" True "$(json '3 < r["intervals"][1]["busy_mean"] < 4.4')"
}

test_counters() {
    local mode
    for mode in $MODES; do
        script counters run --threads=2 --events=50 --time=0 "$mode"
        check_equal "counters $mode: exit code" 0 "$status"
        check_equal "counters $mode" "[50, 100, 150, 50, 200, 250, 300, 350]" \
            "$(json '[r["summary"]["counters"][n] for n in ("other", "reads", "writes", "events", "errors",
                       "reconnects", "bytes_read", "bytes_written")]')"
        check_adds_up "counters $mode"
    done
    script counters prepare
    check_equal "counters outside of a run: exit code" 0 "$status"
    check_match "counters outside of a run: no events" '^more events: false$' "$out"
}

test_sql_hooks() {
    local mode
    for mode in $MODES; do
        rm -f test.db*
        script sql_hooks prepare
        script sql_hooks run --threads=2 --events=40 --time=0 "$mode" --report-interval=1
        check_equal "SQL hooks $mode: exit code" 0 "$status"
        check_equal "SQL hooks $mode: events" 40 "$(events)"
        check_equal "SQL hooks $mode: restarts are counted as errors" \
            "$(printf '%s\n' "$out" | awk '/^restarts/ { n += $2 } END { print n }')" \
            "$(json 'r["summary"]["counters"]["errors"]')"
        # Each event except the first of a worker has one error.
        check_between "SQL hooks $mode: restarts" 38 "$(json 'r["summary"]["counters"]["errors"]')" 40
        check_match "SQL hooks $mode: the report of a database script" '^SQL statistics:$' "$out"
        check_equal "SQL hooks $mode: one read per event, failed writes are not counted" "40 0" \
            "$(json 'r["summary"]["counters"]["reads"]') $(json 'r["summary"]["counters"]["writes"]')"
        check_adds_up "SQL hooks $mode"
        script sql_hooks run --threads=2 --time=5 "$mode" --ignore=off
        check_equal "a fatal SQL error $mode: exit code" 1 "$status"
        check_match "a fatal SQL error $mode: message" \
            "sql_hooks\.lua:[0-9]+: SQL error, errno = [0-9]+, state = '.*': UNIQUE constraint failed: t\.id" "$err"
        check_no_match "a fatal SQL error $mode: no restart" '^restarts [1-9]' "$out"
        check_adds_up "a fatal SQL error $mode"
    done
}

# keys_of OPTION...: prints the checksum of the first numbers that each of 3 workers draws.
keys_of() {
    rm -f keys.*
    "$SYSRATE" "$SCRIPTS/keys.lua" run --threads=3 --time=40 "$@" >/dev/null 2>keys.err || cat keys.err
    for id in 0 1 2; do
        head -n 40 "keys.$id" | cksum
    done | xargs
}

test_keys() {
    local first options
    first=$(keys_of --rand-seed=42)
    check_equal "keys: as many as were asked for" "40 40 40" \
        "$(for id in 0 1 2; do head -n 40 "keys.$id" | wc -l; done | xargs)"
    for options in "" --percentile=0 --percentile=50,99.9 --histogram --report-interval=0.1 --rate=3000 \
        --json=k.json "--warmup-time=0.1" "--verbosity=0" "--rate=3000 --percentile=0"; do
        # shellcheck disable=SC2086  # several words, or none
        check_equal "the same seed, the same keys, whatever $options" "$first" "$(keys_of --rand-seed=42 $options)"
    done
    check_not "another seed, other keys" test "$first" = "$(keys_of --rand-seed=43)"
    check_not "no seed, other keys" test "$(keys_of)" = "$(keys_of)"
    check_equal "workers draw different keys" 3 "$(keys_of --rand-seed=42 | xargs -n 2 | sort -u | wc -l)"
}

# Prints figures of the picture in $out as "NAME=VALUE ..." for eval, with the values of rows rounded to whole numbers.
figures_of_picture() {
    printf '%s\n' "$out" | awk '
        /\|/ { split($0, half, "|"); v = int(half[1] + 0.5); m = split(half[2], words, " ")
               c = words[m]; stars = m > 1 ? length(words[1]) : 0
               n += c; sum += v * c; squares += v * v * c; count[v] += c
               if (c > most) { most = c; mode = v; longest = stars }
               if (least == "" || c < least) least = c
               if (v < last) unsorted = 1
               last = v; rows++ }
        END { for (v = 1; v <= 20; v++) fifth += count[v]
              mean = sum / n
              printf "n=%d rows=%d mean=%.4f deviation=%.4f mode=%d most=%d least=%d ",
                  n, rows, mean, sqrt(squares / n - mean * mean), mode, most, least
              printf "first=%d second=%d tenth=%d fifth=%d longest=%d unsorted=%d\n",
                  count[1], count[2], count[10], fifth, longest, unsorted }'
}

# picture TYPE: draws 100 000 numbers of that distribution and prints their picture.
picture() {
    run "$SYSRATE" "$SCRIPTS/distributions.lua" --time=1 --rand-type="$1" --rand-seed=1 --verbosity=0 run
    check_equal "picture of $1: exit code" 0 "$status"
    check_equal "picture of $1: heading" "       value  ------------- distribution ------------- count" \
        "$(printf '%s\n' "$out" | head -n 1)"
    check_no_match "picture of $1: nothing else" '^[^|]*$' "$(printf '%s\n' "$out" | tail -n +2)"
    eval "$(figures_of_picture)"
    check_equal "picture of $1: all numbers are in it" 100000 "$n"
    check_equal "picture of $1: rows ascend, the longest bar is full" "0 40" "$unsorted $longest"
}

# The seed is fixed. The bounds are 5 standard deviations, computed from the formula of the distribution.
test_distributions() {
    local n rows mean deviation mode most least first second tenth fifth longest unsorted
    picture uniform # 1000 of each, standard deviation 31.5
    check_equal "uniform: each value occurs" 100 "$rows"
    check_between "uniform: no value is rare" 842 "$least" 1000
    check_between "uniform: no value is frequent" 1000 "$most" 1158
    check_between "uniform: mean 50.5" 50.04 "$mean" 50.96 # 28.87 / sqrt(100000) = 0.091

    picture gaussian # the mean of 12 uniform numbers of 1..100
    check_between "gaussian: mean 50.5" 50.37 "$mean" 50.63       # 8.33 / sqrt(100000) = 0.026
    check_between "gaussian: deviation 28.87 / sqrt(12)" 8.15 "$deviation" 8.45
    check_between "gaussian: the middle is most frequent" 46 "$mode" 55

    picture special # 75 % of the numbers are one value in the middle; the rest has a bell shape
    check_between "special: three quarters are one value" 74300 "$most" 77500
    check_between "special: it is in the middle" 49 "$mode" 52
    check_between "special: mean 50.5" 49.5 "$mean" 51.5

    picture pareto # P(x <= q * range) = q ^ (ln(1 - h) / ln h), h = 0.2: 80 % of the numbers are in the smallest fifth
    check_between "pareto: 80 % in the smallest fifth" 79360 "$fifth" 80640
    check_between "pareto: the share of 1" 52010 "$first" 53600 # .01 ^ .13865 = .52807
    check_equal "pareto: 1 is most frequent" 1 "$mode"
    check_equal "pareto: up to 100" 100 "$rows"

    picture zipfian # P(k) = k ^ -0.8 / 8.135
    check_between "zipfian: the share of 1" 11770 "$first" 12815 # 12293
    check_between "zipfian: the share of 2, 2 ^ -0.8 of it" 6660 "$second" 7460 # 7060
    check_between "zipfian: the share of 10, 10 ^ -0.8 of it" 1725 "$tenth" 2172 # 1948
    check_equal "zipfian: 1 is most frequent" 1 "$mode"
    check_equal "zipfian: up to 100" 100 "$rows"
}

# Accidental or deliberate changes of a script to its own state must do no harm.
test_odd_scripts() {
    local line
    while read -r line; do
        echo "$line" >odd.lua
        run "$SYSRATE" odd.lua run --time=0.1 --report-interval=1
        check_equal "does no harm: $line" 0 "$status"
    done <<'END'
sysbench = nil function event() end
ffi = nil function event() end
sysbench.opt = 5 function event() end
sysbench.hooks = 5 function event() end
sysbench.rand = nil function event() end
setmetatable(_G, {__index = function(_, k) error("undeclared " .. k) end}) rawset(_G, "event", function() end)
setmetatable(_G, {__newindex = error}) rawset(_G, "event", function() sysbench.rand.uniform(1, 2) end)
function event() collectgarbage() end
getmetatable(newproxy(true)).__gc = error function event() end
END
    while read -r line; do
        echo "function event() $line end" >odd.lua
        run "$SYSRATE" odd.lua run --time=5
        check_equal "refused: $line: exit code" 1 "$status"
        check_match "refused: $line: script and line" "^FATAL: .* failed: odd\.lua:1: ." "$err"
    done <<'END'
sysbench.rand.uniform()
sysbench.rand.string(5)
sysbench.rand.string()
sysbench.rand.varstring(5)
sysbench.rand.varstring(-1, 5)
sysbench.rand.varstring(1, 1e12)
sysbench.rand.alnum(5)
sysbench.rand.stream("a")
sysbench.histogram.new(10, 1)
sysbench.histogram.new(10, 1, 5):update()
sysbench.sql.driver("nosuch")
sysbench.no_such_thing()
coroutine.yield()
local function f() return f() + 1 end f()
END
}

# The times of thread_init and thread_done do not count as time of the run.
test_elapsed() {
    cat >slow.lua <<'END'
ffi.cdef[[int usleep(unsigned microseconds);]]
function event() ffi.C.usleep(1000) end
function thread_init() ffi.C.usleep(400000) end
function thread_done() ffi.C.usleep(400000) end
END
    local mode
    for mode in $MODES; do
        # A busy machine may end the run late.
        run_until '[ "$(json "r[\"summary\"][\"elapsed_s\"] < 0.38")" = True ]' "$SYSRATE" slow.lua run --threads=2 --time=0.3 --json=a.json "$mode"
        check_between "thread_init and thread_done are not counted $mode" 0.29 "$(json 'r["summary"]["elapsed_s"]')" 0.38
    done
}

# Hooks for SQL errors that themselves fail.
test_failing_sql_hooks() {
    local hook
    for hook in sql_error_ignorable before_restart_event; do
        cat >hook.lua <<END
function thread_init() con = sysbench.sql.driver("sqlite"):connect() end
function event() con:query("SELECT nothing FROM nowhere") end
function sysbench.hooks.sql_error_ignorable() return true end
function sysbench.hooks.$hook() error("$hook has failed") end
END
        run "$SYSRATE" hook.lua run --time=5
        check_equal "an error in $hook: exit code" 1 "$status"
        check_match "an error in $hook: script and line" "failed: hook\.lua:4: $hook has failed\$" "$err"
        check_match "an error in $hook: the report" '^Threads fairness:$' "$out"
    done
}

# Prints in how many of ten runs an event prints before the main thread, which is not scheduled while the worker is
# runnable.
printed_too_early() {
    local early=0 processor
    processor=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/') # the first allowed processor
    cat >idle.lua <<'END'
ffi.cdef [[int getpid(void); int sched_setscheduler(int, int, const int *);]]
local function main_thread(policy) return ffi.C.sched_setscheduler(ffi.C.getpid(), policy, ffi.new("int[1]")) == 0 end
function thread_init() assert(main_thread(5)) end -- SCHED_IDLE
function event() print("event") main_thread(0) end -- root may
END
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        run taskset -c "$processor" "$SYSRATE" idle.lua run --events=1 --time=0
        [ "$(printf '%s\n' "$out" | grep -E '^(event|Threads started!)$' | tr '\n' ' ')" = "Threads started! event " ] ||
            early=$((early + 1))
    done
    echo $early
}

test_printing() {
    echo 'function event() print(("x"):rep(10)) io.write("y\n") end' >loud.lua
    run "$SYSRATE" loud.lua run --threads=4 --events=400 --time=0
    check_equal "scripts that print: exit code" 0 "$status"
    check_equal "scripts that print: every line arrives" "400 400" \
        "$(printf '%s\n' "$out" | grep -c '^xxxxxxxxxx$') $(printf '%s\n' "$out" | grep -c '^y$')"
    check_equal "scripts that print: after the threads' start" 0 "$(printed_too_early)"
    run "$SYSRATE" "$SCRIPTS/empty_event.lua" run --threads=300 --time=0.3
    check_equal "300 threads: exit code" 0 "$status"
    run "$SYSRATE" "$SCRIPTS/empty_event.lua" run --threads=300 --time=0.3 --rate=5000
    check_equal "300 threads at a rate: exit code" 0 "$status"
    echo 'function event() ffi.C.sb_counter_inc(0, 1) end' >mixed.lua
    run "$SYSRATE" mixed.lua run --events=10 --luajit-cmd=off
    check_equal "without the compiler: exit code" 0 "$status"
}

test_everything_there
test_first_touch
test_lifecycle
test_errors
test_restarts
test_own_loop
test_failed_events_take_time
test_counters
test_sql_hooks
test_keys
test_distributions
test_odd_scripts
test_elapsed
test_failing_sql_hooks
test_printing
finish
