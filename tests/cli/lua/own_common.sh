#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts that replace parts of the bundled ones: global functions of oltp_common, its options, or the whole module; and
# files in the current folder with the name of a bundled test.
. "$TESTS_DIR/cli/lib.sh" || exit 1

sqlite=(--db-driver=sqlite --sqlite-db=own.db --tables=7 --table-size=20)
few=(--threads=2 --time=0 --events=10)

# sql STATEMENT: prints the result of a query.
sql() {
    sqlite3 own.db "$1"
}

# Prints each line that begins with "own ", with the number of times it was printed.
own_lines() {
    printf '%s\n' "$out" | grep '^own ' | sort | uniq -c | sed 's/^ *//' | paste -sd ,
}

# A script with keys of its own, in the style of public scripts: create_table() is called once for each table.

cat >keys.lua <<'LUA'
require("oltp_common")

function create_table(drv, con, table_num)
   assert(drv:name() == "sqlite" and tostring(con) == "<sql_connection>")
   print(string.format("own table %d", table_num))
   con:query(string.format([[
CREATE TABLE sbtest%d (id VARBINARY(26) NOT NULL PRIMARY KEY, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120), pad CHAR(60))]],
      table_num))
   con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. "(id, k, c, pad) VALUES")
   for i = 1, sysbench.opt.table_size do
      con:bulk_insert_next(string.format("('K%025d', %d, '%s', '%s')", i,
         sysbench.rand.default(1, sysbench.opt.table_size), get_c_value(), get_pad_value()))
   end
   con:bulk_insert_done()
end

function get_c_value() return "own c" end

function prepare_point_selects()
   for n = 1, sysbench.opt.tables do
      stmt[n].point_selects = con:prepare("SELECT c FROM sbtest" .. n .. " WHERE id = ?")
      param[n].point_selects = {stmt[n].point_selects:bind_create(sysbench.sql.type.VARCHAR, 26)}
      stmt[n].point_selects:bind_param(unpack(param[n].point_selects))
   end
end

function execute_point_selects()
   local n = sysbench.rand.uniform(1, sysbench.opt.tables)
   for i = 1, sysbench.opt.point_selects do
      param[n].point_selects[1]:set(string.format("K%025d", sysbench.rand.default(1, sysbench.opt.table_size)))
      local row = stmt[n].point_selects:execute():fetch_row()
      assert(row[1] == "own c")
   end
end

function prepare_statements()
   prepare_begin()
   prepare_commit()
   prepare_point_selects()
end

function event()
   begin()
   execute_point_selects()
   commit()
   check_reconnect()
end
LUA
every_table_once="1 own table 1,1 own table 2,1 own table 3,1 own table 4,1 own table 5,1 own table 6,1 own table 7"
for threads in 1 3 10; do
    rm -f own.db
    run "$SYSRATE" keys.lua "${sqlite[@]}" --threads=$threads prepare
    check_equal "create_table of a script, $threads threads: exit code" "0 " "$status $err"
    check_equal "create_table of a script, $threads threads: each table once" "$every_table_once" "$(own_lines)"
    check_equal "create_table of a script, $threads threads: rows" "20 20 text" \
        "$(sql 'SELECT count(*) FROM sbtest1') $(sql 'SELECT count(*) FROM sbtest7') $(sql 'SELECT typeof(id) FROM sbtest3 LIMIT 1')"
done
check_equal "get_c_value of a script" "own c" "$(sql 'SELECT DISTINCT c FROM sbtest4')"
run "$SYSRATE" keys.lua "${sqlite[@]}" "${few[@]}" run
check_equal "tables of a script, run: exit code, and no doubt about ids" "0 " "$status $err"
check_equal "tables of a script, run: reads" 100 "$(figure 'read')"
run "$SYSRATE" keys.lua "${sqlite[@]}" --threads=3 prepare
check_equal "tables of a script exist: exit code" 1 "$status"
run "$SYSRATE" keys.lua "${sqlite[@]}" cleanup
check_equal "tables of a script are dropped" "0 0" "$status $(sql 'SELECT count(*) FROM sqlite_master')"

