# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Tests the interface of sysbench 0.5 with scripts as users have them, and with our own oltp_legacy set under the command lines of
# that version.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

DB=legacy.db
export LC_ALL=C

sql() {
    sqlite3 -cmd '.timeout 10000' "$DB" "$1"
}

legacy() {
    run "$SYSRATE" --db-driver=sqlite --sqlite-db="$DB" --sqlite-synchronous=off "$@"
}

mkdir -p tests/db
cp "$SRCDIR"/src/lua/oltp_legacy/*.lua tests/db/

# A typical script for 0.5: common functions in a second file of its folder, options as globals, defaults in set_vars().

cat >tests/db/mine_common.lua <<'LUA'
function set_vars()
   my_rows = tonumber(my_rows) or 100
   if my_flag == 'off' or my_flag == nil then
      my_flag = false
   else
      my_flag = true
   end
end

function prepare()
   set_vars()
   db_connect()
   db_query("CREATE TABLE mine (id INTEGER PRIMARY KEY, k INTEGER, s VARCHAR(40))")
   db_bulk_insert_init("INSERT INTO mine (id, k, s) VALUES")
   for i = 1, my_rows do
      db_bulk_insert_next("(" .. i .. ", " .. sb_rand(1, my_rows) .. ", '" .. sb_rand_str("##-@@") .. "')")
   end
   db_bulk_insert_done()
   db_disconnect()
end

function cleanup()
   db_connect()
   db_query("DROP TABLE mine")
end
LUA

cat >tests/db/mine.lua <<'LUA'
pathtest = string.match(test, "(.*/)")
dofile(pathtest .. "mine_common.lua")

function thread_init(thread_id)
   set_vars()
   io.stderr:write(("thread %d of %s, driver %s, table %s\n"):format(thread_id, num_threads, db_driver,
      type(debug)))
   params = {1, "none"}
   stmt = db_prepare("UPDATE mine SET s = ? WHERE id = ?")
   values = {"first", 1}
   db_bind_param(stmt, values)
   reader = db_prepare("SELECT k FROM mine WHERE id = ?")
   key = {1}
   db_bind_param(reader, key)
end

function event(thread_id)
   if my_flag then
      db_query("BEGIN IMMEDIATE")
   end
   values[1], values[2] = sb_rand_str("changed-####"), sb_rand_uniform(1, my_rows)
   local rs = db_execute(stmt)
   key[1] = sb_rand_uniq(1, my_rows)
   rs = db_execute(reader)
   db_store_results(rs)
   db_free_results(rs)
   if my_flag then
      db_query("COMMIT")
   end
end

function thread_done(thread_id)
   db_close(stmt)
   db_close(reader)
   db_disconnect()
end
LUA

legacy --test=tests/db/mine.lua --my-rows=57 prepare
check_equal "a script of 0.5: prepare" "0 57" "$status $(sql 'SELECT COUNT(*) FROM mine')"
check_equal "sb_rand_str" 57 "$(sql "SELECT COUNT(*) FROM mine WHERE s GLOB '[0-9][0-9]-[a-z][a-z]'")"
legacy --test=tests/db/mine.lua --my-rows=57 --my-flag --num-threads=3 --max-requests=300 run
check_equal "a script of 0.5: run" "0 300" "$status $(figure transactions)"
check_equal "statements of its events" "300 300 600" "$(statement_counts)"
check_match "num_threads, db_driver, debug" '^thread 2 of 3, driver sqlite, table table$' "$err"
check "values are read when a statement is executed" \
    test "$(sql "SELECT COUNT(*) FROM mine WHERE s LIKE 'changed-%'")" -gt 40
legacy --test=tests/db/mine.lua cleanup
check_equal "a script of 0.5: cleanup" "0 0" "$status $(sql "SELECT COUNT(*) FROM sqlite_master")"

# Other functions and variables of the interface.

cat >api.lua <<'LUA'
local body = {test = test, thread_id = thread_id}

function event()
   assert(body.test == "api.lua" and body.thread_id == 0 and thread_id == 0)
   assert(num_threads == 1 and threads == 1 and max_requests == 1 and validate == false)
   assert(my_text == "a b" and my_switch == "" and my_under_score == "7" and missing == nil)
   assert(type(help) == "boolean" or help == nil)
   assert(DB_ERROR_NONE == 0 and DB_ERROR_RESTART_TRANSACTION == 1 and DB_ERROR_FAILED == 2)
   for _, draw in ipairs {sb_rand, sb_rand_uniform, sb_rand_gaussian, sb_rand_special, sb_rand_pareto} do
      local n = draw("3", "9") -- as options are
      assert(n >= 3 and n <= 9)
   end
   assert(mysql_table_engine == "innodb" and myisam_max_rows == 1000000)
   assert(not pgsql_host or (pgsql_host == "localhost" and pgsql_port == 5432))
   assert(type(mysql_host) ~= "table" or (mysql_host[1] == "elsewhere" and mysql_ssl == false))
   local seen = {}
   for _ = 1, 1000 do
      local n = sb_rand_uniq("5", "1004")
      assert(n >= 5 and n <= 1004 and not seen[n])
      seen[n] = true
   end
   assert(sb_rand_str("@#"):match("^%l%d$") and sb_rnd() >= 0)
   local ok, err = pcall(db_query, "SELECT * FROM missing_table")
   assert(not ok and tostring(err):find("no such table"))
   ok, err = pcall(db_bind_param, db_prepare("SELECT ?"), {true})
   assert(not ok and err:find("Unsupported variable type: boolean"))
   db_disconnect()
   db_query("SELECT 1") -- connects again
   print("all asserted")
