#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Habits of scripts that others wrote: loaders whose threads end one by one, options without values, hooks that print
# lines of their own, scripts that say nothing about themselves.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# A thread that has done its part leaves; the others go on with theirs.

cat >loader.lua <<'LUA'
local rows = 0
function event(tid)
   rows = rows + 1
   if rows == 10 * (tid + 1) then return 0 end
end
function thread_done(tid) print(("thread %d: %d rows"):format(tid, rows)) end
LUA

for rate in 0 2000; do
    run "$SYSRATE" loader.lua run --threads=4 --time=60 --rate=$rate --json=a.json
    check_equal "threads end one by one, rate $rate: exit code" 0 "$status"
    check_equal "threads end one by one, rate $rate: each has done its part" "thread 0: 10 rows
thread 1: 20 rows
thread 2: 30 rows
thread 3: 40 rows" "$(printf '%s\n' "$out" | grep rows | sort)"
    check_equal "threads end one by one, rate $rate: the run ends with the last" "script 100" \
        "$(json_figure '"\(.summary.end) \(.summary.requests.completed)"')"
    check_equal "threads end one by one, rate $rate: requests add up" true \
        "$(json_figure '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
done

echo 'function event(tid) if tid == 0 then return true end end' >first.lua
for rate in 0 2000; do
    run "$SYSRATE" first.lua run --threads=2 --time=0.5 --rate=$rate --json=a.json
    check_equal "one thread of two ends, rate $rate: the run goes on to its time" "0 time" \
        "$status $(json_figure .summary.end)"
    run "$SYSRATE" first.lua run --threads=2 --time=0 --events=50 --rate=$rate --json=a.json
    check_equal "one thread of two ends, rate $rate: the run goes on to its last event" "0 events 50" \
        "$status $(json_figure '"\(.summary.end) \(.summary.requests.completed)"')"
done

finish
