#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workers that are given up (--forced-shutdown, Ctrl-C, --thread-init-timeout) continue while done() of the script
# runs. All memory that they use must stay valid: the process must end with the exit code of the run and not by a
# signal. Sanitizers find errors that a plain build may survive.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# The function done() uses much stack, opens a connection, and waits until every other thread has ended. Then it writes the
# file "loose" and sleeps for 0.3 s, in which the threads report their end to their pool.
cat >script.lua <<'LUA'
ffi.cdef("int poll(void *, unsigned long, int)")
sysbench.cmdline.options = {
   init_ms = {"how long thread_init() takes", 0},
   event_ms = {"how long event() takes", 2500},
   deferred_ms = {"how long deferred work takes", 0},
   done_ms = {"how long done() takes after that", 300},
}
local function sleep_ms(ms) ffi.C.poll(nil, 0, ms) end

local function append(name)
   local file = assert(io.open(name, "a"))
   file:write(".")
   file:close()
end

local function count(name)
   local file = io.open(name)
   local bytes = file and #file:read("*a") or 0
   if file then file:close() end
   return bytes
end

-- Each level fills a buffer of several KiB on the stack.
local text = ("x"):rep(6000) .. "y"
local function use_stack(levels)
   text:gsub("y", function() if levels > 1 then use_stack(levels - 1) end end)
end

function thread_init()
   if sysbench.opt.pacing == "terminals" then sysbench.terminals.populate(20, 0.01) end
   sleep_ms(sysbench.opt.init_ms)
end

function event()
   if sysbench.opt.deferred_ms > 0 then sysbench.defer("work") end
   sleep_ms(sysbench.opt.event_ms)
end

function sysbench.hooks.deferred() sleep_ms(sysbench.opt.deferred_ms) end

function thread_done() append("ended") end

function done()
   local threads, tries = sysbench.opt.threads + sysbench.opt.deferred_threads, 0
   use_stack(100)
   sysbench.sql.driver():connect():query("SELECT 1")
   while count("ended") < threads and tries < 400 do
      sleep_ms(50)
      tries = tries + 1
   end
   if count("ended") == threads then append("loose") end
   sleep_ms(sysbench.opt.done_ms)
end
LUA

# give_up NAME SIGNALS OPTION...: starts a run in a folder of that name. SIGNALS is a list of files. For each of them
# SIGINT is sent when the file exists. "" sends no signal. The file "started" is created 0.7 s after the start, when
# all workers are in an event.
give_up() {
    local name=$1 signals=$2 file pid
    shift 2
    mkdir "$name"
    (
        cd "$name" || exit 1
        "$SYSRATE" --db-driver=sqlite --sqlite-db=a.db --json=a.json "$@" ../script.lua run >out 2>err &
        pid=$!
        for file in $signals; do
            if [ "$file" = started ]; then
                wait_for 30 grep -qs '^Threads started!' out
                sleep 0.7
            else
                wait_for 40 test -s "$file"
            fi
            kill -INT "$pid"
        done
        wait "$pid"
        echo $? >status
    ) &
}

# check_given_up NAME STATUS
check_given_up() {
    check_equal "$1: exit code" "$2" "$(cat "$1/status")"
    check "$1: all threads came loose before the end" test -s "$1/loose"
    [ "$(cat "$1/status")" = "$2" ] || sed 's/^/#   /' "$1/err"
}

check_unfinished() {
    check_equal "$1: requests were given up" true "$(jq '.summary.requests.unfinished > 0' "$1/a.json")"
}

short=(--threads=4 --time=0.3 --forced-shutdown=0)

give_up closed-loop '' "${short[@]}"
give_up rate '' "${short[@]}" --tx-rate=100
give_up terminals '' "${short[@]}" --pacing=terminals
give_up executors '' "${short[@]}" --deferred-threads=2 --deferred-ms=2500 --event-ms=10
wait
for name in closed-loop rate terminals executors; do
    check_given_up $name 2
done
for name in closed-loop rate terminals; do
    check_unfinished $name
done

# The last of these runs is ended by a second signal, in done(), after its threads have continued.
give_up late-start '' --threads=4 --time=1 --thread-init-timeout=1 --init-ms=3000
give_up interrupted started --threads=4 --time=60 --forced-shutdown=0
give_up waited-for started --threads=4 --time=0.3 --event-ms=6000
give_up interrupted-twice 'started loose' --threads=4 --time=60 --forced-shutdown=0 --done-ms=30000
wait
check_given_up late-start 1
check_match "late-start: the cause is named" '^FATAL: Worker threads failed to initialize within 1 seconds!' "$(cat late-start/err)"
for name in interrupted waited-for interrupted-twice; do
    check_given_up $name 130
    check_unfinished $name
done

finish
