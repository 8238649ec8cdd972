# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests --slowest on real servers: a session holds the lock of some rows for two seconds. The slowest requests must name the statement, its
# duration and the session.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/why/waits_lib.sh"
start_servers
create_accounts

cat >update.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   update = con:prepare("UPDATE accounts SET balance = balance + 1 WHERE id = ?")
   id = update:bind_create(sysbench.sql.type.INT)
   update:bind_param(id)
end

function event()
   con:query("BEGIN")
   con:query("SELECT COUNT(*) FROM accounts WHERE id < 10")
   id:set(sysbench.rand.uniform(1, 100))
   update:execute()
   con:query("COMMIT")
end
LUA

for server in pgsql mysql; do
    hold $server "BEGIN; UPDATE accounts SET balance = 0 WHERE id <= 8;" "ROLLBACK;" 2 1
    server_options $server
    # 8 requests per second need one of the rows: some 16 wait, half of them for at least a second.
    steadily run "$SYSRATE" update.lua "${connect[@]}" --wait-events=20 --slowest=5 --json=a.json --report=full --rand-seed=1 --threads=48 --tx-rate=100 \
        --time=5 "${hold[@]}" run
    check_equal "$server: exit code" 0 "$status"
    check_equal "$server: the slowest requests" 5 "$(json_figure '.slowest.requests | length')"
    long='[.slowest.requests[] | .statements | max_by(.ms)]'
    check_equal "$server: the slow statement is the update" '["update accounts"]' "$(json_figure "$long | map(.class) | unique | tojson")"
    check "$server: its duration ($(json_figure "$long[0].ms") ms)" awk "BEGIN { exit !($(json_figure "$long[0].ms") > 1000 && $(json_figure "$long[0].ms") < 5000) }"
    check_equal "$server: the row that it changed" 1 "$(json_figure "$long[0].rows")"
    check_equal "$server: all statements in their order" '["begin","select accounts","update accounts","commit"]' \
        "$(json_figure '.slowest.requests[0].statements | map(.class) | tojson')"
    check_match "$server: its wait" '^Lock:' "$(json_figure '.slowest.requests[0].waits[0].event')"
    check_equal "$server: the blocker is a session" object "$(json_figure '.slowest.requests[0].blocked_by[0].blocker | type')"
    check_match "$server: the text names the statement" '^        at [0-9.]+ ms: update accounts, [1-4][0-9]{3}\.[0-9]+ ms, rows 1$' "$out"
    check_match "$server: the text names the session" '^        blocked by session [0-9]+ \(' "$out"
    check_no_match "$server: no parameters" 'WHERE id = [0-9]' "$out$(cat a.json)"
done

# A statement that fails has its error. Deadlocks and timeouts are repeated by the script.
cat >fail.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   number = 0
end

function event()
   number = number + 1
   if number == 5 then
      con:query("INSERT INTO accounts VALUES (1, 0)")
   end
   con:query("SELECT balance FROM accounts WHERE id < 4")
end

function sysbench.hooks.sql_error_ignorable()
   return true
end
LUA
for server in pgsql mysql; do
    server_options $server
    run "$SYSRATE" fail.lua "${connect[@]}" --slowest=100 --events=20 --time=0 --json=a.json run
    check_equal "$server, error: exit code" 0 "$status"
    check_match "$server, error: code or state" '^(\[1062,"23000"\]|\[0,"23505"\]|\[null,"23505"\])$' \
        "$(json_figure '[.slowest.requests[].statements[] | select(.class == "insert accounts").error] | .[0] | [.code, .state] | tojson')"
    check_equal "$server, error: the request is repeated" 1 "$(json_figure '[.slowest.requests[].retries] | max')"
    check_equal "$server, error: rows that were read" 3 "$(json_figure '[.slowest.requests[].statements[] | select(.class == "select accounts").rows] | max')"
done

finish