end
LUA
legacy api.lua --mysql-host=elsewhere --my-text='a b' --my_switch --my-under_score=7 --max-requests=1 run
check_equal "the interface: exit code" 0 "$status"
check_match "the interface" '^all asserted$' "$out"

# Scripts for 0.5 get their options as text, and rely on two options that were not given.
cat >sizes.lua <<'LUA'
function prepare()
   oltp_table_size = oltp_table_size or 10000
   db_connect()
   db_query("CREATE TABLE sizes (id INTEGER, k INTEGER) /*! ENGINE = " .. mysql_table_engine ..
      " MAX_ROWS = " .. myisam_max_rows .. " */")
   db_bulk_insert_init("INSERT INTO sizes VALUES")
   for i = 1, oltp_table_size do
      db_bulk_insert_next("(" .. i .. ", " .. sb_rand(1, oltp_table_size) .. ")")
   end
   db_bulk_insert_done()
end
function event()
   local first = sb_rand(1, oltp_table_size)
   db_query("SELECT k FROM sizes WHERE id BETWEEN " .. first .. " AND " .. first + oltp_range_size - 1)
end
LUA
legacy --test=sizes.lua --oltp-table-size=200 prepare
check_equal "numbers of options that are text: prepare" "0 200" "$status $(sql 'SELECT COUNT(*) FROM sizes WHERE k BETWEEN 1 AND 200')"
legacy --test=sizes.lua --oltp-table-size=200 --oltp-range-size=10 --max-requests=20 run
check_equal "numbers of options that are text: run" "0 20" "$status $(figure read)"
sql 'DROP TABLE sizes'

# A script counts as one for 0.5 if it uses functions of the interface, also if only a loaded file uses them.
printf 'function event() db_query("SELECT 1") end\n' >functions.lua
legacy functions.lua --oltp-anything=1 --events=5 run
check_equal "a script whose functions use the interface takes any option" "0 5" "$status $(figure read)"
printf 'function go() local id = thread_id; db_query("SELECT 1") end\nrate_of = num_threads\n' >loaded.lua
printf 'dofile("loaded.lua")\nfunction event() go() end\n' >loader.lua
legacy loader.lua --oltp-anything=1 --events=5 run
check_equal "a script whose files use the interface takes any option" "0 5" "$status $(figure read)"

# For scripts for 1.0, undeclared options are ignored with a warning if the script declares no options, otherwise refused.
printf 'function event() end\n' >modern.lua
legacy modern.lua --oltp-anything=1 run
ignored="0 WARNING: --oltp-anything is ignored: this test declares no options"
check_equal "a script without the interface has no use for other options" "$ignored" "$status $(head -n 1 <<<"$err")"
printf 'function test() end\nfunction event() test() end\n' >own.lua
legacy own.lua --oltp-anything=1 run
check_equal "a function of its own named test is not the interface" "$ignored" "$status $(head -n 1 <<<"$err")"
printf 'sysbench.cmdline.options = {x = {"x", 1}}\nfunction event() db_query("SELECT 1") end\n' >both.lua
legacy both.lua --oltp-anything=1 run
check_equal "a script that declares options is held to them" 1 "$status"
legacy both.lua --x=2 --events=3 run
check_equal "a script that declares options may use the interface" "0 3" "$status $(figure read)"

# An ignorable error restarts the event, whether or not the script raises it again.
cat >restart.lua <<'LUA'
local tries = 0

function event()
   tries = tries + 1
   if tries == 1 then
      error({errcode = DB_ERROR_RESTART_TRANSACTION})
   elseif tries == 2 then
      local ok, err = pcall(db_query, "SELECT * FROM missing_table")
      assert(not ok and err.errcode == DB_ERROR_RESTART_TRANSACTION)
      error(err)
   end
end

function thread_done()
   print("tries: " .. tries)
end

sysbench.hooks.sql_error_ignorable = function() return true end
LUA
legacy restart.lua --max-requests=2 run
check_equal "errors that restart the event" "0 2 1" "$status $(figure transactions) $(figure "ignored errors")"
check_match "each made it start again" '^tries: 4$' "$out"