# The bundled function remains within reach.
cat >more.lua <<'LUA'
require("oltp_common")
local create = create_table
function create_table(drv, con, n)
   create(drv, con, n)
   print("own table " .. n)
   con:query("ALTER TABLE sbtest" .. n .. " ADD COLUMN extra INTEGER DEFAULT 5")
end
LUA
run "$SYSRATE" more.lua "${sqlite[@]}" --threads=4 prepare
check_equal "a script calls the replaced create_table: each table once" "0 $every_table_once" "$status $(own_lines)"
check_equal "a script calls the replaced create_table: rows" "20 5" "$(sql 'SELECT count(*), extra FROM sbtest2' | tr '|' ' ')"

# Every global function that the bundled scripts call may be replaced. Each replacement notes its name, and calls the
# function that it replaces.

names="begin commit check_reconnect cmd_prepare cmd_warmup close_statements create_table get_c_value get_pad_value
    thread_init thread_done cleanup prepare_begin prepare_commit prepare_for_each_table prepare_point_selects
    prepare_simple_ranges prepare_sum_ranges prepare_order_ranges prepare_distinct_ranges prepare_index_updates
    prepare_non_index_updates prepare_delete_inserts execute_point_selects execute_simple_ranges execute_sum_ranges
    execute_order_ranges execute_distinct_ranges execute_index_updates execute_non_index_updates
    execute_delete_inserts"
bundled=$(dirname "$SYSRATE")/lua
# The module of a user, as sysbench's: it defines globals and returns nothing.
cat >oltp_common.lua <<LUA
local standard = dofile("$bundled/oltp_common.lua")
local called = {}
for name in ([[$names]]):gmatch("%S+") do
   local replaced = assert(_G[name], name)
   _G[name] = function(...)
      if not called[name] then
         called[name] = true
         print("own " .. name)
      end
      return replaced(...)
   end
end
LUA
# check_calls TEST COMMAND NAME...: the command must call the replaced functions with these names, and no other ones.
check_calls() {
    run "$SYSRATE" "$1" "${sqlite[@]}" --threads=1 --time=0 --events=3 "$2"
    check_equal "own oltp_common, $1 $2: exit code" "0 " "$status $err"
    check_equal "own oltp_common, $1 $2: functions called" "$(printf '%s\n' "${@:3}" | sort)" \
        "$(printf '%s\n' "$out" | sed -n 's/^own //p' | sort)"
}
thread=(thread_init thread_done check_reconnect close_statements)
around=(begin commit prepare_begin prepare_commit)
reads=({prepare,execute}_{point_selects,simple_ranges,sum_ranges,order_ranges,distinct_ranges})
writes=({prepare,execute}_{index_updates,non_index_updates,delete_inserts})
rm -f own.db
check_calls oltp_read_write prepare cmd_prepare create_table get_c_value get_pad_value
check_calls oltp_read_write prewarm cmd_warmup
check_calls oltp_read_write run "${thread[@]}" "${around[@]}" "${reads[@]}" "${writes[@]}" prepare_for_each_table
check_calls oltp_read_only run "${thread[@]}" "${around[@]}" "${reads[@]}" prepare_for_each_table
check_calls oltp_write_only run "${thread[@]}" "${around[@]}" "${writes[@]}" prepare_for_each_table
check_calls oltp_point_select run "${thread[@]}" {prepare,execute}_point_selects prepare_for_each_table
check_calls oltp_update_index run "${thread[@]}" {prepare,execute}_index_updates prepare_for_each_table
check_calls oltp_update_non_index run "${thread[@]}" {prepare,execute}_non_index_updates prepare_for_each_table
check_calls oltp_insert run "${thread[@]}" get_c_value get_pad_value
check_calls oltp_delete run "${thread[@]}" prepare_for_each_table
check_calls select_random_points run "${thread[@]}"
check_calls select_random_ranges run "${thread[@]}"
check_calls oltp_read_write cleanup cleanup

# The same module in a folder of LUA_PATH.
mkdir -p path
mv oltp_common.lua path/
run env LUA_PATH="$PWD/path/?.lua;;" "$SYSRATE" oltp_read_write "${sqlite[@]}" prepare
check_match "own oltp_common in LUA_PATH" '^own cmd_prepare$' "$out"

