# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests sysbench.sql as scripts use it, with prepared statements and with text, and restarts of events after lock conflicts.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

for mode in auto disable; do
    rm -f api.db*
    run "$SYSRATE" --db-driver=sqlite --sqlite-db=api.db --db-ps-mode=$mode --sqlite-busy-timeout=0 "$TESTS_DIR/db/sql_api.lua"
    check_equal "the API with --db-ps-mode=$mode: exit code" 0 "$status"
    check_match "the API with --db-ps-mode=$mode" '^all passed$' "$both"
    check_match "a closed connection is an ALERT" '^ALERT: attempt to use an already closed connection$' "$err"
    check_match "closing it again is one, too" '^ALERT: attempt to close an already closed connection$' "$err"
    check_match "a row before the beginning" '^ALERT: attempt to call bulk_insert_next\(\) before bulk_insert_init\(\)$' "$err"
    check_match "a fatal error is logged with its query" \
        "^FATAL: sqlite driver: error 1 \\(no such table: missing\\) for query 'DELETE FROM missing'$" "$err"
done

cat >locks.lua <<'LUA'
local con

function thread_init()
   con = sysbench.sql.driver():connect()
end

-- Reads before it writes, so that the second of two concurrent writers must restart.
function event()
   con:query("BEGIN")
   con:query("SELECT n FROM t")
   con:query("UPDATE t SET n = n + 1")
   con:query("COMMIT")
end

function sysbench.hooks.before_restart_event(e)
   assert(e.sql_errno % 256 == 5 and e.connection == con)
   io.stderr:write("restart\n")
end

function prepare()
   local c = sysbench.sql.driver():connect()
   c:query("CREATE TABLE t (n INT); INSERT INTO t VALUES (0)")
end
LUA
run "$SYSRATE" --db-driver=sqlite --sqlite-db=locks.db locks.lua prepare
check_equal "prepare: exit code" 0 "$status"
run "$SYSRATE" --db-driver=sqlite --sqlite-db=locks.db --sqlite-synchronous=off --sqlite-busy-timeout=0 --threads=4 --events=2000 --time=50 \
    locks.lua run
check_equal "events that meet locks: exit code" 0 "$status"
errors=$(figure "ignored errors")
check "some events met a lock" test "${errors:-0}" -gt 0
check_equal "the hook ran for each" "$errors" "$(printf '%s\n' "$err" | grep -c '^restart$')"
check_equal "each event took place once" "2000 2000" \
    "$(figure transactions) $(sqlite3 locks.db 'SELECT n FROM t')"
# Failed statements are not counted, but the statements before them in the same attempt are.
check_equal "writes" 2000 "$(figure write)"
finish
