#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Helpers for scripts: the clock, and wrapping a bundled test by require().
. "$TESTS_DIR/cli/lib.sh" || exit 1

# A sleep is never shorter than its time. The test has no upper bound, which a busy machine could exceed.
cat >sleeps.lua <<'LUA'
function event()
   local before = sysbench.clock()
   sysbench.sleep(0.02)
   assert(sysbench.clock() - before >= 0.02)
end
LUA
run "$SYSRATE" sleeps.lua --threads=2 --events=10 --time=0 --json=sleeps.json run
check_equal "each of the events sleeps" "0 10 true" \
    "$status $(jq -r '"\(.summary.requests.completed) \(.summary.response_ms.min >= 20)"' sleeps.json)"

# Each bundled test can be wrapped. The documentation lists the tests and no others.
bundled=$("$SYSRATE" list | sed -n '/^Bundled scripts:/,/^$/s/^  \([a-z_]*\) .*/\1/p' | sort)
documented=$(sed -n '/^### Wrapping a bundled test/,/^### /p' "$SRCDIR/docs/lua-api.md" | sed -n 's/^| `\([a-z_]*\)`.*/\1/p' | sort)
check_equal "the documentation lists the tests that can be wrapped" "$bundled" "$documented"
for test in $bundled; do
    cat >wrapped.lua <<LUA
require("$test")
local inner, inner_done, count = event, thread_done, 0
function event(...)
   count = count + 1
   return inner(...)
end
function thread_done(...)
   print("wrapped " .. count)
   if inner_done then inner_done(...) end
end
LUA
    options=(--db-driver=sqlite --sqlite-db="$test.db")
    case $test in
    tpcc) options+=(--shrink=100) ;;
    bulk_insert) ;;
    oltp_vector) options+=(--vectors=100 --dimensions=8) ;;
    *) options+=(--table-size=100) ;;
    esac
    run "$SYSRATE" wrapped.lua "${options[@]}" prepare
    check_equal "$test, wrapped: prepare" 0 "$status"
    run "$SYSRATE" wrapped.lua "${options[@]}" --threads=1 --events=5 --time=0 run
    check_equal "$test, wrapped: run" "0 wrapped 5" "$status $(grep -x 'wrapped 5' <<<"$out")"
done
finish