# A module with functions of its own only, with the options that it needs.
cat >oltp_common.lua <<'LUA'
sysbench.cmdline.options = {tables = {"tables", 2}, table_size = {"rows", 30}, point_selects = {"points", 3}}
function cleanup()
   local con = sysbench.sql.driver():connect()
   for i = 1, sysbench.opt.tables do con:query("DROP TABLE sbtest" .. i) end
end
function prepare()
   local con = sysbench.sql.driver():connect()
   for i = 1, sysbench.opt.tables do
      con:query("CREATE TABLE sbtest" .. i .. "(id INTEGER PRIMARY KEY, k INTEGER, c TEXT, pad TEXT)")
      for j = 1, sysbench.opt.table_size do
         con:query(string.format("INSERT INTO sbtest%d VALUES (%d, %d, 'c', 'pad')", i, j, j))
      end
   end
end
function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for i = 1, sysbench.opt.tables do stmt[i], param[i] = {}, {} end
   prepare_statements()
end
function thread_done() con:disconnect() end
function prepare_point_selects() end
function execute_point_selects()
   for i = 1, sysbench.opt.point_selects do
      con:query_row("SELECT c FROM sbtest1 WHERE id = " .. sysbench.rand.default(1, sysbench.opt.table_size))
   end
end
function prepare_for_each_table(name)
   for i = 1, sysbench.opt.tables do
      stmt[i][name] = con:prepare("DELETE FROM sbtest" .. i .. " WHERE id = ?")
      param[i][name] = {stmt[i][name]:bind_create(sysbench.sql.type.INT)}
      stmt[i][name]:bind_param(param[i][name][1])
   end
end
function get_c_value() return "new" end
get_pad_value = get_c_value
LUA
own=(--db-driver=sqlite --sqlite-db=own.db)
rm -f own.db
run "$SYSRATE" oltp_point_select "${own[@]}" prepare
check_equal "an own oltp_common of few functions: prepare" "0  30" "$status $err $(sql 'SELECT count(*) FROM sbtest2')"
run "$SYSRATE" oltp_point_select "${own[@]}" "${few[@]}" run
check_equal "an own oltp_common of few functions: run" "0  10" "$status $err $(figure read)"
for test in oltp_insert oltp_delete; do
    run "$SYSRATE" $test "${own[@]}" "${few[@]}" run
    check_equal "an own oltp_common of few functions: $test" "0  10" "$status $err $(figure write)"
done
check_between "an own oltp_common of few functions: rows inserted" 1 "$(sql "SELECT count(*) FROM sbtest1 WHERE c = 'new'")" 10
rm -f oltp_common.lua own.db

# Scripts that replace the options, change them, or give them names of general options.

cat >options.lua <<'LUA'
require("oltp_common")
sysbench.cmdline.options = {
   tables = {"Number of tables", 3},
   table_size = {"Number of rows", 40},
   ["own-option"] = {"An option", 5},
}
function prepare_statements() prepare_point_selects() prepare_delete_inserts() end
function event()
   execute_point_selects()
   execute_delete_inserts()
   check_reconnect()
end
function done() print("own option " .. sysbench.opt.own_option) end
LUA
for command in "prepare --threads=2" prewarm "run --time=0 --events=10 --own_option=6" cleanup "prepare"; do
    # shellcheck disable=SC2086  # several words
    run "$SYSRATE" options.lua "${own[@]}" $command
    check_equal "options that a script replaces, $command" "0 " "$status $err"
    case $command in
    run*) check_equal "dropped options have their defaults" "100 20 1 own option 6" "$(figure read) $(figure write) $(own_lines)" ;;
    prepare*) check_equal "own defaults" "40" "$(sql 'SELECT count(*) FROM sbtest3')" ;;
    esac
done
run "$SYSRATE" options.lua help
check_equal "help lists the options of the script" "own-option table_size tables" \
    "$(printf '%s\n' "$out" | sed -n 's/^  --\([a-z_-]*\).*/\1/p' | paste -sd ' ')"