printf 'function event() db_query("SELEC") end\n' >wrong.lua
legacy wrong.lua run
check_equal "a fatal error: exit code" 1 "$status"
check_match "a fatal error names the script's line" "function failed: wrong.lua:1: SQL error" "$err"

# The oltp_legacy set with the command lines of 0.5.

SIZES="--oltp-tables-count=3 --oltp-table-size=1003"
declare -A PER_EVENT=(
    [oltp]="14 4 2" [oltp_simple]="1 0 0" [select]="1 0 0" [insert]="0 1 0" [delete]="0 1 0" [update_index]="0 1 0"
    [update_non_index]="0 1 0" [select_random_points]="1 0 0" [select_random_ranges]="1 0 0"
)

for script in "${!PER_EVENT[@]}"; do
    # shellcheck disable=SC2086  # several options
    legacy --test=tests/db/$script.lua $SIZES prepare
    check_equal "$script: prepare makes dense ids" "0 1003 1 1003" \
        "$status $(sql "SELECT COUNT(*) || ' ' || MIN(id) || ' ' || MAX(id) FROM sbtest3")"
    check_equal "$script: indexes" "k_1 k_2 k_3" \
        "$(sql "SELECT group_concat(name, ' ') FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")"
    # shellcheck disable=SC2086
    legacy --test=tests/db/$script.lua $SIZES --max-requests=90 --max-time=60 --num-threads=3 run
    check_equal "$script: statements" "0 $(times 90 "${PER_EVENT[$script]}")" "$status $(statement_counts)"
    # shellcheck disable=SC2086
    legacy --test=tests/db/$script.lua $SIZES cleanup
    check_equal "$script: cleanup" "0 0" "$status $(sql "SELECT COUNT(*) FROM sqlite_master")"
done

legacy --test=tests/db/parallel_prepare.lua --oltp-tables-count=5 --oltp-table-size=500 --num-threads=3 \
    --sqlite-busy-timeout=60000 run
check_equal "parallel_prepare with run" "0 500 500" \
    "$status $(sql 'SELECT COUNT(*) FROM sbtest1') $(sql 'SELECT COUNT(*) FROM sbtest5')"
OLTP="--oltp-tables-count=5 --oltp-table-size=500 --max-requests=10"
# shellcheck disable=SC2086
{
    legacy oltp_legacy/oltp $OLTP --oltp-read-only=on run
    check_equal "--oltp-read-only" "0 140 0 20" "$status $(statement_counts)"
    legacy oltp_legacy/oltp $OLTP --oltp-skip-trx=on --oltp-range-selects=off --oltp-point-selects=3 run
    check_equal "--oltp-skip-trx, --oltp-range-selects=off, --oltp-point-selects" "0 30 40 0" "$status $(statement_counts)"
    legacy oltp_legacy/oltp $OLTP --oltp-test-mode=simple run
    check_equal "--oltp-test-mode=simple" "0 10 0 0" "$status $(statement_counts)"
    legacy oltp_legacy/oltp $OLTP --oltp-index-updates=2 --oltp-non-index-updates=0 --oltp-delete-inserts=0 \
        --oltp-sum-ranges=0 --tx-rate=100 run
    check_equal "numbers of statements, at a rate" "0 130 20 20" "$status $(statement_counts)"
}
check_equal "no row was lost" 2500 "$(for n in 1 2 3 4 5; do sql "SELECT COUNT(*) FROM sbtest$n"; done | awk '{ n += $1 } END { print n }')"
legacy oltp_legacy/oltp --oltp-read-only=maybe run
check_match "a bad value" \
    "^FATAL: .*invalid value for --oltp-read-only: 'maybe' \\(allowed: on, off\\)\$" "$err"
legacy oltp_legacy/oltp --oltp-table-size=x run
check_match "a bad number" "invalid value for --oltp-table-size: 'x' \\(allowed: a whole number, at least 0\\)\$" "$err"
# shellcheck disable=SC2086
legacy oltp_legacy/oltp $OLTP --oltp-dist-type=special run
check_match "an option without effect is named" '^WARNING: --oltp-dist-type=special has no effect in this test$' "$err"
legacy tests/db/oltp.lua help
check_match "help lists the options" '^  --oltp-tables-count \[1\]$' "$out"

legacy oltp_legacy/oltp --oltp-tables-count=5 cleanup
legacy --test=tests/db/bulk_insert.lua --num-threads=2 prepare
legacy --test=tests/db/bulk_insert.lua --num-threads=2 --max-requests=1000 run
check_equal "bulk_insert" "0 1000" \
    "$status $(sql 'SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)')"
legacy --test=tests/db/oltp.lua --oltp-table-size=10 prepare
check_not "a failed prepare" test "$status" = 0
finish