cat >removed.lua <<'LUA'
require("oltp_common")
sysbench.cmdline.options.reconnect = nil
sysbench.cmdline.options.table_size[2] = 25
sysbench.cmdline.options.tables = nil
sysbench.cmdline.options.point_selects = {"Point selects", "7", sysbench.cmdline.ARG_STRING}
function prepare_statements() prepare_point_selects() end
function event() execute_point_selects() check_reconnect() end
LUA
rm -f own.db
run "$SYSRATE" removed.lua "${own[@]}" prepare
check_equal "options that a script edits: prepare" "0  25" "$status $err $(sql 'SELECT count(*) FROM sbtest1')"
run "$SYSRATE" removed.lua "${own[@]}" --time=0 --events=2 run
check_equal "options that a script edits: run" "0  14" "$status $err $(figure read)"

cat >general.lua <<'LUA'
sysbench.cmdline.options = {
   threads = {"own threads", 7}, time = {"own time", 60}, histogram = {"a text", "none"}, debug = {"a text", "x"},
   mysql_host = {"a host", "there"}, ["rand-type"] = {"a type", "none"}, ["tx_rate"] = {"a rate", 5},
   json = {"a format", "short"}, own = {"own", 3},
}
function event(tid) end
function done()
   local o = sysbench.opt
   print("own", o.threads, o.time, o.histogram, o.debug, o.mysql_host[1], o.rand_type, o.tx_rate, o.own)
end
LUA
run "$SYSRATE" general.lua --threads=2 --events=5 run
check_equal "script options with the names of general ones" "0 " "$status $err"
check_match "script options with the names of general ones: the general ones win" \
    $'^own\t2\t10\tfalse\tfalse\tlocalhost\tuniform\t0\t3$' "$out"
check_match "script options with the names of general ones: threads" '^Number of threads: 2$' "$out"
run "$SYSRATE" general.lua help
check_equal "script options with the names of general ones: help" $'0 json\nown' "$status $(printf '%s\n' "$out" | sed -n 's/^  --\([a-z_-]*\).*/\1/p' | sort)"
echo 'sysbench.cmdline.options = {time = {"own time", 60}} function event() end' >one.lua
run "$SYSRATE" one.lua --events=1 --unknown run
check_equal "a script whose only option is a general one: others are refused" "1 invalid option: --unknown" "$status $err"

# Files in the current folder with the name of a bundled test.

"$SYSRATE" --version >oltp_read_write
for command in run prepare help; do
    run "$SYSRATE" oltp_read_write "${own[@]}" $command
    check_equal "output in ./oltp_read_write, $command: exit code" 1 "$status"
    check_match "output in ./oltp_read_write, $command: the file is named" '^FATAL: \./oltp_read_write:1: ' "$err"
    check_match "output in ./oltp_read_write, $command: the way to the bundled test" "\./oltp_read_write .*: $bundled/oltp_read_write\.lua\$" "$err"
done
run "$SYSRATE" "$bundled/oltp_read_write.lua" "${own[@]}" help
check_equal "the bundled test by its path" 0 "$status"
: >oltp_read_write
for command in run prepare; do
    run "$SYSRATE" oltp_read_write "${own[@]}" $command
    check_match "empty ./oltp_read_write, $command: the way to the bundled test" "\./oltp_read_write .*: $bundled/oltp_read_write\.lua\$" "$err"
done
rm oltp_read_write
mkdir oltp_read_write
run "$SYSRATE" oltp_read_write help
check_equal "a folder with the name of a bundled test is no script, as in sysbench" "0 " "$status $err"
echo 'x = =' >oltp_delete.lua
run "$SYSRATE" oltp_delete "${own[@]}" run
check_match "a file found as module: the way to the bundled test" "\./oltp_delete\.lua .*: $bundled/oltp_delete\.lua\$" "$err"
echo 'function event() error("here") end' >oltp_insert
run "$SYSRATE" oltp_insert "${own[@]}" run
check_match "an error in event() of ./oltp_insert names the file" '\./oltp_insert:1: here' "$err"
echo 'x = =' >mine
run "$SYSRATE" mine "${own[@]}" run
check_equal "a file with another name: its name alone" "FATAL: mine:1: unexpected symbol near '='" "$err"

finish
